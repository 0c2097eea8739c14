MATCH (a:`A`)-[r:`R`]->(b:`B`)
WHERE NOT (a.`_arc_name` CONTAINS $p0) AND NOT (a.`_arc_name` STARTS WITH b.`_arc_name`)
WITH a.`_arc_name` AS `name`, min(b.`_arc_name`) AS `first`
WHERE NOT (`first` ENDS WITH $p1)
RETURN `name` AS `name`

{"p0": "x", "p1": "z"}

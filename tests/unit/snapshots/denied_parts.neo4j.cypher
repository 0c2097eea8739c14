MATCH (a:`A`)-[r:`R`]->(b:`B`)
WHERE NOT (a.`name` CONTAINS $p0) AND NOT (a.`name` STARTS WITH b.`name`)
WITH a.`name` AS `name`, min(b.`name`) AS `first`
WHERE NOT (`first` ENDS WITH $p1)
RETURN `name` AS `name`

{"p0": "x", "p1": "z"}

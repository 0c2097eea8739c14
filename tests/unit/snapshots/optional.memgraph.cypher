MATCH (a:`A`)
OPTIONAL MATCH (a)-[r:`R`]->(b:`B`) WHERE r.`since` > $p0
RETURN a.`name` AS `name`, count(DISTINCT b) AS `n`

{"p0": 1990}

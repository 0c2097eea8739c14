MATCH (a:`A`)-[r:`R`]->(b:`B`)
WITH a, avg(b.`age`) AS `measure 0`
MATCH (a)-[s:`S`]->(c:`C`) WHERE c.`born` > $p0
WITH a, `measure 0`, count(DISTINCT c) AS `measure 1`
RETURN a.`name` AS `name`, `measure 0` AS `average age`, `measure 1` AS `number of c`

{"p0": 1990}

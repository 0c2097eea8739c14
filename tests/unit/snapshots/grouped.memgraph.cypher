MATCH (a:`A`)-[r:`R`]->(b:`B`)
WHERE a.`born` >= $p0 AND a.`type` IS NULL AND r.`id` IN $p1 AND a.`name` STARTS WITH b.`name`
WITH b.`name` AS `group`, avg(a.`age`) AS `mean age`, count(DISTINCT a) AS `n`
WHERE `n` > $p2
RETURN `group` AS `group`, `mean age` AS `mean age`, `n` AS `n`
ORDER BY `mean age` IS NULL, `mean age` DESC, `group`
SKIP 2
LIMIT 5

{"p0": 1990, "p1": [1, 2], "p2": 1}

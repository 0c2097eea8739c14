MATCH (a:`A`)
WHERE (EXISTS { MATCH (a)-[r:`R`]->(b:`B`)-[s:`S`]->(c) } OR (a.`born` > $p0 AND a.`town` = $p1))
RETURN count(DISTINCT a) AS `n`

{"p0": 1990, "p1": "Ys"}

MATCH (a:`A`)-[r:`R`]->(b:`B`)
WHERE b.`born` IS NULL AND NOT EXISTS { MATCH (a)-[s:`S`]->(c:`C`) WHERE c.`name` = $p0 AND s.`since` > $p1 } AND NOT EXISTS { MATCH (b)-[t:`T`]-(a) WHERE t.`kind` = $p2 }
RETURN a AS `a`

{"p0": "Ys", "p1": 1990, "p2": "x"}

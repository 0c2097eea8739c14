MATCH (a:`_Arcgraph`)-[r:`R`]->(x:`T`), (b)<-[s:`S`]-(x)
WHERE a.`_arcgraph_id` = $p0 AND id(b) IN [_i IN $p1 | toInteger(_i)] AND x <> a
RETURN x AS `x`, count(*) AS `paths`
ORDER BY `paths` DESC
LIMIT 10

{"p0": "1", "p1": ["4:x:1", "4:x:2"]}

MATCH (a:`_Arcgraph`)-[r:`R`]->(x:`T`), (b)<-[s:`S`]-(x)
WHERE a.`_arcgraph_id` = $p0 AND elementId(b) IN $p1 AND x <> a
RETURN x AS `x`, count(*) AS `paths`
ORDER BY `paths` DESC
LIMIT 10

{"p0": "1", "p1": ["4:x:1", "4:x:2"]}

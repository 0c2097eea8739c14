MATCH (a:`_Arcgraph`:`Per``son`)-[r:`has MD5 hash`|`OWNS`]->(b:`Tool Set`:`Big`)-[s]-(c)
WHERE a.`_arc_name` = $p0
RETURN DISTINCT b.`_arc_name` AS `name`

{"p0": "Ann"}

MATCH (a:`Per``son`)-[r:`has MD5 hash`|`OWNS`]->(b:`Tool Set`:`Big`)-[s]-(c)
WHERE a.`name` = $p0
RETURN DISTINCT b.`name` AS `name`

{"p0": "Ann"}

MATCH (a:`Per``son`)-[r:`has MD5 hash`|`OWNS`]->(b:`Tool Set`:`Big`)-[s]-(c)
WHERE a.`name` = $p0 AND any(_i IN r.`chunk ids` WHERE _i IN $p1)
RETURN DISTINCT b.`name` AS `name`

{"p0": "Ann", "p1": ["c1", "c2"]}

MATCH (a:`Person`)-[r:`OWNS`]->(b:`Tool`)
WITH a, b.`kind` AS key_1, count(DISTINCT b) AS `measure how many`
WHERE `measure how many` > $p0
RETURN a.`town` AS `town`, key_1 AS `kind`, avg(`measure how many`) AS `average`, count(a) AS `people`

{"p0": 1}

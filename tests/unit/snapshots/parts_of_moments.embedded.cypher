MATCH (a:`A`)
WHERE toInteger(substring(toString(a.`made`), 0, 4)) > $p0
RETURN toInteger(substring(toString(a.`made`), 0, 4)) AS `year`, substring(toString(a.`sold`), 0, 7) AS `month`, count(DISTINCT a) AS `n`

{"p0": 1999}

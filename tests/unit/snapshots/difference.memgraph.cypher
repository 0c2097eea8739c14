MATCH (a:`A`), (b:`A`)
WHERE a.`name` = $p0 AND b.`name` = $p1
RETURN a.`mass` - toFloat(b.`mass`) AS `more`

{"p0": "Ann", "p1": "Bo"}

MATCH (a:`_Arcgraph`:`A`), (b:`_Arcgraph`:`A`)
WHERE a.`_arc_name` = $p0 AND b.`_arc_name` = $p1
RETURN a.`mass` - toFloat(b.`mass`) AS `more`

{"p0": "Ann", "p1": "Bo"}

MATCH (a:`Entity`)-[r:`RELATED`]->(b:`Entity`), (a:`Entity`)-[s:`RELATED`|`OTHER`]->(b)
WHERE r.`predicate` IN $p0 AND ((s:`RELATED` AND s.`predicate` = $p1) OR s:`OTHER`)
RETURN b.`_arc_title` AS `title`

{"p0": ["likes", "is"], "p1": "likes"}

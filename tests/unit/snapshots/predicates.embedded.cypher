MATCH (a:`Entity`)-[r:`RELATED`]->(b:`Entity`), (a)-[s:`RELATED`|`OTHER`]->(b)
WHERE r.`predicate` IN $p0 AND ((type(s) = $p1 AND s.`predicate` = $p2) OR type(s) = $p3)
RETURN b.`_arc_title` AS `title`

{"p0": ["likes", "is"], "p1": "RELATED", "p2": "likes", "p3": "OTHER"}

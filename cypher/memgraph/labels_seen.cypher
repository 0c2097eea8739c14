MATCH (n)
WITH n LIMIT $most
UNWIND labels(n) AS label
RETURN DISTINCT label

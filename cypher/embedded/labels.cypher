MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label

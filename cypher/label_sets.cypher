MATCH (n) RETURN labels(n) AS labels, count(*) AS n

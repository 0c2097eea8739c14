MATCH (n)
WITH labels(n) AS labels, keys(n) AS keys, count(*) AS n
UNWIND keys AS key
RETURN labels, key, sum(n) AS n

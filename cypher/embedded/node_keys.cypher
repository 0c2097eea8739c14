// The engine lists these four on every node, stored or not; what a user stored under them has another name.
MATCH (n)
WITH labels(n) AS labels, keys(n) AS keys, count(*) AS n
UNWIND [key IN keys WHERE NOT key IN ['id', 'title', 'type', 'name']] AS key
RETURN labels, key, sum(n) AS n

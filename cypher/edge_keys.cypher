MATCH ()-[r]->()
WITH type(r) AS type, keys(r) AS keys, count(*) AS n
UNWIND keys AS key
RETURN type, key, sum(n) AS n

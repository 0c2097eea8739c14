// The engine adds a type to the keys of relationships; what a user stored under it has another name.
MATCH ()-[r]->()
WITH type(r) AS type, keys(r) AS keys, count(*) AS n
UNWIND [key IN keys WHERE NOT key IN ['id', 'title', 'type', 'name']] AS key
RETURN type, key, sum(n) AS n

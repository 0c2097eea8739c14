MATCH ()-[r]->()
WITH r LIMIT $most
RETURN DISTINCT type(r) AS type

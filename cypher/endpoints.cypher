MATCH (a)-[r]->(b) RETURN labels(a) AS starts, type(r) AS type, labels(b) AS ends, count(*) AS n

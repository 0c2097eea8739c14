SHOW PROCEDURES YIELD name
RETURN split(name, '.')[0] AS package, count(*) AS procedures

CALL mg.procedures() YIELD name
RETURN split(name, '.')[0] AS package, count(*) AS procedures

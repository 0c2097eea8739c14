SHOW INDEXES YIELD name, state
WHERE state = 'FAILED' AND name STARTS WITH $prefix
RETURN name

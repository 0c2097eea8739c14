SHOW CONSTRAINTS YIELD type, labelsOrTypes, properties
RETURN type, labelsOrTypes AS owners, properties AS keys

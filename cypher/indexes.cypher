SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties
RETURN name, type, entityType AS entity, labelsOrTypes AS owners, properties AS keys

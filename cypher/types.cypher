CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType

CALL schema.rel_type_properties() YIELD relType
RETURN DISTINCT relType

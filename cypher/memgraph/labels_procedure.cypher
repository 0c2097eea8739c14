CALL schema.node_type_properties() YIELD nodeLabels
UNWIND nodeLabels AS label
RETURN DISTINCT label

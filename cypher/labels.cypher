CALL db.labels() YIELD label RETURN label

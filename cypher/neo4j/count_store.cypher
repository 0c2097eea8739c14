CALL db.stats.retrieve('GRAPH COUNTS') YIELD data
UNWIND data.nodes + data.relationships AS item
RETURN item.label AS label, item.relationshipType AS type, item.startLabel AS starts, item.endLabel AS ends, item.count AS n

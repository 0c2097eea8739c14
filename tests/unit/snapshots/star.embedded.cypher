MATCH (c:`C`)-[s:`S`]->(a:`A`)-[r:`R`]->(b:`B`), (a:`A`)-[t:`T`]-(d:`D`)
RETURN a AS `a`

{}

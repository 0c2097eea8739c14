MATCH (a:`A`)
WHERE a.`mass` IS NOT NULL AND NOT EXISTS { MATCH (b:`A`) WHERE b.`kind` = a.`kind` AND b.`mass` > a.`mass` }
RETURN a.`kind` AS `kind`, a AS `a`

{}

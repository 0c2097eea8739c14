MATCH (a:`A`)
RETURN count(*) > 0 AS `answer`

{}

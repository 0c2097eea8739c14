MATCH (one:`A`)
WITH avg(one.`mass`) AS `measure average mass`
MATCH (a:`A`)
WHERE a.`mass` > `measure average mass`
RETURN a AS `a`

{}

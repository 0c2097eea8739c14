MATCH (a:`A`)
WITH count(DISTINCT a) AS `measure all`
OPTIONAL MATCH (a:`A`)
WHERE a.`ripe` = $p0
WITH `measure all`, count(DISTINCT a) AS `measure left`
RETURN CASE WHEN `measure all` = 0 THEN null ELSE 100.0 * `measure left` / `measure all` END AS `percentage`

{"p0": true}

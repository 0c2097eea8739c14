"""Queries for the gate: valid Cypher that only reads, and mutations of it and of evasions."""

from __future__ import annotations

import random

from evasion_probe import corpus

from arcgraph.graph.lexer import Kind, lex

MUTANTS = 2_000

READS = [
    # keywords as names
    "MATCH (set:Set) RETURN set.delete, set{.set}",
    "MATCH (match:Match {match: 1}) WHERE match.match = 1 RETURN match AS match",
    "MATCH (create)-[merge:DELETE]->(remove:Drop) RETURN create, merge, remove",
    "MATCH (limit)-[skip:SKIP]->(return) RETURN limit, skip, return",
    "MATCH (order:Order) RETURN order ORDER BY order.order LIMIT 3",
    "MATCH (where WHERE where.x = 1) RETURN where",
    "MATCH (is IS A) RETURN is",
    "MATCH (end)-[contains:IN]->(starts) WHERE end.in IN [1] AND starts.x STARTS WITH 'a' RETURN end, contains",
    "MATCH (n {set: 1, delete: 2, `x y`: 3}) RETURN n.call AS load",
    "RETURN {null: 1, true: 2, case: 3, end: 4, create: 5}.create AS remove",
    "WITH 1 AS count, 2 AS exists, 3 AS all, 4 AS distinct RETURN count, exists, all, distinct",
    "WITH {a:1} AS collect RETURN collect{.a}",
    "MATCH (n) WHERE n.and AND n.or OR n.not RETURN n.null, n.case",
    "MATCH (n:`SET` {`delete`: true}) RETURN n.`create`",
    # words in texts and comments
    "MATCH (a:Article) WHERE a.title = 'data set; DELETE n // CREATE' RETURN a.title",
    "/* CREATE */ MATCH (n) // DELETE n\nRETURN n",
    "MATCH (n) WHERE n.url = 'https://x.y/*' RETURN '*/' AS x",
    # spacing
    "MATCH(n)-[r]->(m)RETURN*",
    "MATCH (n)WHERE n.x IN['a','b']RETURN n.x AS x,n.y AS y",
    "RETURN 1;",
    "RETURN 1 // end",
    # patterns
    "MATCH (a)-[*1..2]->()-[r*]->()-[*..3]-()-[*2]-()-[*2..]-() RETURN r",
    "MATCH (a)<-->(b)<-[r]->(c) RETURN a",
    "MATCH (a)-[:A]->{2}(b), (c)-->*(d), (e)--{,3}(f), (g)<-[:X]-+(h) RETURN a",
    "MATCH (a) ((x)-[r]->(y) WHERE a.y = x.y){2} (b) RETURN r, [n IN x | n.name]",
    "MATCH p = SHORTEST 1 ((a)-->+(b) WHERE a.x = 1) RETURN p",
    "MATCH ANY 2 PATHS (a)-->+(b) RETURN a",
    "MATCH SHORTEST 2 PATH GROUPS (a)-->+(b) RETURN a",
    "MATCH p = allShortestPaths((a)-[r*..3]-(b)) RETURN p",
    "MATCH (a), (b) WHERE shortestPath((a)-[*]-(b)) IS NOT NULL RETURN a",
    "MATCH (n:((A|B)&!C)|%) WHERE n:((A|B)&C) RETURN n",
    "MATCH (n:$(['A'])), (m:$all(['A'])) RETURN n",
    "MATCH (a)-[:A|:B]->()-[:!A&!B]->() RETURN a",
    "MATCH (:A {x:1} WHERE true)-[{x: 1}]->()-[WHERE true]->()-[r WHERE r.x = 1]->() RETURN r",
    "MATCH (n:A) USING SCAN n:A MATCH (m:B {x:1}) USING INDEX m:B(x) RETURN n",
    # subqueries and scopes
    "MATCH (a) WHERE EXISTS { WITH 1 AS x MATCH (a)-->() WHERE a.y = x RETURN a } RETURN a",
    "MATCH (a) CALL { WITH a MATCH (a)-->(b) RETURN b UNION WITH a MATCH (b)-->(a) RETURN b } RETURN b",
    "MATCH (a) CALL (a) { WITH a AS c MATCH (a)-->(b) RETURN b } RETURN b",
    "MATCH (a) CALL (*) { MATCH (a)-->(b) RETURN b } RETURN b",
    "CALL () { RETURN 1 AS x } RETURN x",
    "MATCH (n) OPTIONAL CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m",
    "MATCH (n) RETURN count {MATCH (n)-->(m) WHERE m.x = 1 RETURN DISTINCT m}",
    "MATCH (n) WITH n, EXISTS { (n)-->() } AS e WHERE e RETURN n",
    "MATCH (n) RETURN [(n)-->(m:A|B WHERE m.x > 1) WHERE m:A | m.x][0]",
    "MATCH (n:A) WITH collect(n) AS xs RETURN [x IN xs WHERE x:A | x], [x IN xs WHERE x:(A|B)]",
    "MATCH (n:A) WITH collect(n) AS xs RETURN [x IN xs WHERE x:A|B | x.y], [x IN xs WHERE x:A | 1]",
    "MATCH (n) WITH n.x AS x, count(*) AS c WHERE count(*) > 1 AND n.x > 1 RETURN x ORDER BY c / 2",
    "MATCH (n) WITH n AS m, count(*) AS c ORDER BY n.y RETURN m",
    "MATCH (n) RETURN n.x AS x, max(n.y) AS m ORDER BY max(n.y) DESC",
    "MATCH (n) RETURN n.x, n.x + count(*), [x IN collect(n) | x.y]",
    "MATCH (n) WITH n{.x} RETURN n",
    "MATCH (n) WITH *, 1 AS y WHERE y = 1 RETURN *",
    "CALL db.labels",
    "CALL db.labels() YIELD *",
    "CALL db.labels YIELD label",
    "UNWIND $rows AS row OPTIONAL MATCH (n {id: row.id}) RETURN row.id, n",
    "MATCH (n) ORDER BY n.x SKIP 1 LIMIT 2 RETURN n",
    "MATCH (n) RETURN n OFFSET 1 LIMIT 1 + 1",
    "MATCH (n) FINISH",
    # expressions
    "RETURN 1 < 2 < 3, 1 + 2 * 3 ^ -4 % 5 / 6 - - 7, 'a' || 'b', NOT NOT true XOR false",
    "RETURN CASE 1 WHEN > 3 THEN 1 WHEN STARTS WITH 'a' THEN 2 WHEN IS NULL, = 2 THEN 3 WHEN -1 THEN 4 END",
    "RETURN all(x IN [1] WHERE x > 0), reduce(s = 0, x IN [1] | s + x), [1,2][..1], {a: {b: 1}}.a.b",
    "RETURN 'a' IS NOT NFC NORMALIZED, 1 IS :: ZONED DATETIME, [] IS NOT TYPED LIST<INTEGER NOT NULL> NOT NULL",
    "RETURN trim(BOTH 'x' FROM 'xax'), trim('x' FROM 'xx'), normalize('a', NFKC), date.truncate('day', date()).year",
    "MATCH (a), (b) WHERE (a.x)<-(b.x) AND (a.x) - (b.x) > [1,2][0] AND (a)--(b) RETURN a",
    "MATCH (n) WHERE NOT ((n)-->()) AND ((n)--() OR exists((n)<--())) RETURN n",
    "RETURN inf, -Inf, NaN, 0xFF, 0o77, 1_000, 1.5e-3, .5",
    "RETURN apoc.text.join(['a'], ','), apoc.coll.toSet([1]), point.distance(null, null)",
    "RETURN vector.similarity.cosine([1],[1]), datetime.fromEpoch(1, 2), DURATION.INDAYS(date(), date())",
    # Memgraph's own forms
    "MATCH p = (a {id: 0})-[*BFS ..4]->(b) RETURN p",
    "MATCH p = (a)-[e *BFS 1..5 (e, n | e.x > 1 AND n.y < 3)]->(b) RETURN e",
    "MATCH p = (a)-[:R *WSHORTEST 10 (r, n | r.weight) total (r, n | r.x > 1)]-(b) RETURN total, p",
    "MATCH p = (a)-[*ALLSHORTEST (r, n | 1)]-(b) RETURN p",
    "MATCH p = (a)-[*KSHORTEST | 3]->(b) RETURN p",
]

# --- mutants ------------------------------------------------------------------------------------------------------

INSERTED = (
    "SET n.x = 1", "CREATE (:X)", "DELETE n", "DETACH DELETE n", "MERGE (:X)", "REMOVE n.x",
    "FOREACH (i IN [1] | SET n.x = i)", "INSERT (:X)", "LOAD CSV FROM 'x' AS l", "USE other", "UNION", "UNION ALL", ";",
    "WITH *", "WITH n", "RETURN n",
    "WHERE true", "ORDER BY n", "LIMIT 1", "CALL { CREATE (:X) }", "IN TRANSACTIONS", "EXPLAIN", "OPTIONAL",
    "MATCH (n)",
    "(", ")", "{", "}", "[", "]", ":", "->", "-", "*", "|", ",", ".", "$p", "'a'", "1", "n", "//", "/*", "*/", "\n",
    "`",
)  # fmt: skip


def mutants() -> list[str]:
    """Queries that are a few changes away from valid or harmful ones; always the same."""
    dice = random.Random(20_26)
    seeds = [*READS, *READS, *(entry["query"] for entry in corpus() if "«" not in entry["query"])]
    made: dict[str, None] = {}
    while len(made) < MUTANTS:
        texts = [token.text for token in lex(dice.choice(seeds)).tokens if token.kind is not Kind.END]
        for _ in range(dice.randint(1, 2)):
            texts = mutate(texts, dice, seeds)
        made[" ".join(texts)] = None
    return list(made)


def mutate(texts: list[str], dice: random.Random, seeds: list[str]) -> list[str]:
    """One change of a list of tokens."""
    at, other = dice.randrange(len(texts) + 1), dice.randrange(len(texts) + 1)
    low, high = sorted((at, other))
    kind = dice.randrange(8)
    if kind == 0:
        return texts[:at] + texts[at + 1 :]
    if kind == 1:
        return [*texts[:at], dice.choice(INSERTED), *texts[at:]]
    if kind == 2:
        return [*texts[:at], dice.choice(INSERTED), *texts[at + 1 :]]
    if kind == 3:
        return texts[:low] + texts[low:high] + texts[low:]
    if kind == 4:
        return [*texts, dice.choice((";", "UNION", "UNION ALL", "")), *dice.choice(seeds).split()]
    if kind == 5:
        return [text.swapcase() if dice.random() < 0.3 else text for text in texts]
    if kind == 6:
        return ["CALL {", *texts, "}", dice.choice(("RETURN 1 AS one", "IN TRANSACTIONS", "FINISH", "CREATE (:X)"))]
    return texts[:low] + texts[high:]

"""Bounded work: a made-up server of ten million edges, which refuses every question that grows with the graph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import pytest

from arcgraph.domain import Count, Edge, Node, Rows
from arcgraph.errors import QueryError, QueryTimeout, ServerGone
from arcgraph.graph.introspect import Budget, fingerprint, introspect

NAME = r"`([^`]+)`"
NODE = rf"\(x:{NAME}\)"
EDGE = rf"\(\)-\[x:{NAME}\]->\(\)"
COUNTED = re.compile(
    rf"MATCH (?:{NODE}|{EDGE}|\(:{NAME}\)-\[x:{NAME}\]->\(\)|\(\)-\[x:{NAME}\]->\(:{NAME}\)) "
    r"WITH count\(x\) AS n RETURN (\d+) AS i, n"
)
PROBED = re.compile(rf"MATCH \(:{NAME}\)-\[:{NAME}\]->\(:{NAME}\) RETURN (\d+) AS i LIMIT 1")
SAMPLED = re.compile(rf"MATCH \(a\)-\[r:{NAME}\]->\(b\) WITH a, b SKIP (\d+) LIMIT (\d+) RETURN .*")
OWNERS = re.compile(rf"MATCH (?:{NODE}|{EDGE}) RETURN x LIMIT (\d+)")
COLUMNS = re.compile(rf"MATCH (?:{NODE}|{EDGE}) RETURN x\.{NAME}.* SKIP (\d+) LIMIT (\d+)")
LOOKED_UP = re.compile(
    rf"MATCH (?:{NODE}|{EDGE})(?: WITH x LIMIT (\d+))? WHERE x\.{NAME} IS NOT NULL RETURN x\.{NAME} AS v LIMIT (\d+)"
)
KEYS = re.compile(rf"MATCH (?:{NODE}|{EDGE}) WITH x LIMIT (\d+) WITH keys\(x\) AS keys.*")
DISTINCT = re.compile(rf"MATCH (?:{NODE}|{EDGE}) RETURN (count\(DISTINCT .*)")
MILLION = 1_000_000
SMALL = Budget(scan=10_000)


@dataclass
class BigServer:
    """Answers from a plan: numbers per label, numbers per (start, type, end), and properties per owner.

    ``properties`` makes the ``i``-th owner's. ``slow`` says which queries run out of time.
    """

    labels: dict[str, int]
    edges: dict[tuple[str, str, str], int]
    properties: dict[str, Callable[[int], dict[str, Any]]] = field(default_factory=dict)
    hands_out_counts: bool = True
    indexed: tuple[str, str] | None = None
    slow: Callable[[str], bool] = lambda _: False
    asked: list[str] = field(default_factory=list)
    seconds: float = 0.0
    now: float = 0.0
    dialect = "neo4j"
    name = "a made-up server"

    def read(self, query: str, params: Mapping[str, Any] | None, *, timeout: float, limit: int | None) -> Rows:
        assert params is None
        assert timeout > 0
        assert limit is None
        self.asked.append(query)
        self.now += self.seconds
        if self.slow(query):
            raise QueryTimeout("too slow")
        return Rows((), self.answer(query))

    def answer(self, query: str) -> list[tuple[Any, ...]]:
        if query == "MATCH (n) RETURN count(n) AS n":
            return [(sum(self.labels.values()),)]
        if query == "MATCH ()-[r]->() RETURN count(r) AS n":
            return [(sum(self.edges.values()),)]
        if query == "MATCH (n:`_Arcgraph`) RETURN count(n) AS n":
            return [(0,)]
        if query.startswith(("SHOW", "CALL")):
            return self.told(query)
        if " UNION ALL " in query or COUNTED.fullmatch(query) or PROBED.fullmatch(query):
            return [row for part in query.split(" UNION ALL ") for row in self.part(part)]
        if query.startswith("MATCH (x) WITH x LIMIT 10000 WHERE size("):
            return [(0,)]
        return self.owners(query)

    def told(self, query: str) -> list[tuple[Any, ...]]:
        if "db.stats.retrieve" in query:
            if not self.hands_out_counts:
                raise QueryError("not allowed", code="Neo.ClientError.Security.Forbidden")
            return self.count_store()
        if "db.labels" in query:
            return [(label,) for label in (*self.labels, "Forgotten")]
        if "db.relationshipTypes" in query:
            return [(type_,) for type_ in dict.fromkeys(t for _, t, _ in self.edges)]
        if query.startswith("SHOW INDEXES") and self.indexed:
            return [("an index", "RANGE", "NODE", [self.indexed[0]], [self.indexed[1]])]
        return []

    def count_store(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = [(None, None, None, None, 1), ("Forgotten", None, None, None, 0)]
        rows += [(label, None, None, None, n) for label, n in self.labels.items()]
        counts: Counter[tuple[str, str | None, str | None]] = Counter()
        for (start, type_, end), n in self.edges.items():
            counts.update({(type_, None, None): n, (type_, start, None): n, (type_, None, end): n})
        return rows + [(None, *key, n) for key, n in counts.items()]

    def total(self, start: str | None = None, type_: str | None = None, end: str | None = None) -> int:
        return sum(
            n for (s, t, e), n in self.edges.items() if start in (None, s) and type_ in (None, t) and end in (None, e)
        )

    def part(self, query: str) -> list[tuple[int, ...]]:
        if counted := COUNTED.fullmatch(query):
            label, type_, start, starts_type, ends_type, end, i = counted.groups()
            if label:
                return [(int(i), self.labels.get(label, 0))]
            return [(int(i), self.total(start, type_ or starts_type or ends_type, end))]
        probed = PROBED.fullmatch(query)
        assert probed, f"neither a count nor a probe: {query}"
        start, type_, end, i = probed.groups()
        return [(int(i),)] if self.total(start, type_, end) else []

    def owners(self, query: str) -> list[tuple[Any, ...]]:
        if found := SAMPLED.fullmatch(query):
            return self.stretch(found[1], int(found[2]), int(found[3]))
        if found := OWNERS.fullmatch(query):
            first = range(min(int(found[3]), self.size(*found.groups())))
            return [(self.element(found[1], found[2], i),) for i in first]
        if found := KEYS.fullmatch(query):
            scanned = range(min(int(found[3]), self.size(*found.groups())))
            keys = Counter(key for i in scanned for key in self.made(found[1] or found[2], i))
            return list(keys.items())
        if found := COLUMNS.fullmatch(query):
            wanted = re.findall(rf"x\.{NAME} AS v", query)
            stop = min(int(found[4]) + int(found[5]), self.size(*found.groups()))
            rows = [self.made(found[1] or found[2], i) for i in range(int(found[4]), stop)]
            return [tuple(row.get(key) for key in wanted) for row in rows]
        if found := LOOKED_UP.fullmatch(query):
            owner, key, size = found[1] or found[2], found[4], self.size(*found.groups())
            assert found[3] or size <= SMALL.scan or self.indexed == (owner, key), f"unbounded: {query}"
            rows = (self.made(owner, i) for i in range(min(size, int(found[3] or size))))
            return list(islice(((row[key],) for row in rows if key in row), int(found[6])))
        found = DISTINCT.fullmatch(query)
        assert found, f"unbounded: {query}"
        assert self.size(*found.groups()) <= SMALL.scan, f"unbounded: {query}"
        wanted = re.findall(rf"x\.{NAME}", found[3])
        rows = [self.made(found[1] or found[2], i) for i in range(self.size(*found.groups()))]
        return [tuple(len({row.get(key) for row in rows} - {None}) for key in wanted)]

    def stretch(self, type_: str, skip: int, most: int) -> list[tuple[Any, ...]]:
        """The edges of a type lie in the order of the plan."""
        rows, at = [], 0
        for (start, t, end), n in self.edges.items():
            if t == type_:
                inside = min(at + n, skip + most) - max(at, skip)
                rows += [([start], [end], inside)] if inside > 0 else []
                at += n
        return rows

    def size(self, label: str | None, type_: str | None, *_: Any) -> int:
        return self.labels[label] if label else self.total(type_=type_)

    def made(self, owner: str, i: int) -> dict[str, Any]:
        return self.properties.get(owner, lambda _: {})(i)

    def element(self, label: str | None, type_: str | None, i: int) -> Node | Edge:
        if label:
            return Node(f"{label}{i}", f"{label}{i}", (label,), self.made(label, i))
        return Edge(f"{type_}{i}", str(type_), "", "", self.made(str(type_), i))


def shop(**options: Any) -> BigServer:
    """Ten million purchases, a million reviews, and one shop."""
    return BigServer(
        labels={"Customer": 3 * MILLION, "Product": 2 * MILLION, "Service": MILLION, "Shop": 1},
        edges={
            ("Customer", "BOUGHT", "Product"): 9 * MILLION - 5,
            ("Customer", "BOUGHT", "Service"): 5,
            ("Customer", "RATED", "Product"): 600_000,
            ("Shop", "RATED", "Service"): 1,
            ("Customer", "RATED", "Service"): 399_999,
            ("Shop", "SELLS", "Product"): 20,
        },
        properties={
            "Customer": lambda i: {"name": f"Customer {'abcdefghij'[i % 10]}{i}", "city": ["Lima", "Oslo"][i % 2]},
            "Product": lambda i: {"sku": f"P-{i}", **({"recalled": True} if i == 9_000 else {})},
            "Shop": lambda _: {"name": "The Only Shop"},
            "RATED": lambda i: {"stars": i % 5},
        },
        **options,
    )


@pytest.mark.parametrize("hands_out_counts", [True, False], ids=["count store at once", "count store by batches"])
def test_everything_is_found_with_bounded_questions(hands_out_counts):
    server = shop(hands_out_counts=hands_out_counts)
    schema = introspect(server, SMALL)
    assert schema.complete
    assert {name: info.count for name, info in schema.labels.items()} == {
        name: Count(n) for name, n in server.labels.items()
    }
    assert schema.types["BOUGHT"].count == Count(9 * MILLION)
    triples = {(e.start, e.type, e.end): e for e in schema.endpoints}
    assert set(triples) == set(server.edges)
    assert all(e.probed for e in triples.values())
    assert len(server.asked) < 60


def test_counts_that_follow_from_the_count_store_are_exact_and_others_marked():
    triples = {(e.start, e.type, e.end): e.count for e in introspect(shop(), SMALL).endpoints}
    assert triples["Customer", "BOUGHT", "Service"] == Count(5)
    assert triples["Customer", "BOUGHT", "Product"] == Count(9 * MILLION - 5)
    assert triples["Shop", "SELLS", "Product"] == Count(20)
    assert triples["Shop", "RATED", "Service"] == Count(1, exact=False)
    assert not triples["Customer", "RATED", "Product"].exact
    assert triples["Customer", "RATED", "Product"].value <= 600_000


def test_a_rare_label_keeps_its_properties():
    shop_ = introspect(shop(), SMALL).labels["Shop"]
    assert (shop_.naming, shop_.properties["name"].samples) == ("name", ("The Only Shop",))


def test_labels_that_nothing_bears_any_more_are_left_out():
    assert "Forgotten" not in introspect(shop(), SMALL).labels
    assert "Forgotten" not in introspect(shop(hands_out_counts=False), SMALL).labels


def test_properties_of_large_labels_are_estimates():
    schema = introspect(shop(), SMALL)
    customer = schema.labels["Customer"]
    name, city = customer.properties["name"], customer.properties["city"]
    assert (customer.naming, name.count, name.distinct) == (
        "name",
        Count(3 * MILLION, exact=False),
        Count(3 * MILLION, exact=False),
    )
    assert (city.distinct, set(city.samples)) == (Count(2, exact=False), {"Lima", "Oslo"})
    recalled = schema.labels["Product"].properties["recalled"]
    assert (recalled.samples, recalled.count) == ((True,), Count(200, exact=False))


def test_an_index_leads_to_a_key_beyond_the_scan():
    server = shop(indexed=("Product", "banned"))
    plain = server.properties["Product"]
    server.properties["Product"] = lambda i: {**plain(i), **({"banned": "yes"} if i == 500_000 else {})}
    banned = introspect(server, SMALL).labels["Product"].properties["banned"]
    assert (banned.samples, banned.count, banned.indexed) == (("yes",), Count(1, exact=False), True)


def test_triples_beyond_the_allowance_are_unprobed_and_never_excluded():
    schema = introspect(shop(), replace(SMALL, probes=0))
    triples = {(e.start, e.type, e.end): e.probed for e in schema.endpoints}
    assert not triples["Shop", "RATED", "Product"]
    assert triples["Customer", "BOUGHT", "Service"]
    assert not schema.complete


def test_probes_that_time_out_leave_their_triples_unprobed_and_the_others_confirmed():
    schema = introspect(shop(slow=lambda query: "(:`Shop`)-[:`RATED`]->(:`Product`)" in query), SMALL)
    triples = {(e.start, e.type, e.end): e.probed for e in schema.endpoints}
    assert not triples["Shop", "RATED", "Product"]
    assert not schema.complete


def test_what_runs_out_of_time_is_marked_and_the_rest_is_there():
    schema = introspect(shop(slow=lambda query: "`Product`" in query and "RETURN x" in query), SMALL)
    assert not schema.complete
    assert schema.labels["Product"].count == Count(2 * MILLION)
    assert schema.labels["Customer"].naming == "name"


def test_no_time_at_all_is_no_error():
    server = shop(slow=lambda _: True)
    schema = introspect(server, SMALL)
    assert (dict(schema.labels), schema.complete) == ({}, False)


def test_a_server_that_goes_away_is_an_error():
    def gone(query: str) -> bool:
        raise ServerGone(f"the server went away during {query}")

    with pytest.raises(ServerGone):
        introspect(shop(slow=gone))


def wide(labels: int, types: int, **options: Any) -> BigServer:
    """Many labels and types, each type between three pairs of labels, all of them large."""
    names = [f"L{i}" for i in range(labels)]
    ends = {
        (names[(7 * t + j) % labels], f"T{t}", names[(11 * t + 5 * j) % labels]): 40_000 - j
        for t in range(types)
        for j in range(3)
    }
    return BigServer(dict.fromkeys(names, 30_000), ends, {"L5": lambda i: {f"k{j}": i for j in range(40)}}, **options)


def test_wide_graphs_take_few_questions():
    server = wide(300, 100)
    schema = introspect(server, Budget(scan=1_000, probes=500))
    assert len(schema.labels) == 300
    assert len(schema.labels["L5"].properties) == 40
    assert {(e.start, e.type, e.end) for e in schema.endpoints if e.probed} == set(server.edges)
    assert len(server.asked) < 1_500


def test_wide_graphs_without_count_store_stay_within_bounds():
    server = wide(300, 100, hands_out_counts=False)
    schema = introspect(server, Budget(scan=1_000, probes=500))
    assert len(server.asked) < 1_500
    assert len(schema.labels) == 300
    assert not schema.complete


def test_a_rare_label_keeps_its_properties_where_time_runs_out():
    server = wide(300, 100, seconds=0.5)
    server.labels["Rare"] = 1
    server.properties["Rare"] = lambda _: {"name": "The Only One"}
    schema = introspect(server, Budget(scan=1_000), clock=lambda: server.now)
    assert server.now <= 31
    assert not schema.complete
    assert (len(schema.labels), schema.labels["Rare"].naming) == (301, "name")


def test_the_fingerprint_is_cheap_and_follows_counts():
    server = shop()
    before = fingerprint(server)
    assert len(server.asked) <= 3
    assert fingerprint(shop()) == before
    changed = shop()
    changed.labels["Shop"] = 2
    assert fingerprint(changed) != before


def test_the_fingerprint_follows_a_version_where_there_is_one():
    class Versioned(BigServer):
        at = "1"

        def data_version(self) -> str:
            return self.at

    server = Versioned({"A": 1}, {})
    before = fingerprint(server)
    assert fingerprint(server) == before
    server.at = "2"
    assert fingerprint(server) != before

"""From a parsed question to a query: which of what it names is returned, counted, grouped by, sorted by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arcgraph.domain import PropertyInfo
from arcgraph.graph.pattern import (
    Absent,
    Aggregate,
    Binding,
    Descriptor,
    Direction,
    Entity,
    Expression,
    Filter,
    Grouped,
    Having,
    Hop,
    Measure,
    Order,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.english import ARTICLES, COPULAS, FUNCTION_WORDS, YES_NO_STARTS
from arcgraph.interpret.forms import form_of
from arcgraph.interpret.literals import Literal as Written
from arcgraph.interpret.marks import Deed, Mark, Superlative
from arcgraph.interpret.operators import MEASURES, PLACEHOLDERS
from arcgraph.interpret.tables.arrows import directions
from arcgraph.interpret.tables.catalog import Catalog, Holder
from arcgraph.interpret.tables.denial import Denial, denier, flag_denier
from arcgraph.interpret.tables.english import (
    ADDING,
    APART_WORDS,
    ASKING_WORDS,
    CLAUSE_OPENERS,
    CLOSING_VERBS,
    FIRST_WORDS,
    KNOWN_WORDS,
    MOST_WORDS,
    OPPOSING_PREFIXES,
    PLACING,
    RANK_WORDS,
)
from arcgraph.interpret.tables.mentions import Asked
from arcgraph.interpret.tables.parse import (
    Draft,
    Link,
    Test,
    Use,
    covers,
    is_agent_noun,
    name_of_hop,
    name_of_node,
    variable_of,
)
from arcgraph.interpret.verbalise import phrase, split_name

THING = "x"
_COUNTED = "number"
# An average of counts of which no word says what they are counted for.
_IMPLIED = 1.5
# Marks that change what is asked: an answer that does not follow one answers another question.
_CHANGING = frozenset(
    (
        Deed.SUPERLATIVE, Deed.AGGREGATE, Deed.GROUP, Deed.NEGATION, Deed.EITHER, Deed.ORDER, Deed.LIMIT, Deed.HAVING,
        Deed.RELATIVE,
    )
)  # fmt: skip
# A word this far behind a mark is still what the mark is about, in words.
_REACH = 8
_NEXT = 3
# A property that a word means only by association is no column but at the head.
_VAGUE = -0.7
# What is asked for is told by its name.
_NAMED_ITSELF = 1.5
# The top few of what nothing is said to sort.
_BY_NOTHING = 0.3
# A property of another kind than the question word asks for.
_UNASKED = 3.0
_NUMERIC = ("integer", "float")
_EACH = frozenset("all each their these those its every distinct unique".split())
_MOMENT = ("date", "datetime", "localdatetime", "time", "localtime")
_Function = Literal["count", "sum", "avg", "min", "max", "collect", "exists"]


@dataclass(frozen=True, slots=True)
class Output:
    """One column: an expression, its words, and whether it is a group key or plain column rather than an aggregate."""

    expression: Expression
    words: str
    entity: int = -1


@dataclass(frozen=True, slots=True)
class Query:
    """A pattern that answers, its columns in words, and the node whose entities are the answer, if any.

    ``unmet`` are the marks of the question that change what is asked and that the pattern does not follow.
    """

    pattern: Pattern
    words: str
    entity: int = -1
    loose: float = 0.0
    unmet: tuple[Mark, ...] = ()


class Columns:
    """Decides the columns of drafts of one question."""

    def __init__(self, catalog: Catalog, asked: Asked, draft: Draft):
        self._catalog = catalog
        self._asked = asked
        self._draft = draft
        self._uses = sorted(draft.uses, key=lambda use: use.first)
        self._marks = sorted(draft.marks, key=lambda mark: mark.start)
        self._taken: set[int] = set()
        self._met: set[Mark] = set()
        self._loose = 0.0
        self._ways = directions(asked, draft)
        # The aggregates that only sort, by the superlatives that say so.
        self._measures = dict(self._sorting_aggregates())
        # What is counted for each node number ``per`` before it is aggregated, and conditions on these counts.
        self._counted: Output | None = None
        self._per = -1
        self._measured: list[Having] = []
        self._closing = asked.units[asked.closing].start if asked.closing is not None else None
        # What is said to be so, or not ("accepted answers").
        self._flags = [use for use in self._uses if self._is_flag(use)]
        self._amounts = self._compared_amounts()

    # --- the query -----------------------------------------------------------------------------------------------

    def query(self) -> Query | None:
        """The query of the draft; ``None`` where nothing is asked for."""
        aggregates = list(self._aggregates())
        for use in self._uses:
            plain = [m for m in self._asked.marks if covers(self._asked, use, m) and not m.doubtful]
            if use.kind == "property" and plain and not self._draft.marks and not self._is_named(use.at):
                self._loose += 0.5
        order, limit, hidden, more = self._ordered(aggregates)
        aggregates += more
        keys = [k for k in self._groups() if k.entity < 0 or k.entity != self._per] if aggregates else []
        having = list(self._having(aggregates, keys))
        keys += [o for o in self._plain(aggregates) if o.expression not in {k.expression for k in keys}]
        outputs = _distinct([*keys, *aggregates])
        # What only sorts is not what is asked for.
        asked_for = [use for n, use in enumerate(self._uses) if n not in self._taken]
        self._loose += sum(_UNASKED for use in asked_for if self._is_another_kind(use))
        entity = -1
        if not outputs:
            entity = self._asked_node()
            outputs = [Output(Entity(name_of_node(entity)), phrase(self._draft.nodes[entity].label), entity)]
            if self._is_yes_no():
                outputs, entity = [Output(Aggregate("exists"), "whether there is any")], -1
        elif not aggregates and (adding := self._added_to(outputs)) is not None:
            outputs = [self._named(adding), *(self._named(o) for o in outputs)]
        elif len(outputs) == 1 and outputs[0].entity >= 0:
            entity = outputs[0].entity
        elif not self._marks_deed(Deed.SUPERLATIVE) or limit != 1:
            outputs = [self._named(o) for o in outputs]
        if entity >= 0 and self._draft.hops and self._is_called(entity):
            # What is named is hardly what is asked for.
            self._loose += _NAMED_ITSELF
        # What things are counted or averaged by for their order is shown beside them.
        shown = [h for h in hidden if isinstance(h.expression, Aggregate) and not aggregates]
        if shown:
            outputs = [*(outputs if entity >= 0 else map(self._named, outputs)), *shown]
        return self._built(outputs, hidden, having, order, limit, entity)

    def _built(
        self, outputs: Sequence[Output], hidden: Sequence[Output], having: Sequence[tuple[Output, Having]],
        order: tuple[Expression, bool] | None, limit: int | None, entity: int,
    ) -> Query | None:  # fmt: skip
        match = self._match()
        columns: list[Projection] = []
        for output in outputs:
            one = output if entity >= 0 else self._named(output)
            columns.append(Projection(one.expression, THING if one.entity >= 0 else _fresh(one.words, columns)))
        extra = [o.expression for o in hidden] + [o.expression for o, _ in having]
        for expression in dict.fromkeys(extra):
            if all(c.expression != expression for c in columns):
                columns.append(Projection(expression, f"m{len(columns)}", hidden=True))
        named = {c.expression: c.name for c in columns}
        conditions = tuple(replace(h, column=named[o.expression]) for o, h in having)
        orders: tuple[Order, ...] = ()
        if order is not None and order[0] in named:
            orders = (Order(named[order[0]], order[1]),)
        is_grouped = any(isinstance(c.expression, Aggregate) for c in columns)
        if self._clashes(columns):
            return None
        pattern = replace(
            match, returns=tuple(columns), distinct=not is_grouped, having=conditions, order=orders, limit=limit,
            grouped=self._grouped(),
        )  # fmt: skip
        denied = Denial(self._asked, self._draft, self._uses, self._flags)
        pattern = denied.applied(pattern)
        self._met |= denied.met
        words = self._words(pattern, outputs, hidden, having, denied)
        return Query(pattern, words, entity, self._loose, tuple(self._unmet()))

    def _grouped(self) -> Grouped | None:
        if self._counted is None:
            return None
        return Grouped(
            (name_of_node(self._per),), (Projection(self._counted.expression, _COUNTED),), tuple(self._measured)
        )

    def _clashes(self, columns: Sequence[Projection]) -> bool:
        """Whether a column aggregates what is gone once counts are aggregated."""
        aggregates = [c.expression for c in columns if isinstance(c.expression, Aggregate)]
        plain = [a.of for a in aggregates if not isinstance(a.of, Measure)]
        return self._counted is not None and any(o is None or o.owner != name_of_node(self._per) for o in plain)

    def _unmet(self) -> Iterator[Mark]:
        """Marks that change what is asked, that nothing was made of, and that no name or value has for a word."""
        has_aggregate = self._marks_deed(Deed.AGGREGATE) or self._marks_deed(Deed.SUPERLATIVE)
        for mark in self._asked.marks:
            is_done = mark in self._met or any(covers(self._asked, use, mark) for use in self._uses)
            if mark.deed not in _CHANGING or is_done:
                continue
            if mark.deed == Deed.EITHER:
                if self._chooses(mark):
                    yield mark
            elif not mark.doubtful and (mark.deed != Deed.GROUP or has_aggregate):
                yield mark

    def _chooses(self, mark: Mark) -> bool:
        """Whether "or" stands right beside what the query asks for, so that the other choice is left out of it or is
        asked for as well."""
        if mark.text.lower() != "or":
            return False
        ends = max((e for u in self._uses if (e := self._asked.units[u.last - 1].end) <= mark.start), default=None)
        begins = min((b for u in self._uses if (b := self._char(u)) >= mark.end), default=None)
        is_before = ends is not None and not self._between(ends, mark.start)
        return is_before or (begins is not None and not self._between(mark.end, begins))

    # --- the match -----------------------------------------------------------------------------------------------

    def _match(self) -> Pattern:
        nodes = tuple(PatternNode(name_of_node(i), (n.label,)) for i, n in enumerate(self._draft.nodes))
        hops = []
        filters: list[Filter] = []
        for i, (link, way) in enumerate(zip(self._draft.hops, self._ways, strict=True)):
            types = tuple(map(Descriptor, (link.type, *link.others)))
            hops.append(Hop(name_of_hop(i), name_of_node(link.start), name_of_node(link.end), types, way))
            filters += [f for t in link.tests for f in self._filters(name_of_hop(i), t)]
        bindings: list[Binding] = []
        for i, node in enumerate(self._draft.nodes):
            named = [t for t in node.tests if self._names(node.label, t)]
            bindings += [Binding(name_of_node(i), t.key, _listed(t.conditions[0].right)) for t in named]
            filters += [f for t in node.tests if t not in named for f in self._filters(name_of_node(i), t)]
        filters += [*self._known(), *self._amount_filters()]
        return Pattern(nodes, tuple(hops), tuple(bindings), filters=tuple(filters))

    def _compared_amounts(self) -> dict[int, Mark]:
        """Numbers that are compared by what stands behind them ("more than 100 views"), by the use that this is."""
        found: dict[int, Mark] = {}
        for mark in self._marks:
            at = self._next_use(mark.end, 1) if mark.deed == Deed.HAVING and isinstance(mark.value, Written) else None
            use = self._uses[at] if at is not None else None
            if at is None or use is None or use.kind != "property" or use.spent or use.at < 0:
                continue
            if self._is_number(use) and mark.value.bounds("integer") is not None:
                found[at] = mark
                self._met.add(mark)
                self._taken.add(at)
        return found

    def _amount_filters(self) -> Iterator[Filter]:
        for at, mark in self._amounts.items():
            of = self._property(self._uses[at], numeric=True)
            for operator, value in _comparisons(mark.value.bounds("integer")):
                yield Filter(of, operator, value)

    def _names(self, label: str, test: Test) -> bool:
        """Whether a test ties a node to names, which a graph finds by its indexes."""
        one = test.conditions[0] if len(test.conditions) == 1 else None
        is_tied = one is not None and one.operator in ("=", "in") and not one.numeric
        return is_tied and test.key in self._catalog.naming(label)

    def _filters(self, variable: str, test: Test) -> Iterator[Filter]:
        for condition in test.conditions:
            right = list(condition.right) if isinstance(condition.right, tuple) else condition.right
            yield Filter(Property(variable, test.key, condition.numeric), condition.operator, right)

    # --- aggregates ----------------------------------------------------------------------------------------------

    def _aggregates(self) -> Iterator[Output]:
        """What is counted, summed up, averaged. In a closing clause only what the body did not say already."""
        all_told = [m for m in self._marks if m.deed == Deed.AGGREGATE and m not in self._measures.values()]
        told = [m for m in all_told if not self._in_closing(m.start)]
        said = [m for m in all_told if self._in_closing(m.start)]
        self._met.update(said if told else ())
        for mark in told or said:
            if mark in self._met and mark not in said:
                continue
            found = list(self._aggregate(mark))
            self._met.update((mark,) if found else ())
            yield from found

    def _aggregate(self, mark: Mark) -> Iterator[Output]:
        function: _Function = mark.value
        if function not in ("count", "sum", "avg", "min", "max"):
            self._loose += 2.0
            return
        counting = self._counting_behind(mark)
        if counting is not None and self._counted is None:
            yield from self._of_counts(counting, function)
            return
        at = self._next_use(mark.end, 5)
        of = self._next_property(mark.end)
        if function == "count" or (of is None and function == "sum"):
            if at is not None and self._adds_up(at, mark):
                self._taken.add(at)
                use = self._uses[at]
                yield Output(Aggregate("sum", self._property(use, numeric=True)), f"{_FUNCTIONS['sum']} {_words(use)}")
            elif at is not None:
                yield self._count(at)
            elif self._draft.nodes:
                yield Output(Aggregate("count", Entity(name_of_node(0)), distinct=True), "count")
            return
        if of is None:
            of = self._last_property(mark.start)
        if of is not None and function in ("avg", "sum") and not self._is_number(self._uses[of]):
            of = None
        if of is None:
            self._loose += 2.0
            return
        if covers(self._asked, self._uses[of], mark) and self._is_named(self._uses[of].at):
            self._loose += 0.5
        following: int | None = of
        while following is not None and (following == of or self._is_number(self._uses[following])):
            use = self._uses[following]
            self._taken.add(following)
            measure = self._property(use, numeric=True)
            yield Output(Aggregate(function, measure), f"{_FUNCTIONS[function]} {_words(use)}")
            following = self._joined_property(following)

    def _adds_up(self, at: int, mark: Mark) -> bool:
        """Whether "how many" asks for an amount that edges or nodes hold ("how many hours"), and not for a number of
        different ones."""
        use = self._uses[at]
        if use.kind != "property" or use.spent or use.at < 0 or use.log < _VAGUE or not self._is_number(use):
            return False
        info = self._catalog.info(self._holder(use))
        words = [unit.text for unit in self._asked.units[: use.last]]
        is_plural = words[-1].endswith("s") and not form_of(info).is_moment and not info.unique
        return is_plural and not any(m.deed == Deed.DISTINCT and m.start >= mark.start for m in self._asked.marks)

    def _counting_behind(self, mark: Mark) -> Mark | None:
        """The mark that counts right behind another aggregate ("the average number of")."""
        behind = (m for m in self._marks if m.deed == Deed.AGGREGATE and m.value == "count" and m.start >= mark.end)
        return next((m for m in behind if not self._between(mark.end, m.start)), None)

    def _of_counts(self, counting: Mark, function: _Function) -> Iterator[Output]:
        """An aggregate of the numbers of things that each of some other things has."""
        at = self._next_use(counting.end, 5)
        counted = self._count(at) if at is not None else None
        of = counted.expression.of if counted is not None and isinstance(counted.expression, Aggregate) else None
        if at is None or counted is None or not isinstance(of, Entity):
            return
        per = self._counted_for(at, of.owner)
        if per is None:
            return
        self._counted, self._per = counted, per
        self._met.add(counting)
        words = f"{_FUNCTIONS[function]} {counted.words} per {phrase(self._draft.nodes[per].label)}"
        yield Output(Aggregate(function, Measure(_COUNTED)), words)

    def _counted_for(self, at: int, counted: str) -> int | None:
        """The node for each of which something is counted: what is spoken of behind the counted, first of all where
        "per" or "each" stands before it."""
        behind = [u for u in self._uses[at + 1 :] if u.side == "node" and u.kind in ("label", "value") and u.at >= 0]
        others = [u for u in behind if name_of_node(u.at) != counted and not self._in_closing(self._char(u))]
        told = [u for u in others if u.kind == "label" and self._follows_group(u)]
        self._loose += 0.0 if told else _IMPLIED
        return next((u.at for u in (*told, *others)), None)

    def _follows_group(self, use: Use) -> bool:
        ends = (m.end for m in self._marks if m.deed == Deed.GROUP and m.end <= self._char(use))
        return any(not self._between(end, self._char(use)) for end in ends)

    def _count(self, at: int) -> Output:
        use = self._uses[at]
        if use.kind == "property" and use.at >= 0 and not use.spent:
            self._taken.add(at)
            return Output(Aggregate("count", self._property(use), distinct=True), f"number of {_words(use)}")
        if use.side == "relationship":
            hop = self._draft.hops[use.at]
            node = hop.start if use.at == 0 and not self._draft.nodes[hop.start].said else hop.end
        else:
            node = use.at
        label = self._draft.nodes[node].label
        self._taken.add(at)
        return Output(Aggregate("count", Entity(name_of_node(node)), distinct=True), f"number of {phrase(label)}")

    def _next_use(self, start: int, within: int) -> int | None:
        """The first use behind a character."""
        for n, use in enumerate(self._uses):
            is_behind = self._char(use) >= start and self._between(start, self._char(use)) <= within
            if is_behind and use not in self._flags:
                return n
        return None

    def _next_property(self, start: int) -> int | None:
        """The first open property behind a character."""
        for n, use in enumerate(self._uses):
            if (
                self._asked.units[use.last - 1].end <= start
                or use.kind != "property"
                or use.spent
                or n in self._taken
                or use.is_name
            ):
                continue
            return n if self._between(start, self._char(use)) <= _REACH else None
        return None

    def _last_property(self, end: int) -> int | None:
        found = [
            n for n, use in enumerate(self._uses)
            if self._char(use) < end and use.kind == "property" and not use.spent and n not in self._taken
            and self._between(self._char(use), end) <= _NEXT
        ]  # fmt: skip
        return found[-1] if found else None

    def _is_another_kind(self, use: Use) -> bool:
        """Whether a property is an amount or a moment where a place or a person is asked for ("where … born")."""
        opening = self._asked.units[0].text if self._asked.units else ""
        if self._asked.goes_on(use.first):
            return False
        if opening not in ("where", "who", "whom") or use.kind != "property" or use.spent or use.at < 0:
            return False
        return form_of(self._catalog.info(self._holder(use))).meaning in (*_NUMERIC, *_MOMENT)

    def _is_named(self, node: int) -> bool:
        """Whether a node is told by its name, so that there is one, and nothing to take an average of."""
        told = any(u.kind == "value" and u.is_name and u.side == "node" and u.at == node for u in self._uses)
        return told and "all" not in [unit.text for unit in self._asked.units]

    def _is_called(self, node: int) -> bool:
        """Whether a node is the one of some name."""
        tests = self._draft.nodes[node].tests
        return any(len(_listed(t.conditions[0].right)) == 1 for t in tests
                   if self._names(self._draft.nodes[node].label, t) and t.conditions[0].operator == "=")  # fmt: skip

    def _is_number(self, use: Use) -> bool:
        info = self._catalog.info(self._holder(use))
        return info.type in (*_NUMERIC, "duration") or self._property(use, numeric=True).numeric

    def _char(self, use: Use) -> int:
        return self._asked.units[use.first].start

    def _between(self, start: int, end: int) -> int:
        """How many words begin between two characters."""
        return sum(1 for unit in self._asked.units if start <= unit.start < end)

    def _in_closing(self, char: int) -> bool:
        return self._closing is not None and char >= self._closing

    # --- groups --------------------------------------------------------------------------------------------------

    def _groups(self) -> Iterator[Output]:
        """What stands behind "per", "for each", "by"; and what is joined to it with "and"."""
        for mark in (*self._marks, *self._parted()):
            if mark.deed != Deed.GROUP:
                continue
            if self._in_closing(mark.start):
                # What else stands there is a key by itself.
                self._met.add(mark)
                continue
            at = self._next_use(mark.end, _NEXT)
            while at is not None:
                self._met.add(mark)
                yield from self._key(at)
                at = self._joined(self._compound(at))
        if any(unit.text in APART_WORDS for unit in self._asked.units):
            yield from self._told_apart()

    def _parted(self) -> list[Mark]:
        """A "by" that may mean anything, right before a property that it then groups by."""
        doubtful = [m for m in self._asked.marks if m.doubtful and m.deed == Deed.GROUP and m not in self._marks]
        return [m for m in doubtful if (at := self._next_use(m.end, 0)) is not None and self._is_open(at)]

    def _told_apart(self) -> Iterator[Output]:
        """The properties of which several values are named, each of them for itself ("men and women separately")."""
        for i, node in enumerate(self._draft.nodes):
            for test in node.tests:
                if len(test.conditions) == 1 and test.conditions[0].operator == "in":
                    yield Output(Property(name_of_node(i), test.key), phrase(test.key))

    def _key(self, at: int) -> Iterator[Output]:
        while self._is_compound(at):
            at += 1
        use = self._uses[self._compound(at)]
        self._taken.update((at, self._compound(at)))
        yield from self._outputs(use)

    def _compound(self, at: int) -> int:
        """The property right behind a label ("officer rank"), else the use itself."""
        follows = at + 1
        if (
            self._uses[at].kind == "label"
            and follows < len(self._uses)
            and self._uses[follows].kind == "property"
            and all(u.text == "s" for u in self._asked.units[self._uses[at].last : self._uses[follows].first])
            and self._uses[follows].at == self._uses[at].at
        ):
            return follows
        return at

    def _joined_property(self, at: int) -> int | None:
        """The property joined to another by nothing but "and" ("the average height and weight")."""
        joined = self._joined(at)
        return joined if joined is not None and self._is_open(joined) else None

    def _is_open(self, n: int) -> bool:
        use = self._uses[n]
        return use.kind == "property" and not use.spent and use.at >= 0 and n not in self._taken

    def _joined(self, at: int) -> int | None:
        follows = at + 1
        if follows >= len(self._uses):
            return None
        one, other = self._uses[at], self._uses[follows]
        between = [unit.text for unit in self._asked.units[one.last : other.first]]
        is_joined = (
            0 < len(between) <= 3 and between[0] == "and" and all(w in ("and", "the", "their", "each") for w in between)
        )
        return follows if is_joined and other.kind in ("label", "property") else None

    # --- having, order -------------------------------------------------------------------------------------------

    def _having(self, aggregates: Sequence[Output], keys: Sequence[Output]) -> Iterator[tuple[Output, Having]]:
        for mark in self._marks:
            if mark.deed != Deed.HAVING or not isinstance(mark.value, Written):
                continue
            at = self._next_use(mark.end, 2)
            bounds = mark.value.bounds("integer")
            if at is None or bounds is None:
                self._loose += 2.0
                continue
            if at in self._amounts:
                continue
            counted = self._count(at)
            self._met.add(mark)
            if self._counted is None and not keys:
                self._look_at_each(counted, aggregates)
            for operator, value in _comparisons(bounds):
                if self._counted is not None and counted.expression == self._counted.expression:
                    self._measured.append(Having(_COUNTED, operator, value))
                else:
                    yield counted, Having("", operator, value)

    def _look_at_each(self, counted: Output, aggregates: Sequence[Output]) -> None:
        """Counts for each of what is counted or averaged itself ("how many people have more than two cars")."""
        of = aggregates[0].expression if len(aggregates) == 1 else None
        things = of.of if isinstance(of, Aggregate) else None
        owner = getattr(things, "owner", None)
        per = next((i for i in range(len(self._draft.nodes)) if name_of_node(i) == owner), None)
        if per is not None and isinstance(counted.expression, Aggregate) and counted.expression.of != things:
            self._counted, self._per = counted, per

    def _ordered(
        self, aggregates: Sequence[Output]
    ) -> tuple[tuple[Expression, bool] | None, int | None, list[Output], list[Output]]:
        """Order with whether it descends, limit, hidden measures, and extremes that are asked for by themselves."""
        order: tuple[Expression, bool] | None = None
        limit = self._limit()
        hidden: list[Output] = []
        extremes: list[Output] = []
        for mark in sorted((*self._marks, *self._told_behind()), key=_is_rank):
            if mark.deed == Deed.SUPERLATIVE and isinstance(mark.value, Superlative):
                if order is not None and self._puts_first(mark):
                    self._met.add(mark)
                    order = (order[0], mark.value.amount == "desc")
                    continue
                found = self._superlative(mark, mark.value) if order is None else None
                if found is None:
                    self._cut(mark, mark.value, is_sorted=order is not None)
                    continue
                self._met.add(mark)
                expression, descending, is_extreme = found
                if is_extreme:
                    extremes.append(expression)
                    continue
                order = (expression.expression, self._told_way(mark.value, descending))
                hidden.append(expression)
                limit = mark.value.limit or limit or 1
            elif mark.deed == Deed.ORDER and order is None:
                target = self._order_target(mark, aggregates)
                if target is not None:
                    self._met.update(m for m in self._marks if m.deed == Deed.ORDER)
                    order = (target, mark.value == "desc" or self._descends())
                    hidden += [Output(target, "")] if not isinstance(target, Aggregate) else []
        return order, limit, hidden, extremes

    def _puts_first(self, mark: Mark) -> bool:
        """Whether a superlative only says which way rows are sorted ("sorted by price, highest first")."""
        follows = self._asked.text[mark.end :].lower().lstrip()
        return follows.startswith("first") and any(m.deed == Deed.ORDER and m.end <= mark.start for m in self._marks)

    def _limit(self) -> int | None:
        """How many rows are asked for: by a limit, or by a rank beside what sorts ("the top 5 with the most …")."""
        limits = [m for m in self._marks if m.deed == Deed.LIMIT]
        self._met.update(limits[:1])
        ranks = [m.value.limit for m in self._marks if m.deed == Deed.SUPERLATIVE and _is_rank(m) and m.value.limit]
        return limits[0].value if limits else next(iter(ranks), None)

    def _cut(self, mark: Mark, value: Superlative, *, is_sorted: bool) -> None:
        """Follows a superlative that sorts by nothing: a rank is a limit."""
        if _is_rank(mark) and value.limit and (is_sorted or value.word in FIRST_WORDS):
            self._met.add(mark)
            self._loose += 0.0 if is_sorted or value.moment else _BY_NOTHING
        elif not is_sorted:
            self._loose += 1.5

    def _told_way(self, value: Superlative, descending: bool) -> bool:
        """Whether the rows descend where words say so by themselves ("the first 3 by size in descending order")."""
        orders = [m for m in self._marks if m.deed == Deed.ORDER and m.value]
        if value.word not in RANK_WORDS or not orders:
            return descending
        self._met.update(orders)
        return bool(orders[0].value == "desc")

    def _sorting_aggregates(self) -> Iterator[tuple[Mark, Mark]]:
        """Superlatives with the aggregates that they sort by ("the largest number of", "the top 5 by average")."""
        superlatives = [m for m in self._marks if m.deed == Deed.SUPERLATIVE]
        for mark in self._marks:
            if mark.deed != Deed.AGGREGATE:
                continue
            beside = [m for m in superlatives if m.end <= mark.start and not self._between(m.end, mark.start)]
            before = [m for m in superlatives if _is_rank(m) and m.end <= mark.start and self._is_by(mark.start)]
            yield from ((m, mark) for m in (*beside, *before)[:1])

    def _is_by(self, char: int) -> bool:
        """Whether "by" or "based on" stands before a character, articles aside."""
        idle = ARTICLES | _EACH
        before = [unit.text for unit in self._asked.units if unit.start < char and unit.text not in idle]
        return before[-1:] == ["by"] or before[-2:] in ([["based", "on"]])

    def _told_behind(self) -> list[Mark]:
        """Words such as "first" that may mean anything, right behind a moment that they then order ("born first")."""
        doubtful = [m for m in self._asked.marks if m.doubtful and m.deed == Deed.SUPERLATIVE and m not in self._marks]
        return [m for m in doubtful if any(self._is_before(self._uses[n], m) for n in self._sorted_by(m))]

    def _descends(self) -> bool:
        return any(m.deed == Deed.ORDER and m.value == "desc" for m in self._marks)

    def _order_target(self, mark: Mark, aggregates: Sequence[Output]) -> Expression | None:
        at = self._next_use(mark.end, _NEXT)
        if at is not None and self._uses[at].kind == "property" and self._uses[at].at >= 0:
            self._taken.add(at)
            by = self._property(self._uses[at], numeric=True)
            of = (a.expression for a in aggregates if isinstance(a.expression, Aggregate) and a.expression.of == by)
            return next(of, by)
        return aggregates[0].expression if aggregates else None

    def _superlative(self, mark: Mark, value: Superlative) -> tuple[Output, bool, bool] | None:
        """The measure, whether it descends, and whether its extreme itself is asked for."""
        if mark in self._measures:
            counted = next(self._aggregate(self._measures[mark]), None)
            if counted is None or self._counts_itself(counted):
                return None
            self._met.add(self._measures[mark])
            return counted, value.amount != "asc", False
        at = self._next_use(mark.end, 2)
        if at is None or self._uses[at].kind == "label":
            # "founded first", "the top 3 films by length"
            at = next((n for n in self._sorted_by(mark) if n not in self._taken), at)
        if at is None and value.word in MOST_WORDS and (said := self._verb_before(mark)) is not None:
            return self._count(said), value.amount == "desc", False
        if at is None:
            return self._by_measure(self._asked_node(), value) or (
                self._of_moment(self._asked_node(), value) if value.moment else None
            )
        use = self._uses[at]
        is_open = use.kind == "property" and not use.spent and use.at >= 0
        if is_open and self._sorts(use, value) and not self._is_listing(mark, value, use):
            descending = self._descends_by(value, use)
            self._taken.add(at)
            others = [
                u for n, u in enumerate(self._uses)
                if n != at and u.kind != "value" and (self._is_before(u, mark) or u.first < use.first)
            ]  # fmt: skip
            measure = self._property(use, numeric=True)
            is_grouped = self._marks_deed(Deed.GROUP) and self._marks_deed(Deed.AGGREGATE)
            asks_who = self._asked.units[0].text in ("who", "whom", "where")
            if (is_grouped or not (others or asks_who)) and not mark.doubtful and not value.limit:
                function: _Function = "max" if descending else "min"
                words = f"{'highest' if descending else 'lowest'} {_words(use)}"
                return Output(Aggregate(function, measure), words), descending, True
            return Output(measure, _words(use)), descending, False
        if use.kind == "label" and (measured := self._by_measure(use.at, value)):
            return measured
        if use.kind == "label" and value.moment and (found := self._of_moment(use.at, value)):
            return found
        can_count = bool(self._draft.hops) or any(self._is_open(n) for n in range(len(self._uses)))
        if use.kind in ("label", "relation") and value.word in MOST_WORDS and can_count:
            counted = self._count(at)
            return counted, value.amount == "desc", False
        if use.kind == "relation" and value.moment:
            return self._of_moment(self._player(use), value)
        return None

    def _is_listing(self, mark: Mark, value: Superlative, use: Use) -> bool:
        """Whether "the first 3 names" are no first ones of an order, but any of them."""
        begins = self._char(use)
        if value.word not in RANK_WORDS or not value.limit or begins < mark.end or self._is_by(begins):
            return False
        is_moment = form_of(self._catalog.info(self._holder(use))).is_moment
        return not is_moment and (value.word == "first" or not self._is_number(use))

    def _sorts(self, use: Use, value: Superlative) -> bool:
        """Whether a property has an order for a superlative: no text has a largest one."""
        form = form_of(self._catalog.info(self._holder(use)))
        return form.is_moment or self._is_number(use) or form.meaning in _MOMENT or value.word in RANK_WORDS

    def _counts_itself(self, counted: Output) -> bool:
        """Whether each of the things asked for would be counted for itself."""
        of = counted.expression.of if isinstance(counted.expression, Aggregate) else None
        return isinstance(of, Entity) and of.owner == name_of_node(self._asked_node())

    def _verb_before(self, mark: Mark) -> int | None:
        """The relation right before a superlative that counts what was done ("who commented the most")."""
        ends = [(n, self._asked.units[u.last - 1].end) for n, u in enumerate(self._uses) if u.kind == "relation"]
        return next((n for n, end in ends if end <= mark.start and self._between(end, mark.start) <= 1), None)

    def _player(self, use: Use) -> int:
        """The node that a noun for a relation stands for ("the oldest directors")."""
        hop = self._draft.hops[use.at]
        asked = self._asked_node()
        return asked if asked in (hop.start, hop.end) else hop.start

    def _descends_by(self, value: Superlative, use: Use) -> bool:
        """Whether the largest comes first: "oldest" begins with the earliest moment and with the largest amount."""
        is_moment = form_of(self._catalog.info(self._holder(use))).is_moment
        return ((value.moment or value.amount) if is_moment else (value.amount or value.moment)) == "desc"

    def _sorted_by(self, mark: Mark) -> Iterator[int]:
        """Properties that a superlative sorts by: a moment right before it, or what "by" names behind it."""
        units = self._asked.units
        for n, use in enumerate(self._uses):
            if use.kind != "property" or use.spent or use.at < 0:
                continue
            begins, ends = self._char(use), units[use.last - 1].end
            is_before = ends <= mark.start and not self._between(ends, mark.start)
            is_named = begins >= mark.end and self._is_by(begins)
            if is_named or (is_before and form_of(self._catalog.info(self._holder(use))).is_moment):
                yield n

    def _by_measure(self, node: int, value: Superlative) -> tuple[Output, bool, bool] | None:
        """What orders the nodes of a label by what an adjective measures ("cheapest": a price)."""
        measures = MEASURES.get(value.word.split()[-1], frozenset())
        label = self._draft.nodes[node].label
        properties = self._catalog.schema.labels[label].properties
        able = [key for key in properties if measures & set(split_name(key)) and self._is_figure(properties[key])]
        if len(able) != 1:
            return None
        key = Property(name_of_node(node), able[0], properties[able[0]].type == "string")
        return Output(key, phrase(able[0])), (value.amount or "asc") == "desc", False

    def _is_figure(self, info: PropertyInfo) -> bool:
        return info.type in _NUMERIC or form_of(info).writing == "figures"

    def _of_moment(self, node: int, value: Superlative) -> tuple[Output, bool, bool] | None:
        """What orders the nodes of a label in time, where just one of their properties is a moment or a year."""
        label = self._draft.nodes[node].label
        keys = self._catalog.moment_keys(label)
        if len(keys) > 1:
            # An order's own date is its orderDate.
            keys = [key for key in keys if split_name(label)[-1] in split_name(key)]
        if len(keys) != 1:
            return None
        return Output(Property(name_of_node(node), keys[0]), phrase(keys[0])), value.moment == "desc", False

    def _is_before(self, use: Use, mark: Mark) -> bool:
        return self._char(use) < mark.start

    # --- plain columns -------------------------------------------------------------------------------------------

    def _plain(self, aggregates: Sequence[Output]) -> Iterator[Output]:
        """Properties and, in a closing clause, labels that are asked for by themselves."""
        has_closing = self._closing is not None and any(self._in_closing(self._char(u)) for u in self._uses)
        # What is said behind an aggregate is what it is of, and no group.
        grouped_by_rest = bool(aggregates)
        first = min((m.start for m in self._marks if m.deed in (Deed.AGGREGATE, Deed.SUPERLATIVE)), default=0)
        for n, use in enumerate(self._uses):
            closing = self._in_closing(self._char(use))
            if n in self._taken or use.spent or use.kind in ("value", "relation"):
                continue
            if closing and aggregates and self._is_said_again(n):
                continue
            if use.kind == "label":
                asks = n > 0 and use.first > 0 and self._asked.units[use.first - 1].text in ("what", "which")
                if (closing and self._is_column(n)) or self._is_listed(n) or asks:
                    yield from self._outputs(use)
                continue
            if use.log < _VAGUE and n and not closing:
                continue
            if use.at < 0 or (has_closing and not closing and not self._adds()):
                continue
            if use in self._flags:
                continue
            if closing and aggregates and self._is_restated(use, aggregates):
                continue
            if not closing and (self._is_condition(n) or (grouped_by_rest and self._char(use) > first)):
                continue
            if n and not closing and self._only_places(use):
                continue
            yield from self._outputs(use)

    def _is_column(self, n: int) -> bool:
        """Whether a label in the closing clause is one of those listed, and not what another one is of or in."""
        if self._compound(n) != n or self._is_owner(n):
            return False
        for i in range(self._uses[n].first - 1, -1, -1):
            word = self._asked.units[i].text
            if word not in ARTICLES and word not in _EACH:
                break
        behind = self._asked.text[self._asked.units[i].end : self._char(self._uses[n])]
        return "," in behind or word in CLOSING_VERBS or word in ("and", "with", "also", "both")

    def _is_owner(self, n: int) -> bool:
        """Whether a label only says whose property is meant ("the names of the films")."""
        if n == 0:
            return False
        before = self._uses[n - 1]
        between = [unit.text for unit in self._asked.units[before.last : self._uses[n].first]]
        return before.kind == "property" and before.at == self._uses[n].at and "of" in between

    def _is_listed(self, n: int) -> bool:
        """Whether a label at the head is one column beside a property ("all houses and the names of the battles")."""
        follows = n + 1
        if n or follows >= len(self._uses) or self._uses[follows].kind != "property" or self._uses[follows].spent:
            return False
        between = [u.text for u in self._asked.units[self._uses[0].last : self._uses[follows].first]]
        return bool(between) and between[0] == "and" and all(w in FUNCTION_WORDS for w in between)

    def _adds(self) -> bool:
        """Whether the closing clause only adds columns ("and also retrieve")."""
        if self._closing is None:
            return False
        before = self._asked.text[: self._closing].lower().split()[-2:]
        return "also" in before

    def _is_said_again(self, n: int) -> bool:
        """Whether a word for an aggregate stands right beside a use in the closing clause: it was told before."""
        begins, ends = self._char(self._uses[n]), self._asked.units[self._uses[n].last - 1].end
        if n and self._uses[n - 1].kind == "label" and self._uses[n - 1].last == self._uses[n].first:
            # "the average member age"
            begins = self._char(self._uses[n - 1])
        beside = [m for m in self._asked.marks if m.deed == Deed.AGGREGATE and m in self._met]
        return any(
            (m.end <= begins and not self._between(m.end, begins))
            or (m.start >= ends and not self._between(ends, m.start))
            for m in beside
        )

    def _is_restated(self, use: Use, aggregates: Sequence[Output]) -> bool:
        """Whether a property in the closing clause is that of an aggregate, said again."""
        prop = self._property(use, numeric=True)
        return any(isinstance(a.expression, Aggregate) and a.expression.of == prop for a in aggregates)

    def _only_places(self, use: Use) -> bool:
        """Whether a property is a verb that leads to a place or a time ("located in"), where neither is asked for."""
        words = [unit.text for unit in self._asked.units]
        is_verb = words[use.last - 1].endswith("ed") and "".join(words[use.last : use.last + 1]) in PLACING
        return is_verb and words[0] not in ("where", "when")

    def _added_to(self, outputs: Sequence[Output]) -> Output | None:
        """The things asked for, where the columns are what of them is asked for besides: "… with their names", "who …
        and what is …"."""
        asked = [u for u in self._uses if any(o.expression == Property(variable_of(u), k) for o in outputs
                                              for k in u.keys) and u.at >= 0]  # fmt: skip
        if any(o.entity >= 0 for o in outputs) or not asked or self._closing is not None:
            return None
        words = [unit.text for unit in self._asked.units]
        first = min(u.first for u in asked)
        owned = [i for i in range(max(0, first - 2), first) if words[i] in ("their", "its", "his", "her")]
        is_told = any(u.kind == "label" and u.last <= first for u in self._uses)
        is_added = bool(owned) and words[owned[0] - 1] in ADDING and is_told
        going_on = self._asked.going_on
        is_twofold = going_on is not None and first > going_on and words[0] in ("who", "which", "what")
        if not is_added and not is_twofold:
            return None
        node = self._asked_node()
        return Output(Entity(name_of_node(node)), phrase(self._draft.nodes[node].label), node)

    def _subject(self) -> int:
        """Who does what is said first: the end of its edge that no word names."""
        said = next(u for u in self._uses if u.kind == "relation")
        hop = self._draft.hops[said.at]
        nodes = self._draft.nodes
        named = {u.at for u in self._uses if u.kind == "value" and u.side == "node" and u.is_name}
        return min((hop.start, hop.end), key=lambda i: (i in named, nodes[i].said))

    def _asks_for_player(self) -> bool:
        """Whether the relation said first is asked for by "who", or is a noun for those who do it ("the actors")."""
        return self._asked.units[0].text in ("who", "whom") or is_agent_noun(self._asked, self._uses[0], self._uses)

    def _is_condition(self, n: int) -> bool:
        """Whether a property is said to be there rather than asked for ("people who have a phone number")."""
        use = self._uses[n]
        if self._is_known(use) or denier(self._asked, use) is not None:
            return True
        if any(unit.text in CLAUSE_OPENERS for unit in self._asked.units[max(1, self._uses[0].last) : use.first]):
            return True
        before = [unit.text for unit in self._asked.units[max(0, use.first - 3) : use.first]]
        has = any(word in ("have", "has", "having", "had", "with") for word in before) and "along" not in before
        has = has and not {"their", "its"} & set(before)
        return has and any(u.kind in ("label", "property") and not u.spent for u in self._uses[:n])

    def _is_flag(self, use: Use) -> bool:
        """Whether a property is true or false, and no column of the closing clause nor asked for by "whether"."""
        if use.kind != "property" or use.spent or use.at < 0 or self._in_closing(self._char(use)):
            return False
        before = [unit.text for unit in self._asked.units[: use.first]]
        return self._catalog.info(self._holder(use)).type == "boolean" and "whether" not in before

    def _is_opposite(self, use: Use) -> bool:
        """Whether a flag's word is the opposite of its key ("unaccepted")."""
        word, words = self._asked.units[use.last - 1].text, split_name(use.keys[0])
        prefix = next((p for p in OPPOSING_PREFIXES if word.startswith(p)), None)
        return prefix is not None and not any(w.startswith(prefix) for w in words)

    def _is_known(self, use: Use) -> bool:
        """Whether a property is said to have a value at all ("have a known mass", "whose mass is known")."""
        before = [unit.text for unit in self._asked.units[max(0, use.first - 1) : use.first]]
        behind = [unit.text for unit in self._asked.units[use.last : use.last + 2]]
        is_of = any(u.kind in ("label", "property") and not u.spent and u.first < use.first for u in self._uses)
        return (is_of and bool(KNOWN_WORDS & set(before))) or (
            len(behind) == 2 and behind[0] in COPULAS and behind[1] in KNOWN_WORDS
        )

    def _known(self) -> Iterator[Filter]:
        """Conditions that properties have values, and no placeholders for one."""
        for use in self._flags:
            is_denied = (flag_denier(self._asked, use, self._uses) is not None) != self._is_opposite(use)
            yield Filter(self._property(use), "=", not is_denied)
        for use in self._uses:
            is_said = (
                use not in self._flags
                and use.kind == "property"
                and not use.spent
                and use.at >= 0
                and self._is_known(use)
            )
            if not is_said or denier(self._asked, use) is not None:
                continue
            prop = self._property(use)
            yield Filter(prop, "is not null")
            holder = self._holder(use)
            samples = {s for s in self._catalog.info(holder).samples if isinstance(s, str)}
            for text in sorted(s for s in samples if s.casefold() in PLACEHOLDERS):
                yield Filter(prop, "<>", text)

    def _holder(self, use: Use) -> Holder:
        owner = self._draft.nodes[use.at].label if use.side == "node" else self._draft.hops[use.at].type
        return Holder(use.side, owner, use.keys[0])

    def _outputs(self, use: Use) -> Iterator[Output]:
        if use.kind == "label":
            yield Output(Entity(name_of_node(use.at)), phrase(self._draft.nodes[use.at].label), use.at)
            return
        for key in use.keys:
            yield Output(Property(variable_of(use), key), phrase(key))

    def _named(self, output: Output) -> Output:
        """An entity column as its name."""
        if output.entity < 0:
            return output
        key = self._catalog.main_key(self._draft.nodes[output.entity].label)
        return Output(Property(name_of_node(output.entity), key), output.words) if key else output

    def _asked_node(self) -> int:
        """The first node that a word names: of a compound the last word's ("crime scenes"), not one that only a
        value's words name, but where the value stands for the things that have it ("which Sergeants"). "Who" asks for
        whoever does what is said first."""
        if self._uses and self._uses[0].kind == "relation" and self._asks_for_player():
            return self._subject()
        for n, use in enumerate(self._uses):
            if use.kind == "label":
                while self._is_compound(n):
                    n += 1
                return self._uses[n].at
            if use.kind == "value" and use.side == "node" and self._stands_for_things(n):
                return use.at
        return 0

    def _is_compound(self, n: int) -> bool:
        """Whether another label stands right behind a label."""
        if n + 1 == len(self._uses):
            return False
        return self._uses[n + 1].kind == "label" and self._uses[n + 1].first == self._uses[n].last

    def _stands_for_things(self, n: int) -> bool:
        """Whether a value stands where a noun is asked for, and no label behind it is that noun."""
        use = self._uses[n]
        before = self._asked.units[use.first - 1].text if use.first else ""
        follows = self._uses[n + 1] if n + 1 < len(self._uses) else None
        is_noun = follows is not None and follows.kind == "label" and follows.first == use.last
        return before in ASKING_WORDS and not is_noun

    def _is_yes_no(self) -> bool:
        first = self._asked.units[0].text if self._asked.units else ""
        return first in YES_NO_STARTS and "you" not in [u.text for u in self._asked.units[1:2]]

    def _marks_deed(self, deed: Deed) -> bool:
        return any(mark.deed == deed for mark in self._marks)

    # --- properties ----------------------------------------------------------------------------------------------

    def _property(self, use: Use, *, numeric: bool = False) -> Property:
        key = use.keys[0]
        info = self._catalog.info(self._holder(use))
        is_text = info.type == "string" and form_of(info).writing == "figures"
        return Property(variable_of(use), key, numeric and is_text)

    # --- words ---------------------------------------------------------------------------------------------------

    def _words(
        self, pattern: Pattern, outputs: Sequence[Output], hidden: Sequence[Output],
        having: Sequence[tuple[Output, Having]], denied: Denial,
    ) -> str:  # fmt: skip
        text = ", ".join(output.words for output in outputs)
        conditions = [*self._conditions(pattern), *(c for part in pattern.absent for c in self._conditions(part))]
        conditions += [f"{output.words} {having.operator} {having.value}" for output, having in having]
        said = [self._hop_words(link, way) for link, way in zip(self._draft.hops, self._ways, strict=True)]
        if self._counted is not None:
            conditions += [f"{self._counted.words} {h.operator} {h.value}" for h in self._measured]
        hops = [f"not {h}" if i in denied.hops else h for i, h in enumerate(said)]
        if hops:
            text += " of " + "; ".join(hops)
        elif text != phrase(self._draft.nodes[0].label):
            text += f" of {phrase(self._draft.nodes[0].label)}"
        if conditions:
            text += " where " + " and ".join(conditions)
        by_expression = {o.expression: o.words for o in (*hidden, *outputs)}
        columns = {c.name: c.expression for c in pattern.returns}
        for order in pattern.order:
            by = by_expression.get(columns[order.column], "")
            text += f", {'descending' if order.descending else 'ascending'}{f' by {by}' if by else ''}"
        if pattern.limit is not None:
            text += f", first {pattern.limit}"
        return text

    def _conditions(self, part: Pattern | Absent) -> Iterator[str]:
        """The conditions of a match in words."""
        for binding in part.bindings:
            operator = "=" if len(binding.values) == 1 else "in"
            yield f"{self._owner_words(binding.node)} {phrase(binding.key or '')} {operator} {_shown(binding.values)}"
        bounds: dict[Property, list[str]] = {}
        for test in part.filters:
            if isinstance(test.left, Property):
                if _is_open_side(test):
                    continue
                operator = "includes" if test.operator == "overlaps" else test.operator
                said = f"{operator} {_shown(test.right)}" if test.right is not None else operator
                bounds.setdefault(test.left, []).append(said)
        for left, said_of in bounds.items():
            yield f"{self._owner_words(left.owner)} {phrase(left.key)} {' and '.join(said_of)}"

    def _owner_words(self, variable: str) -> str:
        nodes = {name_of_node(i): self._node_words(i) for i in range(len(self._draft.nodes))}
        hops = {name_of_hop(i): phrase(h.type) for i, h in enumerate(self._draft.hops)}
        return (nodes | hops)[variable]

    def _node_words(self, i: int) -> str:
        """A node's label, with a number from the second of that label on."""
        label = self._draft.nodes[i].label
        before = sum(1 for node in self._draft.nodes[:i] if node.label == label)
        return phrase(label) + (f" {before + 1}" if before else "")

    def _hop_words(self, hop: Link, way: Direction) -> str:
        arrow = {Direction.OUT: ("-", "->"), Direction.IN: ("<-", "-"), Direction.BOTH: ("-", "-")}[way]
        said = " or ".join(map(phrase, (hop.type, *hop.others)))
        return f"{self._node_words(hop.start)} {arrow[0]}{said}{arrow[1]} {self._node_words(hop.end)}"


def _is_rank(mark: Mark) -> bool:
    """Whether a superlative says how many rather than by what ("top 5")."""
    return mark.deed == Deed.SUPERLATIVE and mark.value.word in RANK_WORDS


_FUNCTIONS = {"count": "number of", "sum": "total", "avg": "average", "min": "lowest", "max": "highest"}


def _is_open_side(test: Filter) -> bool:
    """Whether a condition only keeps texts that are no moments out."""
    return (test.operator, test.right) in ((">=", "0"), ("<", ":"))


def _listed(right: object) -> tuple[object, ...]:
    return right if isinstance(right, tuple) else (right,)


def _shown(right: object) -> str:
    if isinstance(right, tuple | list):
        return ", ".join(map(str, right[:3])) + (" …" if len(right) > 3 else "")
    return str(right)


def _words(use: Use) -> str:
    return " and ".join(phrase(key) for key in use.keys)


def _fresh(words: str, columns: Sequence[Projection]) -> str:
    """A column's name that no other has."""
    taken = {c.name for c in columns}
    return next(n for n in (words, *(f"{words} {i}" for i in range(2, 99))) if n not in taken)


def _distinct(outputs: Sequence[Output]) -> list[Output]:
    return list({o.expression: o for o in reversed(outputs)}.values())[::-1]


def _comparisons(bounds: object) -> Iterator[tuple[Literal["=", "<>", "<", "<=", ">", ">="], object]]:
    from arcgraph.interpret.bounds import Bounds

    assert isinstance(bounds, Bounds)
    if bounds.is_point:
        yield "<>" if bounds.negated else "=", bounds.low
        return
    if bounds.low is not None:
        yield ">=" if bounds.has_low else ">", bounds.low
    if bounds.high is not None:
        yield "<=" if bounds.has_high else "<", bounds.high

"""What the rows of a draft are sorted by, and how many of them are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from arcgraph.graph.pattern import Aggregate, Entity, Expression, Property
from arcgraph.interpret.english import ARTICLES, COPULAS
from arcgraph.interpret.forms import MOMENT_TYPES, form_of, is_amount
from arcgraph.interpret.marks import Deed, Mark, Superlative
from arcgraph.interpret.operators import MEASURES
from arcgraph.interpret.tables.asked import Asked
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.counting import FUNCTIONS, Counting, words_of
from arcgraph.interpret.tables.english import (
    AGE_WORDS,
    BEGINNING_WORDS,
    COUNTING_WORDS,
    FIRST_WORDS,
    MOST_WORDS,
    RANK_WORDS,
)
from arcgraph.interpret.tables.parse import Draft, Use, name_of_node
from arcgraph.interpret.tables.spoken import NEXT, Output
from arcgraph.interpret.verbalise import last_word, phrase, split_name

# The top few of what nothing is said to sort.
_BY_NOTHING = 0.3


class Sorting(Counting):
    """Orders, limits, superlatives."""

    def __init__(self, catalog: Catalog, asked: Asked, draft: Draft):
        super().__init__(catalog, asked, draft)
        self._measures = dict(self._sorting_aggregates())

    def _ordered(
        self, aggregates: Sequence[Output]
    ) -> tuple[tuple[Expression, bool] | None, int | None, list[Output], list[Output]]:
        """Order with whether it descends, limit, hidden measures, and extremes that are asked for by themselves."""
        order: tuple[Expression, bool] | None = None
        limit = self._limit()
        hidden: list[Output] = []
        extremes: list[Output] = []
        for mark in sorted((*self._marks, *self._told_behind()), key=is_rank):
            if mark.deed == Deed.SUPERLATIVE and isinstance(mark.value, Superlative):
                if order is not None and self._puts_first(mark):
                    self._met.add(mark)
                    is_again = any(m.end <= mark.start and _word_of(m) == mark.value.word for m in self._marks)
                    order = order if is_again else (order[0], mark.value.amount == "desc")
                    continue
                found = self._superlative(mark, mark.value) if order is None else None
                if found is None:
                    self._cut(mark, mark.value, is_sorted=order is not None)
                    continue
                expression, descending, is_extreme = found
                if extremes and not is_extreme:
                    # An extreme is one row: there is nothing to sort.
                    continue
                self._met.add(mark)
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
                    words = phrase(target.key) if isinstance(target, Property) else ""
                    hidden += [Output(target, words)] if not isinstance(target, Aggregate) else []
        return order, limit, hidden, extremes

    def _puts_first(self, mark: Mark) -> bool:
        """Whether a superlative only says which way rows are sorted ("sorted by price, highest first")."""
        follows = self._asked.text[mark.end :].lower().lstrip()
        before = [m for m in self._marks if m.end <= mark.start]
        # "The three youngest …, youngest first" says once more how they are sorted.
        is_again = any(_word_of(m) == mark.value.word for m in before)
        return follows.startswith("first") and (is_again or any(m.deed == Deed.ORDER for m in before))

    def _limit(self) -> int | None:
        """How many rows are asked for: by a limit, or by a rank beside what sorts ("the top 5 with the most …")."""
        limits = [m for m in self._marks if m.deed == Deed.LIMIT]
        self._met.update(limits[:1])
        ranks = [m.value.limit for m in self._marks if m.deed == Deed.SUPERLATIVE and is_rank(m) and m.value.limit]
        return limits[0].value if limits else next(iter(ranks), None)

    def _cut(self, mark: Mark, value: Superlative, *, is_sorted: bool) -> None:
        """Follows a superlative that sorts by nothing: a rank is a limit."""
        if is_rank(mark) and value.limit and (is_sorted or value.word in FIRST_WORDS):
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
            before = [m for m in superlatives if is_rank(m) and m.end <= mark.start and self._is_by(mark.start)]
            yield from ((m, mark) for m in (*beside, *before)[:1])

    def _told_behind(self) -> list[Mark]:
        """Words such as "first" that may mean anything, right behind a moment that they then order ("born first")."""
        doubtful = [m for m in self._asked.marks if m.doubtful and m.deed == Deed.SUPERLATIVE and m not in self._marks]
        return [m for m in doubtful if any(self._is_before(self._uses[n], m) for n in self._sorted_by(m))]

    def _descends(self) -> bool:
        return any(m.deed == Deed.ORDER and m.value == "desc" for m in self._marks)

    def _order_target(self, mark: Mark, aggregates: Sequence[Output]) -> Expression | None:
        at = self._next_use(mark.end, NEXT)
        if at is not None and self._uses[at].kind == "property" and self._uses[at].at >= 0:
            self._taken.add(at)
            by = self._property(self._uses[at], numeric=True)
            of = (a.expression for a in aggregates if isinstance(a.expression, Aggregate) and a.expression.of == by)
            return next(of, by)
        if aggregates:
            return aggregates[0].expression
        if not mark.value or any(m.deed == Deed.ORDER and not m.value for m in self._marks):
            return None
        # "From the most recent to the oldest": by the one property that says when.
        found = self._of_moment(self._asked_node(), Superlative("", mark.value, None, mark.text.lower()))
        return found[0].expression if found is not None else None

    # --- superlatives ------------------------------------------------------------------------------------------------

    def _superlative(self, mark: Mark, value: Superlative) -> tuple[Output, bool, bool] | None:
        """The measure, whether it descends, and whether its extreme itself is asked for."""
        if mark in self._measures:
            counted = next(self._aggregate(self._measures[mark]), None)
            if counted is None or self._counts_itself(counted):
                return None
            self._met.add(self._measures[mark])
            if (amount := self._amount_behind(self._measures[mark])) is not None:
                return self._of_property(mark, value, amount)
            return counted, value.amount != "asc", False
        at = self._next_use(self._end_of_coordinated(mark), 2)
        if at is None or self._uses[at].kind == "label":
            # "founded first", "the top 3 films by length"
            at = next((n for n in self._sorted_by(mark) if n not in self._taken), at)
        if at is None and value.word in MOST_WORDS and (said := self._verb_before(mark)) is not None:
            return self._count(said), value.amount == "desc", False
        if at is None:
            node = self._said_before(mark)
            return self._by_measure(node, value) or (self._of_moment(node, value) if value.moment else None)
        if value.word not in COUNTING_WORDS:
            # "The largest parcel weight" is one of weights.
            at = self._compound(at)
        use = self._uses[at]
        is_open = use.kind == "property" and not use.spent and use.at >= 0
        if is_open and value.word in ("most", "least") and use.side == "relationship" and self._is_sum(use, mark, at):
            # "The most goals" are all of somebody's, not those of one match.
            self._taken.add(at)
            total = Aggregate("sum", self._property(use, numeric=True))
            return Output(total, f"{FUNCTIONS['sum']} {words_of(use)}"), value.amount == "desc", False
        if is_open and self._sorts(use, value) and not self._is_listing(mark, value, use):
            return self._of_property(mark, value, at)
        if use.kind == "label" and (measured := self._by_measure(use.at, value)):
            return measured
        if use.kind == "label" and value.moment and (found := self._of_moment(use.at, value)):
            return found
        can_count = bool(self._draft.hops) or any(self._is_open(n) for n in range(len(self._uses)))
        if use.kind in ("label", "relation") and value.word in MOST_WORDS and can_count:
            counted = self._count(at)
            return None if self._counts_itself(counted) else (counted, value.amount == "desc", False)
        if use.kind == "relation" and value.moment:
            return self._of_moment(self._doer(use), value)
        return None

    def _is_sum(self, use: Use, mark: Mark, at: int) -> bool:
        """Whether an edge's property adds up for those that are asked for."""
        is_moment = form_of(self._catalog.info(self._holder(use))).is_moment
        return self._is_number(use) and not is_moment and self._asks_for_others(mark, at)

    def _said_before(self, mark: Mark) -> int:
        """What a superlative is said of behind a verb ("for each town, which tower is the tallest"), else what is asked
        for."""
        before = [use for use in self._uses if use.kind == "label" and self._is_before(use, mark)]
        idle = COPULAS | ARTICLES
        between = [u.text for u in self._asked.units if before and u.start >= self._asked.units[before[-1].last - 1].end
                   and u.end <= mark.start]  # fmt: skip
        is_said = bool(COPULAS & set(between)) and all(word in idle for word in between)
        return before[-1].at if is_said else self._asked_node()

    def _amount_behind(self, mark: Mark) -> int | None:
        """The property that holds a number of things, where its extreme is asked for and nothing else ("the highest
        number of pages")."""
        at = self._next_use(self._end_of_coordinated(mark), NEXT)
        is_amount = at is not None and self._adds_up(at, mark)
        return at if at is not None and is_amount and not self._asks_for_others(mark, at) else None

    def _of_property(self, mark: Mark, value: Superlative, at: int) -> tuple[Output, bool, bool]:
        """What a property sorts; its extreme where nothing else is asked for ("the highest budget")."""
        use = self._uses[at]
        descending = self._descends_by(value, use)
        self._taken.add(at)
        measure = self._property(use, numeric=True)
        heads = at + 1 < len(self._uses) and self._uses[at + 1].kind == "label" and self._uses[at + 1].first == use.last
        is_grouped = self._marks_deed(Deed.GROUP) and self._marks_deed(Deed.AGGREGATE)
        # "The most recently approved drug" is a drug.
        if (is_grouped or not (heads or self._asks_for_others(mark, at))) and not mark.doubtful and not value.limit:
            function: Literal["max", "min"] = "max" if descending else "min"
            return Output(Aggregate(function, measure), f"{FUNCTIONS[function]} {words_of(use)}"), descending, True
        return Output(measure, words_of(use)), descending, False

    def _asks_for_others(self, mark: Mark, at: int) -> bool:
        """Whether something else is asked for than the extreme of a property."""
        # Of "which parcels cost the most" the amount is a verb's.
        is_verb = not mark.start <= self._char(self._uses[at])
        others = (u for n, u in enumerate(self._uses) if n not in (at, *self._taken) and u.kind != "value"
                  and (is_verb or self._compound(n) != at))  # fmt: skip
        is_other = any(self._is_before(u, mark) or u.first < self._uses[at].first for u in others)
        return is_other or self._asked.units[0].text in ("who", "whom", "where")

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
        is_sorted = form.is_moment or (form.meaning in MOMENT_TYPES and form.sorts)
        return is_sorted or self._is_number(use) or value.word in RANK_WORDS

    def _counts_itself(self, counted: Output) -> bool:
        """Whether each of the things asked for would be counted for itself."""
        of = counted.expression.of if isinstance(counted.expression, Aggregate) else None
        # "Which year had the most trips" asks for a year.
        asks_for_value = self._is_open(0) and self._uses[0].side == "node"
        return not asks_for_value and isinstance(of, Entity) and of.owner == name_of_node(self._asked_node())

    def _verb_before(self, mark: Mark) -> int | None:
        """The relation right before a superlative that counts what was done ("who commented the most")."""
        ends = [(n, self._asked.units[u.last - 1].end) for n, u in enumerate(self._uses) if u.kind == "relation"]
        return next((n for n, end in ends if end <= mark.start and self._between(end, mark.start) <= 1), None)

    def _descends_by(self, value: Superlative, use: Use) -> bool:
        """Whether the largest comes first: "oldest" begins with the earliest moment and with the largest amount."""
        is_moment = form_of(self._catalog.info(self._holder(use))).is_moment
        return ((value.moment or value.amount) if is_moment else (value.amount or value.moment)) == "desc"

    def _sorted_by(self, mark: Mark) -> Iterator[int]:
        """Properties that a superlative sorts by: a moment right before it, an amount ("costs the most"), or what "by"
        names behind it."""
        units = self._asked.units
        for n, use in enumerate(self._uses):
            if use.kind != "property" or use.spent or use.at < 0:
                continue
            begins, ends = self._char(use), units[use.last - 1].end
            between = {unit.text for unit in units if ends <= unit.start < mark.start}
            is_moment = form_of(self._catalog.info(self._holder(use))).is_moment
            is_before = ends <= mark.start and not between and is_moment
            is_amount = ends <= mark.start and mark.value.word in COUNTING_WORDS and between <= {"the"}
            is_named = begins >= mark.end and self._is_by(begins)
            if is_named or is_before or (is_amount and self._is_number(use)):
                yield n

    def _by_measure(self, node: int, value: Superlative) -> tuple[Output, bool, bool] | None:
        """What orders the nodes of a label by what an adjective measures ("cheapest": a price)."""
        measures = MEASURES.get(value.word.split()[-1], frozenset())
        label = self._draft.nodes[node].label
        properties = self._catalog.schema.labels[label].properties
        able = [key for key in properties if measures & set(split_name(key)) and is_amount(properties[key])]
        if len(able) != 1:
            return None
        key = Property(name_of_node(node), able[0], properties[able[0]].type == "string")
        return Output(key, phrase(able[0])), (value.amount or "asc") == "desc", False

    def _of_moment(self, node: int, value: Superlative) -> tuple[Output, bool, bool] | None:
        """What orders the nodes of a label in time, where just one of their properties is a moment or a year."""
        label = self._draft.nodes[node].label
        keys = self._catalog.moment_keys(label)
        if len(keys) > 1:
            # An order's own date is its orderDate; who is the oldest was born first.
            own = {last_word(label)} | (BEGINNING_WORDS if AGE_WORDS & set(value.word.split()) else set())
            keys = [key for key in keys if own & set(split_name(key))]
        if len(keys) != 1:
            return None
        return Output(Property(name_of_node(node), keys[0]), phrase(keys[0])), value.moment == "desc", False


def _word_of(mark: Mark) -> str:
    """The word of a superlative; empty for other marks."""
    return str(mark.value.word) if mark.deed == Deed.SUPERLATIVE else ""


def is_rank(mark: Mark) -> bool:
    """Whether a superlative says how many rather than by what ("top 5")."""
    return mark.deed == Deed.SUPERLATIVE and mark.value.word in RANK_WORDS

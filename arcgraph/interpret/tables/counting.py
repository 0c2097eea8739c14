"""What is counted, added up and averaged in a draft, and for each of what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from arcgraph.graph.pattern import Aggregate, Entity, Filter, Having, Measure, Property
from arcgraph.interpret.bounds import Comparing
from arcgraph.interpret.english import ARTICLES, YES_NO_STARTS
from arcgraph.interpret.forms import NUMERIC_TYPES, form_of, has_parts, is_amount
from arcgraph.interpret.literals import Literal as Written
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.operators import TIMES_ADVERBS
from arcgraph.interpret.tables.asked import Asked, is_form_of
from arcgraph.interpret.tables.catalog import Catalog, Holder
from arcgraph.interpret.tables.english import (
    AMOUNT_WORDS,
    APART_WORDS,
    BACK_WORDS,
    BEGINNING_WORDS,
    COORDINATING,
    COUNT_NOUNS,
    DOING_WORDS,
    MONTH_WORDS,
    TAKING_PLACE,
    TIMES_WORDS,
    YEAR_WORDS,
)
from arcgraph.interpret.tables.parse import (
    Draft,
    Test,
    Use,
    covers,
    is_agent_noun,
    name_of_hop,
    name_of_node,
    variable_of,
)
from arcgraph.interpret.tables.spoken import NEXT, VAGUE, Output, Spoken
from arcgraph.interpret.verbalise import last_word, phrase, split_name

COUNTED = "number"
# "How much" of what has no amount.
_NO_AMOUNT = 3.0
# An average of counts of which no word says what they are counted for.
_IMPLIED = 1.5
# How often what was done, of which the draft has nothing.
_NOTHING_DONE = 4.0
# A word for aggregating that is a property's whole name, and was taken for counting.
_CALLED_SO = 0.5
# Groups by the year of something that no word names.
_UNNAMED_YEAR = 2.5
# What is aggregated of values.
_OF_VALUES = ("sum", "avg", "min", "max")
_Function = Literal["count", "sum", "avg", "min", "max", "collect", "exists"]
FUNCTIONS = {"count": "number of", "sum": "total", "avg": "average", "min": "lowest", "max": "highest"}


class Counting(Spoken):
    """Aggregates, groups, and amounts that are compared."""

    def __init__(self, catalog: Catalog, asked: Asked, draft: Draft):
        super().__init__(catalog, asked, draft)
        # The aggregates that only sort, by the superlatives that say so.
        self._measures: dict[Mark, Mark] = {}
        # What is counted for each node number ``per`` before it is aggregated, and conditions on these counts.
        self._counted: Output | None = None
        self._per = -1
        # Where what they are counted for is not what is asked for: all things that a count is of, and what leads to it.
        self._whose: tuple[int, ...] = ()
        self._measured: list[Having] = []
        self._amounts = self._compared_amounts()
        # Aggregates that are compared with a number, with the uses of the property and of the number.
        self._bounded = {mark: found for mark in self._marks if (found := self._bound_of(mark)) is not None}
        # Conditions on how often something was done, where edges hold that.
        self._often: list[Filter] = []

    def _aggregates(self) -> Iterator[Output]:
        """What is counted, summed up, averaged. In a closing clause only what the body did not say already."""
        all_told = [m for m in self._marks if m.deed == Deed.AGGREGATE and m not in self._measures.values()]
        told = [m for m in all_told if not self._in_closing(m.start)]
        said = [m for m in all_told if self._in_closing(m.start)]
        self._met.update(said if told else ())
        if any(self._is_said_behind(mark) for mark in told):
            # "How much … on average" asks for no total.
            self._met.update(m for m in told if m.text.lower() == "how much")
            told = [m for m in told if m not in self._met]
        averaged = self._on_average(told)
        for mark in told or said:
            if (mark in self._met and mark not in said) or mark in averaged.values():
                continue
            if mark in averaged and (found := list(self._of_counts(mark, averaged[mark].value))):
                self._met.update((mark, averaged[mark]))
                yield from found
                continue
            if self._sums_up(mark, told) or mark in self._bounded:
                self._met.add(mark)
                continue
            found = list(self._aggregate(mark))
            self._met.update((mark,) if found else ())
            yield from found

    def _counted_per(self) -> Iterator[Output]:
        """The number of what is asked for, where it is only said what for ("visits per month")."""
        per = [m for m in self._marks if m.deed == Deed.GROUP and m.text.lower() == "per" and not m.doubtful]
        is_told = any(m.deed in (Deed.AGGREGATE, Deed.SUPERLATIVE) and not m.doubtful for m in self._marks)
        first = self._uses[0] if self._uses else None
        if per and not is_told and first is not None and first.kind == "label" and self._is_before(first, per[0]):
            yield self._count(0)

    def _on_average(self, told: Sequence[Mark]) -> dict[Mark, Mark]:
        """The averages that are said behind what is counted ("how many bids has each lot on average"), by the words for
        counting."""
        found = {}
        for mark in told:
            counting = [m for m in told if m.value == "count" and m.end <= mark.start]
            if counting and self._is_said_behind(mark):
                found[counting[-1]] = mark
        return found

    def _is_said_behind(self, mark: Mark) -> bool:
        """Whether an average is one of what is said before it ("… on average")."""
        before = [unit.text for unit in self._asked.units if unit.end <= mark.start]
        return mark.value == "avg" and (before[-1:] == ["on"] or mark.text.lower().startswith("on "))

    def _sums_up(self, mark: Mark, told: Sequence[Mark]) -> bool:
        """Whether a word for a total closes a phrase in which something was counted or added up before ("the total crew
        of all ships combined")."""
        behind = self._asked.text[mark.end :].lstrip()
        closes = not behind or behind[0] in ".,;?!"
        return (
            mark.value == "sum" and closes and any(m.start < mark.start and m.value in ("sum", "count") for m in told)
        )

    def _aggregate(self, mark: Mark) -> Iterator[Output]:
        function: _Function = mark.value
        if function not in ("count", "sum", "avg", "min", "max"):
            self._loose += 2.0
            return
        counting = self._counting_behind(mark)
        if counting is not None and (often := self._average_of_times(counting, function)) is not None:
            yield often
            return
        amount = self._next_use(counting.end, 1) if counting is not None else None
        if counting is not None and amount is not None and self._adds_up(amount, counting):
            # "The average number of copies sold" is one of copiesSold.
            self._met.add(counting)
        elif counting is not None and self._counted is None:
            yield from self._of_counts(counting, function)
            return
        at = self._compounded(mark)
        at = self._next_use(mark.end, 5) if at is None else at
        of = self._next_property(mark.end)
        if function == "count" or (of is None and function == "sum"):
            # "The total of the order" is rather a property that is called so.
            self._loose += _CALLED_SO * any(m.kind == "property" for m in self._catalog.called(mark.text.lower()))
            if at is not None and self._is_of_one(at):
                self._taken.update(n for n, use in enumerate(self._uses) if use.keys == self._uses[at].keys)
                yield Output(self._property(self._uses[at]), words_of(self._uses[at]))
            elif at is not None and self._adds_up(at, mark):
                self._taken.add(at)
                use = self._uses[at]
                yield Output(Aggregate("sum", self._property(use, numeric=True)), f"{FUNCTIONS['sum']} {words_of(use)}")
            elif mark.text.lower() == "how much":
                yield from self._amount_of_edges()
            elif at is not None:
                yield self._times(at) if _asks_how_often(mark) else self._count(at)
            elif self._draft.nodes and not self._is_told_again(mark):
                yield Output(Aggregate("count", Entity(name_of_node(0)), distinct=True), "count")
            return
        if of is None:
            of = self._shared_property(mark)
        if of is None:
            of = self._last_property(mark.start, anywhere=self._is_said_behind(mark))
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
            yield Output(Aggregate(function, measure), f"{FUNCTIONS[function]} {words_of(use)}")
            following = self._joined_property(following)

    def _amount_of_edges(self) -> Iterator[Output]:
        """The total of the one amount of edges that are spoken of ("how much do they give": amount): nobody asks how
        much of what is counted."""
        found = []
        for i, hop in enumerate(self._draft.hops):
            info = self._catalog.schema.types[hop.type]
            keys = [key for key, prop in info.properties.items() if is_amount(prop) and not form_of(prop).is_moment]
            found += [(i, key) for key in keys if AMOUNT_WORDS & set(split_name(key))]
        if len(found) != 1:
            self._loose += _NO_AMOUNT
            return
        at, key = found[0]
        told = Use("property", 0, 0, "relationship", at, (key,))
        yield Output(Aggregate("sum", self._property(told, numeric=True)), f"{FUNCTIONS['sum']} {phrase(key)}")

    def _shared_property(self, mark: Mark) -> int | None:
        """The property that several aggregates are of, whichever took it ("the lowest and the average budget")."""
        end = self._end_of_coordinated(mark)
        is_behind = any(
            m.start < mark.start and self._end_of_coordinated(m) == end for m in self._marks if m in self._met
        )
        at = self._next_use(end, 1) if is_behind else None
        return at if at is not None and self._uses[at].kind == "property" and self._uses[at].at >= 0 else None

    def _end_of_coordinated(self, mark: Mark) -> int:
        """Where the last of several aggregates and extremes ends that are of one thing ("the highest and the lowest
        budget")."""
        end = mark.end
        for other in self._marks:
            if other.deed in (Deed.AGGREGATE, Deed.SUPERLATIVE) and other.start > end:
                between = {unit.text for unit in self._asked.units if end <= unit.start < other.start}
                is_comma = not between and "," in self._asked.text[end : other.start]
                if not is_comma and ("and" not in between or not between <= ARTICLES | COORDINATING):
                    break
                end = other.end
        return end

    def _adds_up(self, at: int, mark: Mark) -> bool:
        """Whether "how many" asks for an amount that edges or nodes hold ("how many hours"), and not for a number of
        different ones."""
        use = self._uses[at]
        if use.kind != "property" or use.spent or use.at < 0 or use.log < VAGUE or not self._is_number(use):
            return False
        info = self._catalog.info(self._holder(use))
        words = [unit.text for unit in self._asked.units[: use.last]]
        is_plural = any(word.endswith("s") for word in words[use.first :])
        is_plural = is_plural and not form_of(info).is_moment and not info.unique
        return is_plural and not any(m.deed == Deed.DISTINCT and m.start >= mark.start for m in self._asked.marks)

    def _is_told_again(self, mark: Mark) -> bool:
        """Whether a word for a number at the end means the one that was told before ("…, together with the number")."""
        before = any(m.deed in (Deed.AGGREGATE, Deed.SUPERLATIVE) and m.end <= mark.start for m in self._marks)
        is_last = not any(unit.start >= mark.end for unit in self._asked.units)
        if before and is_last:
            self._met.add(mark)
        return before and is_last

    def _is_of_one(self, at: int) -> bool:
        """Whether a number is asked of the one thing that is named ("how many seconds long is the song …")."""
        use = self._uses[at]
        is_told = use.kind == "property" and not use.spent and use.at >= 0 and use.side == "node"
        return is_told and self._is_number(use) and self._is_called(use.at) and not self._draft.hops

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
        words = f"{FUNCTIONS[function]} {counted.words} per {phrase(self._draft.nodes[per].label)}"
        yield Output(Aggregate(function, Measure(COUNTED)), words)

    def _average_of_times(self, counting: Mark, function: _Function) -> Output | None:
        """An aggregate of how often something was done, where edges hold that ("the average number of times")."""
        said = next((n for n, use in enumerate(self._uses) if use.kind == "relation" and use.at >= 0), None)
        key = self._times_key(self._uses[said].at) if said is not None and _asks_how_often(counting) else None
        if said is None or key is None:
            return None
        self._met.add(counting)
        edge = self._uses[said].at
        words = f"{FUNCTIONS[function]} {phrase(key)}"
        return Output(Aggregate(function, Property(name_of_hop(edge), key)), words)

    def _counted_for(self, at: int, counted: str) -> int | None:
        """The node for each of which something is counted: what is spoken of behind the counted, first of all where
        "per" or "each" stands before it."""
        behind = [u for u in self._uses[at + 1 :] if u.side == "node" and u.kind in ("label", "value") and u.at >= 0]
        others = [u for u in behind if name_of_node(u.at) != counted and not self._in_closing(self._char(u))]
        told = [u for u in others if u.kind == "label" and self._follows_group(u)]
        doers = [u for u in self._uses[at + 1 :] if self._follows_group(u) and self._is_doer(u)]
        if doers and not told and name_of_node(doer := self._doer(doers[0])) != counted:
            return doer
        self._loose += 0.0 if told else _IMPLIED
        return next((u.at for u in (*told, *others)), None)

    def _is_doer(self, use: Use) -> bool:
        """Whether a use is a noun for those who do what a relation says ("per designer")."""
        return use.kind == "relation" and use.at >= 0 and is_agent_noun(self._asked, use, self._uses)

    def _follows_group(self, use: Use) -> bool:
        ends = (m.end for m in self._marks if m.deed == Deed.GROUP and m.end <= self._char(use))
        return any(not self._between(end, self._char(use)) for end in ends)

    def _count(self, at: int) -> Output:
        use = self._uses[at]
        if use.kind == "property" and use.at >= 0 and not use.spent:
            self._taken.add(at)
            return Output(Aggregate("count", self._property(use), distinct=True), f"number of {words_of(use)}")
        if use.side == "relationship":
            hop = self._draft.hops[use.at]
            node = hop.start if use.at == 0 and not self._draft.nodes[hop.start].said else hop.end
        else:
            node = use.at
        label = self._draft.nodes[node].label
        self._taken.add(at)
        return Output(Aggregate("count", Entity(name_of_node(node)), distinct=True), f"number of {phrase(label)}")

    def _compounded(self, mark: Mark) -> int | None:
        """The label that makes a compound with a word for counting ("the crime count at")."""
        at = next(
            (n for n, use in enumerate(self._uses) if self._asked.units[use.last - 1].end + 1 == mark.start), None
        )
        behind = next((unit.text for unit in self._asked.units if unit.start >= mark.end), "")
        is_noun = mark.text.lower() in COUNT_NOUNS and behind != "of"
        return at if at is not None and is_noun and self._uses[at].kind == "label" else None

    def _times(self, at: int) -> Output:
        """How often something was done: the number of the events that are nodes ("… receive calls"), else of edges."""
        if self._does(at) and (done := self._done_by(at)) is not None:
            return self._count(done)
        behind = range(at, len(self._uses))
        held = next((n for n in behind if self._is_held(self._uses[n])), None)
        if held is not None:
            self._taken.add(held)
            edge = self._uses[held].at
            words = f"number of times {phrase(self._draft.hops[edge].type)}"
            return Output(Aggregate("sum", Property(name_of_hop(edge), self._times_key(edge) or "")), words)
        events = [n for n in behind if self._uses[n].kind == "label" and not self._is_named(self._uses[n].at)]
        said = next((n for n in behind if self._uses[n].kind == "relation"), None)
        if not events and said is None and not self._draft.hops:
            # Things by themselves do nothing.
            self._loose += _NOTHING_DONE
        if events or said is None:
            return self._count(next(iter(events), at))
        self._taken.add(said)
        hop = Entity(name_of_hop(self._uses[said].at))
        words = f"number of times {phrase(self._draft.hops[self._uses[said].at].type)}"
        return Output(Aggregate("count", hop, distinct=True), words)

    def _is_held(self, use: Use) -> bool:
        """Whether a use is a verb of edges that hold how often that was done."""
        return use.kind == "relation" and use.at >= 0 and self._times_key(use.at) is not None

    def _does(self, at: int) -> bool:
        """Whether a use is the subject of a verb behind "do" ("how often do keepers appear in reports")."""
        before = [unit.text for unit in self._asked.units[: self._uses[at].first] if unit.text not in ARTICLES]
        return before[-1:] != [] and before[-1] in DOING_WORDS

    def _done_by(self, at: int) -> int | None:
        """The things that the subject of a question about how often does something with: they, too, are a label or a
        value that stands for them, and of another kind, and have no name."""
        own = self._draft.nodes[self._uses[at].at].label if self._uses[at].side == "node" else ""
        for n in range(at + 1, len(self._uses)):
            use = self._uses[n]
            is_thing = use.side == "node" and use.kind in ("label", "value") and not use.is_name and use.at >= 0
            if is_thing and self._draft.nodes[use.at].label != own and not self._is_named(use.at):
                # What happens to several kinds of things at once is counted itself.
                behind = self._asked.units[use.last : use.last + 1]
                return None if behind and behind[0].text == "and" else n
        return None

    def _compared_amounts(self) -> dict[int, Mark]:
        """Numbers that are compared by what stands behind them ("more than 100 views"), by the use that this is."""
        found: dict[int, Mark] = {}
        for mark in self._marks:
            at = self._next_use(mark.end, 1) if mark.deed == Deed.HAVING and isinstance(mark.value, Written) else None
            use = self._uses[at] if at is not None else None
            if at is None or use is None or use.kind != "property" or use.spent or use.at < 0:
                continue
            if self._is_number(use) and _compared(mark.value):
                found[at] = mark
                self._met.add(mark)
                self._taken.add(at)
        return found

    def _amount_filters(self) -> Iterator[Filter]:
        for at, mark in self._amounts.items():
            of = self._property(self._uses[at], numeric=True)
            for operator, value in _compared(mark.value):
                yield Filter(of, operator, value)
        yield from self._often

    # --- groups ------------------------------------------------------------------------------------------------------

    def _groups(self) -> Iterator[Output]:
        """What stands behind "per", "for each", "by"; and what is joined to it with "and"."""
        for mark in (*self._marks, *self._parted()):
            if mark.deed != Deed.GROUP or self._is_overruled(mark):
                continue
            at = self._next_use(mark.end, NEXT)
            is_told = (
                at is not None and self._uses[at].kind == "label" and mark.text.lower() in ("each", "every", "per")
            )
            if self._in_closing(mark.start) and not is_told:
                # What else stands there is a key by itself.
                self._met.add(mark)
                continue
            if self._refers_back(mark):
                # "Each of them" is each of what is asked for.
                self._met.add(mark)
                continue
            while at is not None:
                self._met.add(mark)
                yield from self._key(at)
                at = self._joined(self._compound(at))
        if any(unit.text in APART_WORDS for unit in self._asked.units):
            yield from self._told_apart()

    def _is_overruled(self, mark: Mark) -> bool:
        """Whether "each" only says whose things are counted, where "grouped by" says what for ("the trips made by each
        driver, grouped by the driver's age")."""
        others = [m.text.lower() for m in self._marks if m.deed == Deed.GROUP and m.start > mark.start]
        at = self._next_use(mark.end, NEXT)
        is_thing = at is None or self._uses[self._compound(at)].kind != "property"
        is_overruled = is_thing and mark.text.lower() in ("each", "every") and any(t.endswith("ed by") for t in others)
        self._met.update((mark,) if is_overruled else ())
        return is_overruled

    def _refers_back(self, mark: Mark) -> bool:
        """Whether what is grouped by is what was asked for before ("each of them", "in each")."""
        behind = [unit.text for unit in self._asked.units if unit.start >= mark.end]
        while behind and behind[0] in ("of", "one"):
            behind.pop(0)
        is_each = "each" in mark.text.lower().split()
        return is_each and self._asked.going_on is not None and (not behind or behind[0] in BACK_WORDS | YES_NO_STARTS)

    def _parted(self) -> list[Mark]:
        """A "by" that may mean anything, right before a property that it then groups by."""
        doubtful = [m for m in self._asked.marks if m.doubtful and m.deed == Deed.GROUP and m not in self._marks]
        return [
            m for m in doubtful if (at := self._next_use(m.end, 0)) is not None and self._is_open(self._compound(at))
        ]

    def _told_apart(self) -> Iterator[Output]:
        """The properties of which several values are named, each of them for itself ("men and women separately")."""
        for i, node in enumerate(self._draft.nodes):
            for test in node.tests:
                if len(test.conditions) == 1 and test.conditions[0].operator == "in":
                    yield Output(Property(name_of_node(i), test.key), phrase(test.key))

    def _key(self, at: int) -> Iterator[Output]:
        while self._is_compound(at) or self._is_vaguely_before(at):
            self._taken.add(at)
            at += 1
        use = self._uses[self._compound(at)]
        self._taken.update((at, self._compound(at)))
        yield from self._outputs(use)

    def _is_vaguely_before(self, at: int) -> bool:
        """Whether a word hardly means a property and only tells the one right behind it ("for each sales channel")."""
        follows = self._uses[at + 1] if at + 1 < len(self._uses) else None
        if follows is None or follows.kind != "property" or follows.spent or follows.first != self._uses[at].last:
            return False
        return self._uses[at].kind == "property" and self._uses[at].log < VAGUE <= follows.log

    def _outputs(self, use: Use) -> Iterator[Output]:
        if self._is_doer(use):
            # "For each actor": for each of those who did it.
            node = self._doer(use)
            yield Output(Entity(name_of_node(node)), phrase(self._draft.nodes[node].label), node)
            return
        if use.kind == "label":
            yield Output(Entity(name_of_node(use.at)), phrase(self._draft.nodes[use.at].label), use.at)
            return
        part = self._part(use)
        for key in self._begun(use.keys) if part else use.keys:
            yield Output(
                Property(variable_of(use), key, part=part), f"{part} of {phrase(key)}" if part else phrase(key)
            )

    def _begun(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Of several moments of a thing the one that a word says, else the one when it began or took place."""
        words = [unit.text for unit in self._asked.units]
        said = [key for key in keys if any(is_form_of(w, "".join(split_name(key)[:1])) for w in words)]
        began = [key for key in keys if (BEGINNING_WORDS | TAKING_PLACE) & set(split_name(key))]
        return tuple((said or began or keys)[:1])

    def _part(self, use: Use) -> Literal["", "year", "month"]:
        """Which part of a moment a word means that things are grouped by ("per year")."""
        word = self._asked.units[use.last - 1].text
        if use.kind != "property" or use.at < 0 or not has_parts(self._catalog.info(self._holder(use))):
            return ""
        part: Literal["", "year", "month"] = "year" if word in YEAR_WORDS else "month" if word in MONTH_WORDS else ""
        named = {u.at for u in self._uses if u.side == use.side and u is not use and u.kind in ("label", "value")}
        self._loose += _UNNAMED_YEAR if part and use.side == "node" and use.at not in named else 0.0
        return part

    def _compound(self, at: int) -> int:
        """The property right behind a label ("officer rank") or a relation ("repair cost"), else the use itself."""
        follows = at + 1
        if (
            self._uses[at].kind in ("label", "relation")
            and follows < len(self._uses)
            and self._uses[at].side == self._uses[follows].side
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

    # --- conditions on counts ----------------------------------------------------------------------------------------

    def _bound_of(self, mark: Mark) -> tuple[Use, Use] | None:
        """The property and the number right behind an aggregate that is compared ("ports with an average depth over
        9")."""
        at = self._next_use(mark.end, 1) if mark.deed == Deed.AGGREGATE and mark.value in _OF_VALUES else None
        if not at or at + 1 == len(self._uses):
            return None
        of, number = self._uses[at], self._uses[at + 1]
        is_named = of.kind == "property" and of.spent and number.kind == "value" and of.at == number.at
        is_same = is_named and of.keys == number.keys and of.side == number.side
        is_own = of.side == "node" and of.at == self._asked_node()
        return (of, number) if is_same and self._is_number(of) and not is_own else None

    def _is_bound(self, test: Test) -> bool:
        """Whether a condition is one on an aggregate."""
        return any(number.first == test.first for _, number in self._bounded.values())

    def _bounds(self) -> Iterator[tuple[Output, Having]]:
        """The conditions on aggregates."""
        for mark, (of, number) in self._bounded.items():
            element = self._draft.nodes[of.at] if of.side == "node" else self._draft.hops[of.at]
            words = f"{FUNCTIONS[mark.value]} {words_of(of)}"
            output = Output(Aggregate(mark.value, self._property(of, numeric=True)), words)
            for test in element.tests:
                if test.first == number.first:
                    yield from ((output, Having("", one.operator, one.right)) for one in test.conditions)

    def _having(self, aggregates: Sequence[Output], keys: Sequence[Output]) -> Iterator[tuple[Output, Having]]:
        yield from self._bounds()
        for mark in self._marks:
            if mark.deed != Deed.HAVING or not isinstance(mark.value, Written):
                continue
            at = self._next_use(mark.end, 2)
            compared = _compared(mark.value)
            if self._says_times(mark) and (edge := self._done_before(mark)) is not None:
                yield from self._done_so_often(edge, mark)
                continue
            if at is None or not compared:
                self._loose += 2.0
                continue
            if at in self._amounts:
                continue
            counted = self._count(at)
            self._met.add(mark)
            if self._counted is None and not keys:
                self._look_at_each(counted, aggregates)
            if self._counted is None and not keys and not aggregates:
                self._look_at_those(counted)
            for operator, value in compared:
                if self._counted is not None and counted.expression == self._counted.expression:
                    self._measured.append(Having(COUNTED, operator, value))
                else:
                    yield counted, Having("", operator, value)

    def _says_times(self, mark: Mark) -> bool:
        """Whether a number says how often something was done ("more than once", "at least 3 times")."""
        behind = next((unit.text for unit in self._asked.units if unit.start >= mark.end), "")
        return mark.value.text.lower() in TIMES_ADVERBS or behind in TIMES_WORDS

    def _done_before(self, mark: Mark) -> int | None:
        """The hop that a mark says the times of: that of the last verb before it, else of the first behind, else the
        only one."""
        said = [use for use in self._uses if use.kind == "relation" and use.at >= 0]
        before = [use for use in said if self._char(use) < mark.start]
        use = before[-1] if before else next(iter(said), None)
        return use.at if use is not None else 0 if len(self._draft.hops) == 1 else None

    def _done_so_often(self, hop: int, mark: Mark) -> Iterator[tuple[Output, Having]]:
        """A condition on what edges hold for how often something was done, else on the number of edges."""
        self._met.add(mark)
        key = self._times_key(hop)
        counted = Output(Aggregate("count", Entity(name_of_hop(hop)), distinct=True), "number of times")
        for operator, value in _compared(mark.value):
            if key is not None:
                self._often.append(Filter(Property(name_of_hop(hop), key), operator, value))
            else:
                yield counted, Having("", operator, value)

    def _times_key(self, hop: int) -> str | None:
        """The property of an edge that says how often something was done ("watchCount", "times")."""
        of = self._draft.hops[hop].type
        keys = [h.key for h in self._catalog.holders() if h.side == "relationship" and h.owner == of]
        numeric = [key for key in keys if self._catalog.info(Holder("relationship", of, key)).type in NUMERIC_TYPES]
        return next((key for key in numeric if last_word(key) in COUNT_NOUNS | TIMES_WORDS), None)

    def _look_at_those(self, counted: Output) -> None:
        """Counts for each of those of which something else is asked ("the ports of ships that made two trips": of a
        ship)."""
        of = counted.expression.of if isinstance(counted.expression, Aggregate) else None
        nodes = range(len(self._draft.nodes))
        node = next((i for i in nodes if isinstance(of, Entity) and name_of_node(i) == of.owner), None)
        asked = self._asked_node()
        if node is None or node == asked or self._marks_deed(Deed.SUPERLATIVE):
            return
        edges = [(hop.start, hop.end) for hop in self._draft.hops]
        whose = {asked}
        while more := {n for edge in edges if whose & {*edge} and node not in edge for n in edge} - whose:
            whose |= more
        per = next((n for edge in edges if node in edge for n in edge if n in whose), None)
        # What no word says only lies in between.
        if per is not None and per != asked and self._draft.nodes[per].said:
            self._counted, self._per, self._whose = counted, per, tuple(sorted(whose))

    def _look_at_each(self, counted: Output, aggregates: Sequence[Output]) -> None:
        """Counts for each of what is counted or averaged itself ("how many people have more than two cars")."""
        of = aggregates[0].expression if len(aggregates) == 1 else None
        things = of.of if isinstance(of, Aggregate) else None
        owner = getattr(things, "owner", None)
        per = next((i for i in range(len(self._draft.nodes)) if name_of_node(i) == owner), None)
        if per is not None and isinstance(counted.expression, Aggregate) and counted.expression.of != things:
            self._counted, self._per = counted, per


def words_of(use: Use) -> str:
    """The properties that a use means."""
    return " and ".join(phrase(key) for key in use.keys)


def _compared(number: Written) -> Sequence[tuple[Comparing, object]]:
    """How things are compared with a number; empty where they cannot be."""
    bounds = number.bounds("integer")
    return (bounds.comparisons() if bounds is not None else None) or ()


def _asks_how_often(mark: Mark) -> bool:
    words = mark.text.lower().split()
    return words[-1] in TIMES_WORDS or words[-1] == "often"

"""From a parsed question to a query: which of what it names is returned, counted, grouped by, sorted by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arcgraph.graph.pattern import (
    Aggregate,
    Binding,
    Descriptor,
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
from arcgraph.interpret.english import (
    ARTICLES,
    COMMAND_WORDS,
    COPULAS,
    FUNCTION_WORDS,
    IRREGULAR_FORMS,
    POSSESSIVES,
    YES_NO_STARTS,
)
from arcgraph.interpret.forms import MOMENT_TYPES, NUMERIC_TYPES, form_of
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.operators import MEASURING_VERBS, PLACEHOLDERS
from arcgraph.interpret.tables.arrows import directions
from arcgraph.interpret.tables.asides import with_asides
from arcgraph.interpret.tables.asked import Asked, carries_meaning, is_a_word_of
from arcgraph.interpret.tables.besides import with_optional_counts
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.choosing import Choosing
from arcgraph.interpret.tables.counting import COUNTED, FUNCTIONS
from arcgraph.interpret.tables.denial import Denial, denier, flag_denier
from arcgraph.interpret.tables.discourse import second_question
from arcgraph.interpret.tables.english import (
    ADDING,
    CLAUSE_OPENERS,
    CLOSING_VERBS,
    COMPARATIVE_LINKS,
    EVENT_NOUNS,
    HAVING_LINKS,
    KNOWN_WORDS,
    OPPOSING_PREFIXES,
    PLACING,
    REQUEST_WORDS,
)
from arcgraph.interpret.tables.extremes import of_each
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
from arcgraph.interpret.tables.saying import Saying
from arcgraph.interpret.tables.sorting import Sorting, is_rank
from arcgraph.interpret.tables.spoken import EACH, NEXT, VAGUE, Output
from arcgraph.interpret.tables.yardsticks import with_yardstick
from arcgraph.interpret.verbalise import phrase, split_name

THING = "x"
# Marks that change what is asked: an answer that does not follow one answers another question.
_CHANGING = frozenset(
    (
        Deed.SUPERLATIVE, Deed.AGGREGATE, Deed.GROUP, Deed.NEGATION, Deed.EITHER, Deed.ORDER, Deed.LIMIT, Deed.HAVING,
        Deed.RELATIVE,
    )
)  # fmt: skip
# What is asked for is told by its name.
_NAMED_ITSELF = 1.5
_COUNTED_ITSELF = 4.0
# A property of another kind than the question word asks for.
_UNASKED = 3.0
# A property that is said of what is aggregated, and that nothing is made of.
_UNUSED = 1.0
# So many things of a label at most are held each against each.
_MOST_COMPARED = 2_000


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


class Columns(Sorting):
    """Decides the columns of drafts of one question."""

    def __init__(self, catalog: Catalog, asked: Asked, draft: Draft):
        super().__init__(catalog, asked, draft)
        self._ways = directions(asked, draft, catalog)

    # --- the query ---------------------------------------------------------------------------------------------------

    def query(self) -> Query | None:
        """The query of the draft; ``None`` where nothing is asked for."""
        aggregates = list(self._aggregates()) or list(self._counted_per())
        for use in self._uses:
            plain = [m for m in self._asked.marks if covers(self._asked, use, m) and not m.doubtful]
            is_longer = use.last > use.first + 1
            is_one = use.kind == "property" and is_longer and not self._asked.units[use.last - 1].text.endswith("s")
            is_had = use.first > 0 and self._asked.units[use.first - 1].text in HAVING_LINKS
            is_had = is_had and use.side == "node" and use.at >= 0 and self._draft.nodes[use.at].said
            if is_one and plain and not self._draft.marks and not self._is_named(use.at) and not is_had:
                self._loose += 0.5
        order, limit, hidden, more = self._ordered(aggregates)
        aggregates += more
        if not aggregates and (group := self._extreme_of_each(order, limit)) is not None:
            return self._of_each(group, hidden[0], order)
        keys = [k for k in self._groups() if k.entity < 0 or k.entity != self._per] if aggregates else []
        if not keys and (listed := self._listed_with(aggregates)) is not None:
            keys = [listed]
        having = list(self._having(aggregates, keys))
        keys += [o for o in self._plain(aggregates) if o.expression not in {k.expression for k in keys}]
        if having and aggregates and not keys and self._counts_besides():
            # "Which ports have more than 3 piers? Also show their number": of each.
            node = self._asked_node()
            keys = [Output(Entity(name_of_node(node)), phrase(self._draft.nodes[node].label), node)]
        outputs = _without_wholes(_distinct([*self._once(keys), *aggregates]))
        # What only sorts is not what is asked for.
        asked_for = [use for n, use in enumerate(self._uses) if n not in self._taken]
        self._loose += sum(_UNASKED for use in asked_for if self._is_another_kind(use))
        if outputs and not aggregates and self._asks_twice(outputs):
            node = self._asked_node()
            outputs = [Output(Entity(name_of_node(node)), phrase(self._draft.nodes[node].label), node), *outputs]
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
        if (self._draft.hops or aggregates) and any(self._tells_name(o) for o in outputs):
            # What is named is hardly what is asked for, and nobody counts it.
            counts = any(isinstance(o.expression, Aggregate) and self._tells_name(o) for o in outputs)
            self._loose += _COUNTED_ITSELF if counts and not self._draft.hops else _NAMED_ITSELF
        if self._is_yes_no() and not aggregates and any(isinstance(o.expression, Property) for o in outputs):
            # Whether something is so is not told by what it has.
            self._loose += _UNASKED
        # What things are counted or averaged by for their order is shown beside them.
        shown = [h for h in hidden if isinstance(h.expression, Aggregate) and not aggregates]
        if shown:
            outputs = [*(outputs if entity >= 0 else map(self._named, outputs)), *shown]
        return self._built(outputs, hidden, having, order, limit, entity)

    def _extreme_of_each(self, order: tuple[Expression, bool] | None, limit: int | None) -> Output | None:
        """Of each of what the largest of something is asked for ("the tallest tower of each town")."""
        measure = order[0] if order is not None else None
        owners = {name_of_node(i) for i in range(len(self._draft.nodes))}
        if (
            not isinstance(measure, Property)
            or measure.owner not in owners
            or limit != 1
            or any(is_rank(m) and m.value.limit for m in self._marks)
        ):
            return None
        for mark in self._marks:
            at = self._next_use(mark.end, NEXT) if mark.deed == Deed.GROUP and not mark.doubtful else None
            use = self._uses[self._compound(at)] if at is not None else None
            if use is None or use.side != "node" or use.kind not in ("label", "property") or use.spent:
                continue
            is_own = name_of_node(use.at) == measure.owner
            if is_own == (use.kind == "property") and not (is_own and self._is_crowded(use)):
                self._met.add(mark)
                return next(iter(self._outputs(use)))
        return None

    def _is_crowded(self, use: Use) -> bool:
        """Whether there are too many things to hold each against each."""
        return self._catalog.schema.labels[self._draft.nodes[use.at].label].count.value > _MOST_COMPARED

    def _of_each(self, group: Output, measure: Output, order: tuple[Expression, bool] | None) -> Query | None:
        """The query for the largest thing of each group, with what it is the largest by."""
        assert isinstance(measure.expression, Property)
        assert isinstance(group.expression, Property | Entity)
        assert order is not None
        owner = measure.expression.owner
        (thing,) = (i for i in range(len(self._draft.nodes)) if name_of_node(i) == owner)
        things = Output(Entity(owner), phrase(self._draft.nodes[thing].label), thing)
        all_of_them = self._built([self._named(group), self._named(things), measure], [], [], None, None, -1)
        if all_of_them is None:
            return None
        of = group.expression if isinstance(group.expression, Property) else group.expression.owner
        pattern = of_each(all_of_them.pattern, measure.expression, of, descending=order[1])
        extreme = f"of each {group.words} the {FUNCTIONS['max' if order[1] else 'min']} {measure.words}"
        if pattern is None:
            return None
        return replace(all_of_them, pattern=pattern, words=f"{all_of_them.words}, {extreme}")

    def _built(
        self, outputs: Sequence[Output], hidden: Sequence[Output], having: Sequence[tuple[Output, Having]],
        order: tuple[Expression, bool] | None, limit: int | None, entity: int,
    ) -> Query | None:  # fmt: skip
        match = self._match()
        columns: list[Projection] = []
        for output in outputs:
            one = output if entity >= 0 else self._named(output)
            name = THING if one.entity >= 0 else _fresh(one.words, columns, self._of_whom(one))
            columns.append(Projection(one.expression, name))
        extra = [o.expression for o in hidden] + [o.expression for o, _ in having]
        for expression in dict.fromkeys(extra):
            if all(c.expression != expression for c in columns):
                columns.append(Projection(expression, f"m{len(columns)}", hidden=True))
        named = {c.expression: c.name for c in columns}
        conditions = tuple(replace(h, column=named[o.expression]) for o, h in having)
        orders: tuple[Order, ...] = ()
        if order is not None and order[0] in named:
            orders = (Order(named[order[0]], order[1]),)
        elif limit is None:
            # Years and months come in their order.
            parts = (c.name for c in columns if isinstance(c.expression, Property) and c.expression.part)
            orders = tuple(Order(name) for name in parts)
        is_grouped = any(isinstance(c.expression, Aggregate) for c in columns)
        if self._clashes(columns):
            return None
        if is_grouped:
            # "Which country has the most" is none that is unknown, and what has no date is of no year.
            keys = [c.expression for c in columns if isinstance(c.expression, Property) and not c.hidden]
            keys = keys if limit is not None else [key for key in keys if key.part]
            known = (Filter(replace(key, part=""), "is not null") for key in keys)
            match = replace(match, filters=(*match.filters, *known))
        pattern = replace(
            match, returns=tuple(columns), distinct=not is_grouped, having=conditions, order=orders, limit=limit,
            grouped=self._grouped(),
        )  # fmt: skip
        denied = Denial(self._asked, self._draft, self._uses, self._flags, self._may_be_nothing)
        chosen = Choosing(self._asked, self._draft, self._uses)
        pattern = chosen.applied(denied.applied(pattern))
        self._met |= denied.met | chosen.met
        pattern = with_optional_counts(pattern, self._asked, self._draft, self._uses)
        pattern = with_asides(pattern, self._draft, self._catalog)
        counted = [f"{output.words} {having.operator} {having.value}" for output, having in having]
        if self._counted is not None:
            counted += [f"{self._counted.words} {h.operator} {h.value}" for h in self._measured]
        words = Saying(self._draft, self._ways).query(pattern, outputs, hidden, counted)
        return Query(pattern, words, entity, self._loose, tuple(self._unmet()))

    def _may_be_nothing(self, use: Use) -> bool:
        """Whether a property holds amounts that are 0 where there is nothing."""
        info = self._catalog.info(self._holder(use)) if use.at >= 0 and use.keys else None
        return info is not None and info.type in NUMERIC_TYPES and any(sample == 0 for sample in info.samples)

    def _of_whom(self, output: Output) -> str:
        """The words of a column with the label that it is of, where that is a node's property."""
        owner = output.expression.owner if isinstance(output.expression, Property) else ""
        node = next((i for i in range(len(self._draft.nodes)) if name_of_node(i) == owner), None)
        return output.words if node is None else f"{phrase(self._draft.nodes[node].label)} {output.words}"

    def _grouped(self) -> Grouped | None:
        if self._counted is None:
            return None
        by = tuple(map(name_of_node, self._whose or (self._per,)))
        return Grouped(by, (Projection(self._counted.expression, COUNTED),), tuple(self._measured))

    def _clashes(self, columns: Sequence[Projection]) -> bool:
        """Whether a column aggregates what is gone once counts are aggregated."""
        aggregates = [c.expression for c in columns if isinstance(c.expression, Aggregate)]
        plain = [a.of for a in aggregates if not isinstance(a.of, Measure)]
        kept = set(map(name_of_node, self._whose or (self._per,)))
        return self._counted is not None and any(o is None or o.owner not in kept for o in plain)

    def _unmet(self) -> Iterator[Mark]:
        """Marks that change what is asked, that nothing was made of, and that no name or value has for a word."""
        has_aggregate = self._marks_deed(Deed.AGGREGATE) or self._marks_deed(Deed.SUPERLATIVE)
        for mark in self._asked.marks:
            is_done = mark in self._met or any(covers(self._asked, use, mark) for use in self._uses)
            if self._is_number_of_things(mark) or self._is_compared_with(mark):
                yield mark
            if mark.deed not in _CHANGING or is_done:
                continue
            if mark.deed == Deed.EITHER:
                if self._chooses(mark):
                    yield mark
            elif not mark.doubtful and (mark.deed != Deed.GROUP or has_aggregate or mark.text.lower() == "per"):
                yield mark

    def _is_number_of_things(self, mark: Mark) -> bool:
        """Whether a number right before a noun for things ("at least ten ships") was taken for a value of a property
        that no word names."""
        if mark.deed != Deed.HAVING or mark in self._met:
            return False
        value = next((u for u in self._uses if u.kind == "value" and covers(self._asked, u, mark)), None)
        if value is None or any(u.spent and u.at == value.at and u.keys == value.keys for u in self._uses):
            return False
        if self._says_times(mark):
            return True
        follows = next((u for u in self._uses if u.first == value.last and u.kind == "label"), None)
        return follows is not None and self._asked.units[follows.last - 1].text.endswith("s")

    def _is_compared_with(self, mark: Mark) -> bool:
        """Whether a property is compared with an aggregate ("deeper than the average") of which nothing was made."""
        if self._draft.compared is not None and mark not in self._draft.marks:
            return False
        before = [u.text for u in self._asked.units if u.end <= mark.start and u.text not in ARTICLES]
        is_value = mark.deed in (Deed.AGGREGATE, Deed.SUPERLATIVE) and mark.value != "count" and not mark.doubtful
        return is_value and before[-1:] != [] and before[-1] in COMPARATIVE_LINKS

    def _chooses(self, mark: Mark) -> bool:
        """Whether "or" stands right beside what the query asks for, so that the other choice is left out of it or is
        asked for as well."""
        if mark.text.lower() != "or":
            return False
        ends = max((e for u in self._uses if (e := self._asked.units[u.last - 1].end) <= mark.start), default=None)
        begins = min((b for u in self._uses if (b := self._char(u)) >= mark.end), default=None)
        is_before = ends is not None and not self._between(ends, mark.start)
        return is_before or (begins is not None and not self._between(mark.end, begins))

    # --- the match ---------------------------------------------------------------------------------------------------

    def _match(self) -> Pattern:
        nodes = tuple(PatternNode(name_of_node(i), (n.label,)) for i, n in enumerate(self._draft.nodes))
        hops = []
        filters: list[Filter] = []
        for i, (link, way) in enumerate(zip(self._draft.hops, self._ways, strict=True)):
            types = tuple(map(Descriptor, (link.type, *link.others)))
            hops.append(Hop(name_of_hop(i), name_of_node(link.start), name_of_node(link.end), types, way))
            filters += [f for t in link.tests if not self._is_bound(t) for f in self._filters(name_of_hop(i), t)]
        bindings: list[Binding] = []
        for i, node in enumerate(self._draft.nodes):
            named = [t for t in node.tests if self._names(node.label, t)]
            bindings += [Binding(name_of_node(i), t.key, t.conditions[0].several) for t in named]
            others = [t for t in node.tests if t not in named and not self._is_bound(t)]
            filters += [f for t in others for f in self._filters(name_of_node(i), t)]
        filters += [*self._known(), *self._amount_filters()]
        if (two := self._draft.equal) is not None:
            left, right = Property(name_of_node(two.node), two.key), Property(name_of_node(two.other), two.other_key)
            filters.append(Filter(left, "=", right))
        pattern = Pattern(nodes, tuple(hops), tuple(bindings), filters=tuple(filters))
        if (one := self._draft.compared) is None:
            return pattern
        variable = name_of_node(one.at) if one.side == "node" else name_of_hop(one.at)
        told = Use("property", 0, 0, one.side, one.at, (one.key,))
        left = replace(self._property(told, numeric=True), owner=variable)
        condition, yardstick = with_yardstick(pattern, self._draft, left)
        return replace(pattern, filters=(*pattern.filters, condition), yardstick=yardstick)

    def _filters(self, variable: str, test: Test) -> Iterator[Filter]:
        for condition in test.conditions:
            right = condition.operand
            yield Filter(Property(variable, test.key, condition.numeric), condition.operator, right)

    # --- plain columns -----------------------------------------------------------------------------------------------

    def _tells_name(self, output: Output) -> bool:
        """Whether a column is the thing of some name, or that name."""
        told = output.expression.of if isinstance(output.expression, Aggregate) else output.expression
        nodes = range(len(self._draft.nodes))
        node = next((i for i in nodes if name_of_node(i) == getattr(told, "owner", "")), -1)
        if node < 0 or not self._is_called(node):
            return False
        if told is not output.expression and not self._is_named_apart(node):
            # "How many Anns" counts those of a name.
            return False
        if isinstance(output.expression, Entity) and self._is_one_of_many(node):
            return False
        names = self._catalog.naming(self._draft.nodes[node].label)
        return isinstance(told, Entity) or (isinstance(told, Property) and told.key in names)

    def _is_one_of_many(self, node: int) -> bool:
        """Whether those of a name are asked for that several have ("individuals named Amy", "all Emilys")."""
        own = [u for u in self._uses if u.side == "node" and u.at == node and u.kind in ("label", "value")]
        name = next((u for u in own if u.kind == "value" and u.is_name), None)
        if name is None or self._catalog.info(self._holder(name)).unique:
            return False
        head = min(own, key=lambda u: u.first)
        return head == self._uses[0] and self._asked.units[head.last - 1].text.endswith("s")

    def _is_named_apart(self, node: int) -> bool:
        """Whether the name of a node stands apart from the noun for it ("how many rivers do Ys and Ulm feed")."""
        own = [u for u in self._uses if u.side == "node" and u.at == node]
        label = next((u for u in own if u.kind == "label"), None)
        name = next((u for u in own if u.kind == "value" and u.is_name), None)
        if label is None and name is not None:
            # One Ann is not counted, Anns are.
            return not self._asked.units[name.last - 1].text.endswith("s")
        if label is None or name is None or name.last <= label.first:
            return False
        return any(u.text in YES_NO_STARTS or u.text == "or" for u in self._asked.units[label.last : name.first])

    def _once(self, keys: Sequence[Output]) -> Iterator[Output]:
        """The keys without things whose names are keys as well."""
        told = {k.expression for k in keys}
        for key in keys:
            main = self._catalog.main_key(self._draft.nodes[key.entity].label) if key.entity >= 0 else None
            if main is None or Property(name_of_node(key.entity), main) not in told:
                yield key

    def _is_another_kind(self, use: Use) -> bool:
        """Whether a property is an amount or a moment where a place or a person is asked for ("where … born")."""
        words = [unit.text for unit in self._asked.units]
        begins = self._asked.going_on if self._asked.goes_on(use.first) else None
        opening = words[begins + 1] if begins is not None else "".join(words[:1])
        if opening not in ("where", "who", "whom") or use.kind != "property" or use.spent or use.at < 0:
            return False
        return form_of(self._catalog.info(self._holder(use))).meaning in NUMERIC_TYPES | MOMENT_TYPES

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
                asks = asks or self._is_asked_besides(n)
                if (closing and self._is_column(n)) or self._is_listed(n) or asks:
                    yield from self._outputs(use)
                continue
            if use.log < VAGUE and n and not closing and not self._asked.goes_on(use.first):
                continue
            if use.at < 0 or (has_closing and not closing and not self._adds()):
                continue
            if use in self._flags:
                continue
            if closing and aggregates and self._is_restated(use, aggregates):
                continue
            if not closing and self._is_condition(n):
                continue
            if not closing and grouped_by_rest and self._char(use) > first:
                # "In that state" only says a group once more.
                self._loose += _UNUSED * all(u is use or u.keys != use.keys for u in self._uses)
                continue
            if n and not closing and self._only_places(use):
                continue
            yield from self._outputs(use)

    def _asks_twice(self, outputs: Sequence[Output]) -> bool:
        """Whether the columns answer a second question only ("which ship did they use, and which museum shows it")."""
        second = second_question([unit.text for unit in self._asked.units])
        first = self._uses[0] if self._uses else None
        if second is None or first is None or first.kind != "label" or first.first > second:
            return False
        before = {name_of_node(u.at) for u in self._uses if u.side == "node" and u.first < second}
        owners = {o.expression.owner for o in outputs if isinstance(o.expression, Entity | Property)}
        return bool(owners) and not owners & before

    def _counts_besides(self) -> bool:
        """Whether things are told by a number first, and counted only then ("… more than 3 piers? Also show how
        many")."""
        told = [m.start for m in self._marks if m.deed == Deed.HAVING]
        counted = [m.start for m in self._marks if m.deed == Deed.AGGREGATE and not m.doubtful]
        return bool(told) and bool(counted) and min(told) < min(counted)

    def _listed_with(self, aggregates: Sequence[Output]) -> Output | None:
        """The things asked for, where all that is aggregated is wanted beside them ("list the ports together with the
        number of ships")."""
        begins = self._asked.going_on
        sorting = self._measures.values()
        marks = [m for m in self._marks if m.deed == Deed.AGGREGATE and not m.doubtful and m not in sorting]
        if not aggregates or begins is None or not self._uses or self._uses[0].first > begins:
            return None
        if any(m.start < self._asked.units[begins].start for m in marks):
            return None
        node = self._asked_node()
        is_counted = any(a.expression.of == Entity(name_of_node(node)) for a in aggregates
                         if isinstance(a.expression, Aggregate))  # fmt: skip
        return None if is_counted else Output(Entity(name_of_node(node)), phrase(self._draft.nodes[node].label), node)

    def _is_asked_besides(self, n: int) -> bool:
        """Whether a label is what a second question asks for ("…, and what are the ports of these ships?")."""
        begins = self._asked.going_on
        if begins is None or not 0 < begins < self._uses[n].first:
            return False
        between = [unit.text for unit in self._asked.units[begins + 1 : self._uses[n].first]]
        return between[:1] in (["what"], ["which"], ["who"]) and all(w in ARTICLES | COPULAS for w in between[1:])

    def _is_column(self, n: int) -> bool:
        """Whether a label in the closing clause is one of those listed, and not what another one is of or in."""
        if self._compound(n) != n or self._is_owner(n):
            return False
        for i in range(self._uses[n].first - 1, -1, -1):
            word = self._asked.units[i].text
            if word not in ARTICLES and word not in EACH:
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
        before = [unit.text for unit in self._asked.units if unit.start < self._closing]
        goes_on = before[-1:] == ["and"] and (self._asks_for_a_property() or self._closes_with_others())
        return "also" in before[-2:] or goes_on

    def _closes_with_others(self) -> bool:
        """Whether all that closes a question is asked of other things than it opens with ("Identify the names of the
        ships that …, and list the tonnage of those ports")."""
        told = [use for use in self._uses if use.kind == "property" and not use.spent and use.at >= 0]
        closing = [use for use in told if self._in_closing(self._char(use))]
        return bool(closing) and all(use.at != told[0].at for use in closing) and told[0] is self._uses[0]

    def _asks_for_a_property(self) -> bool:
        """Whether a question opens by asking for a property that is no name ("Identify the types of")."""
        first = self._uses[0] if self._uses else None
        before = [unit.text for unit in self._asked.units[: first.first]] if first else []
        is_told = first is not None and first.kind == "property" and not first.spent and not first.is_name
        return is_told and all(not carries_meaning(word) for word in before)

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
        word = words[use.last - 1]
        is_participle = word.endswith("ed") or word in IRREGULAR_FORMS or word in EVENT_NOUNS
        is_verb = is_participle and "".join(words[use.last : use.last + 1]) in PLACING | {"as"}
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
        owned = [i for i in range(max(0, first - 2), first) if words[i] in POSSESSIVES]
        is_told = any((u.kind == "label" or is_agent_noun(self._asked, u, self._uses)) and u.last <= first
                      for u in self._uses)  # fmt: skip
        is_added = bool(owned) and words[owned[0] - 1] in ADDING and is_told
        going_on = self._asked.going_on
        is_twofold = going_on is not None and first > going_on and words[0] in ("who", "which", "what")
        if not is_added and not is_twofold:
            return None
        node = self._asked_node()
        return Output(Entity(name_of_node(node)), phrase(self._draft.nodes[node].label), node)

    def _is_condition(self, n: int) -> bool:
        """Whether a property is said to be there rather than asked for ("people who have a phone number")."""
        use = self._uses[n]
        if self._is_known(use) or denier(self._asked, use) is not None:
            return True
        if [u.text for u in self._asked.units[: use.first] if u.text not in ARTICLES][-2:] == ["along", "with"]:
            return False
        begins = max(1, self._uses[0].last, (self._asked.going_on or 0) + 2 if self._asked.goes_on(use.first) else 0)
        if any(unit.text in CLAUSE_OPENERS for unit in self._asked.units[begins : use.first]):
            return True
        return self._is_had(n)

    def _is_had(self, n: int) -> bool:
        """Whether a thing is said to have a property ("people who have a phone number", "with an email")."""
        use = self._uses[n]
        if self._asked.units[use.last - 1].text in MEASURING_VERBS and n + 1 == len(self._uses):
            # "Which repairs have cost the most": a verb.
            return False
        before = [unit.text for unit in self._asked.units[max(0, use.first - 3) : use.first]]
        has = any(word in ("have", "has", "having", "had", "with") for word in before) and "along" not in before
        has = has and not POSSESSIVES & set(before)
        return has and any(u.kind in ("label", "property") and not u.spent for u in self._uses[:n])

    def _is_opposite(self, use: Use) -> bool:
        """Whether a flag's word is the opposite of its key ("unaccepted")."""
        word, words = self._asked.units[use.last - 1].text, split_name(use.keys[0])
        prefix = next((p for p in OPPOSING_PREFIXES if word.startswith(p)), None)
        is_said = prefix is not None and is_a_word_of(word.removeprefix(prefix), use.keys[0])
        return is_said and prefix is not None and not any(w.startswith(prefix) for w in words)

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
        flags: dict[Property, bool] = {}
        deeds: set[Property] = set()
        for use in self._flags:
            is_denied = (flag_denier(self._asked, use, self._uses) is not None) != self._is_opposite(use)
            flags[self._property(use)] = is_denied or flags.get(self._property(use), False)
            deeds |= {self._property(use)} if self._catalog.info(self._holder(use)).type != "boolean" else set()
        # "Do not allow visitors" may say one property twice.
        for flag, is_denied in flags.items():
            if flag in deeds:
                yield Filter(flag, "is null" if is_denied else "is not null")
            else:
                yield Filter(flag, "=", not is_denied)
        for n, use in enumerate(self._uses):
            is_said = (
                use not in self._flags
                and use.kind == "property"
                and not use.spent
                and use.at >= 0
                and (self._is_known(use) or (n not in self._taken and self._is_had(n)))
            )
            if not is_said or denier(self._asked, use) is not None:
                continue
            prop = self._property(use)
            yield Filter(prop, "is not null")
            holder = self._holder(use)
            samples = {s for s in self._catalog.info(holder).samples if isinstance(s, str)}
            for text in sorted(s for s in samples if s.casefold() in PLACEHOLDERS):
                yield Filter(prop, "<>", text)

    def _named(self, output: Output) -> Output:
        """An entity column as its name."""
        if output.entity < 0:
            return output
        key = self._catalog.main_key(self._draft.nodes[output.entity].label)
        return Output(Property(name_of_node(output.entity), key), output.words) if key else output

    def _is_yes_no(self) -> bool:
        words = [unit.text for unit in self._asked.units]
        # "Can you list …" asks for what is listed, "can you go in by boat" whether one can.
        is_request = words[1:2] == ["you"] and (words[2] in REQUEST_WORDS | COMMAND_WORDS if len(words) > 2 else True)
        return words[0] in YES_NO_STARTS and not is_request


def _fresh(words: str, columns: Sequence[Projection], of_whom: str) -> str:
    """A column's name that no other has: its words, with its owner's where they are taken, with a number at last."""
    taken = {c.name for c in columns}
    return next(n for n in (words, of_whom, *(f"{words} {i}" for i in range(2, 99))) if n not in taken)


def _without_wholes(outputs: Sequence[Output]) -> list[Output]:
    """The columns without moments of which the year or the month is one."""
    parts = [o.expression for o in outputs if isinstance(o.expression, Property) and o.expression.part]
    wholes = {replace(part, part="") for part in parts}
    return [o for o in outputs if o.expression not in wholes]


def _distinct(outputs: Sequence[Output]) -> list[Output]:
    return list({o.expression: o for o in reversed(outputs)}.values())[::-1]

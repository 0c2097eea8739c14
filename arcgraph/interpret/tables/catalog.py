"""What a graph's schema offers to a question about values: its terms, and the ways between its labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from arcgraph.domain import PropertyInfo, Schema
from arcgraph.interpret.english import IRREGULAR_FORMS, PREPOSITIONS
from arcgraph.interpret.forms import form_of
from arcgraph.interpret.operators import is_unit
from arcgraph.interpret.tables.english import ABBREVIATIONS, NAME_PARTS, TAIL_NOUNS
from arcgraph.interpret.terms import Calibration, EmbedWords, Term, Vocabulary, shared_stem
from arcgraph.interpret.verbalise import content, relation_words, split_name

# Ways between two labels are at most so long, and at most so many are kept for each pair.
MOST_HOPS = 3
MOST_WAYS = 4
# Beyond so many relationship types a vocabulary is open, and the pattern language of paths serves it better.
MOST_TYPES = 100
_NAME = "name"
# So small a share of edges the other way round is none.
_SELDOM = 0.1
_DAYS = ("date", "datetime", "localdatetime")

Side = Literal["node", "relationship"]


class Holder(NamedTuple):
    """A property of the nodes with a label or of the edges of a type."""

    side: Side
    owner: str
    key: str


class Step(NamedTuple):
    """One hop of a way: the type, whether it is followed along its arrow, and the label that it leads to."""

    type: str
    forward: bool
    label: str


Way = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing of the schema that words may mean."""

    kind: Literal["label", "relation", "property"]
    name: str
    holders: tuple[Holder, ...] = ()


class Catalog:
    """A schema's terms and ways. Thread-safe."""

    def __init__(self, schema: Schema, embed: EmbedWords, calibration: Calibration | None = None):
        self.schema = schema
        self.labels = [name for name in schema.labels if name]
        self.meanings = list(self._meanings())
        terms = [self._term(m) for m in self.meanings]
        self.vocabulary = Vocabulary(terms, embed, calibration)
        self._words = [content(term.words) for term in terms]
        self.by_type: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.shared = self._shared_labels()
        for start, kind, end in self._triples():
            if not any(self._is_within(start, a) and self._is_within(end, b) for a, b in self.by_type[kind]):
                self.by_type[kind].append((start, end))

    def _meanings(self) -> Iterator[Meaning]:
        yield from (Meaning("label", label) for label in self.labels)
        yield from (Meaning("relation", kind) for kind in self.schema.types)
        holders: dict[tuple[str, ...], list[Holder]] = defaultdict(list)
        for holder in self.holders():
            holders[tuple(w.rstrip("s") for w in self._key_words(holder))].append(holder)
        for group in holders.values():
            yield Meaning("property", group[0].key, tuple(group))

    def _key_words(self, holder: Holder) -> tuple[str, ...]:
        """The words of a property's key without the unit that closes it, unless that tells it from another one."""
        words = key_words(holder.key)
        said = without_unit(words)
        owners: Mapping[str, object] = self.schema.labels if holder.side == "node" else self.schema.types
        keys = owners[holder.owner].properties  # type: ignore[attr-defined]
        is_other = any(key != holder.key and without_unit(key_words(key)) == said for key in keys)
        return words if is_other else said

    def _term(self, meaning: Meaning) -> Term:
        is_property = meaning.kind == "property"
        words = self._key_words(meaning.holders[0]) if is_property else relation_words(meaning.name)
        kind: Literal["relation", "label"] = "relation" if meaning.kind == "relation" else "label"
        return Term(kind, f"{meaning.kind} {meaning.name}", words)

    def holders(self) -> Iterator[Holder]:
        """Every property of the graph."""
        for label in self.labels:
            yield from (Holder("node", label, key) for key in self.schema.labels[label].properties)
        for kind, info in self.schema.types.items():
            yield from (Holder("relationship", kind, key) for key in info.properties)

    def info(self, holder: Holder) -> PropertyInfo:
        """What is known of a property."""
        owners: Mapping[str, object] = self.schema.labels if holder.side == "node" else self.schema.types
        return owners[holder.owner].properties[holder.key]  # type: ignore[attr-defined,no-any-return]

    def is_moment(self, meaning: Meaning) -> bool:
        """Whether a property says when."""
        return any(form_of(self.info(holder)).is_moment for holder in meaning.holders)

    # --- names -------------------------------------------------------------------------------------------------------

    def naming(self, label: str) -> tuple[str, ...]:
        """The properties that name nodes of a label: one called so, else all for parts of one, else the naming one."""
        info = self.schema.labels[label]
        by_words = {key: split_name(key) for key in info.properties}
        exact = [key for key, words in by_words.items() if words == (_NAME,)]
        parts = [key for key, words in by_words.items() if words[-1:] == (_NAME,) and NAME_PARTS.intersection(words)]
        if exact or (len(parts) > 1 and info.naming in parts):
            return tuple(exact or sorted(parts, key=parts.index))
        main = info.naming or info.identifying
        return (main,) if main else ()

    def main_key(self, label: str) -> str | None:
        """The property that stands for a node of a label in a table."""
        info = self.schema.labels[label]
        return info.naming or info.identifying

    def moment_keys(self, label: str) -> list[str]:
        """The properties of a label that say when."""
        properties = self.schema.labels[label].properties
        return [key for key, info in properties.items() if form_of(info).is_moment]

    def when_keys(self, label: str) -> list[str]:
        """The properties that answer when: days, or where there are none whatever else says when."""
        properties = self.schema.labels[label].properties
        days = [key for key, info in properties.items() if form_of(info).meaning in _DAYS]
        return days or self.moment_keys(label)

    # --- ways --------------------------------------------------------------------------------------------------------

    def _triples(self) -> list[tuple[str, str, str]]:
        """Endpoint triples, those of the most edges first."""
        known = set(self.labels)
        found = [e for e in self.schema.endpoints if e.start in known and e.end in known and e.count.value != 0]
        found.sort(key=lambda e: -e.count.value)
        return [(e.start, e.type, e.end) for e in found]

    @cached_property
    def _steps(self) -> Mapping[str, list[Step]]:
        """The steps from each label; of several labels that one type leads to, those of the most edges first."""
        steps: dict[str, list[Step]] = defaultdict(list)
        for start, kind, end in self._triples():
            steps[start].append(Step(kind, True, end))
            # Between two nodes of one label it is the wording that tells which way a step goes.
            if start != end:
                steps[end].append(Step(kind, False, start))
        return steps

    @cached_property
    def _general_steps(self) -> Mapping[str, list[Step]]:
        """The same with only the most frequent label that a type leads to: what lies in between needs no other."""
        return {label: list({(s.type, s.forward): s for s in reversed(steps)}.values()) for label, steps in
                self._steps.items()}  # fmt: skip

    def ways(self, start: str, end: str) -> list[Way]:
        """The shortest ways between two labels, and those one hop longer; a hop that goes straight back is none."""
        if (start, end) not in self._ways:
            self._ways[start, end] = self._found(start, end)
        return self._ways[start, end]

    @cached_property
    def _ways(self) -> dict[tuple[str, str], list[Way]]:
        return {}

    def _found(self, start: str, end: str) -> list[Way]:
        found: list[Way] = []
        fringe: list[Way] = [()]
        for length in range(1, MOST_HOPS + 1):
            longer: list[Way] = []
            for way in fringe:
                at = way[-1].label if way else start
                found += [(*way, s) for s in self._steps[at] if s.label == end and not _returns(way, s)]
                longer += [(*way, s) for s in self._general_steps[at] if not _returns(way, s) and s.label != end]
            fringe = longer
            if found and length > len(found[0]):
                break
        return found[: MOST_WAYS * 2 if len(found[0:1]) and len(found[0]) == 1 else MOST_WAYS]

    def goes_both_ways(self, kind: str, start: str, end: str) -> bool:
        """Whether edges of a type lead from the one label to the other, and about as often back; a few that do may be
        mistakes of the data."""
        if start == end:
            return True
        there, back = self._counts.get((start, kind, end), 0), self._counts.get((end, kind, start), 0)
        return min(there, back) > _SELDOM * max(there, back)

    @cached_property
    def _counts(self) -> Mapping[tuple[str, str, str], int]:
        return {(e.start, e.type, e.end): e.count.value for e in self.schema.endpoints}

    def ends(self, kind: str, label: str) -> list[Step]:
        """Where a type leads from a label: the most frequent label each way first, none that is a part of another."""
        found: list[Step] = []
        for step in self._steps[label]:
            if step.type == kind and not any(
                step.forward == s.forward and self._is_within(step.label, s.label) for s in found
            ):
                found.append(step)
        return found

    def _is_within(self, label: str, other: str) -> bool:
        """Whether what bears a label may as well be spoken of by another, more general one."""
        return label == other or (label, other) in self.shared

    # --- labels that nodes share -------------------------------------------------------------------------------------

    def _shared_labels(self) -> frozenset[tuple[str, str]]:
        """Pairs of labels that one node may bear: where both have the same ends of a type and much the same keys."""
        found = set()
        keys = {label: frozenset(self.schema.labels[label].properties) for label in self.labels}
        for one in self.labels:
            for other in self.labels:
                common = keys[one] & keys[other]
                types = {s.type for s in self._steps[one]} & {s.type for s in self._steps[other]}
                if one != other and types and len(common) >= 4 and common == min(keys[one], keys[other], key=len):
                    found.add((one, other))
        return frozenset(found)

    # --- meanings of phrases -----------------------------------------------------------------------------------------

    def named_by(self, phrase: tuple[str, ...]) -> list[Meaning]:
        """What has a name of just these words, plural endings, derivations and usual abbreviations aside."""
        written = tuple(ABBREVIATIONS.get(word, word) for word in phrase)
        forms = (phrase,) if written == phrase else (phrase, written)
        same = (i for i in self._by_size.get(len(phrase), ()) if any(are_same(form, self._words[i]) for form in forms))
        return [self.meanings[i] for i in same]

    @cached_property
    def relations_by_words(self) -> Mapping[tuple[str, ...], str]:
        """The relations whose names of several words begin with a preposition (ON_CALL_FOR), by their words, and by
        these without the preposition that closes them."""
        found: dict[tuple[str, ...], str] = {}
        for name in self.schema.types:
            words = split_name(name)
            if len(words) > 1 and words[0] in PREPOSITIONS:
                found[words] = name
                if words[-1] in PREPOSITIONS and len(words) > 2:
                    found.setdefault(words[:-1], name)
        return found

    @cached_property
    def heads(self) -> Mapping[str, tuple[str, ...]]:
        """The labels whose names of several words end with a word."""
        found: dict[str, tuple[str, ...]] = {}
        for meaning, words in zip(self.meanings, self._words, strict=True):
            if meaning.kind == "label" and len(words) > 1:
                head = words[-1].rstrip("s")
                found[head] = (*found.get(head, ()), meaning.name)
        return found

    def numbered(self, phrase: tuple[str, ...]) -> list[Meaning]:
        """The properties whose names are a phrase and a noun for a number ("NHS ID": nhs_no)."""
        found = (self.meanings[i] for i in self._by_size.get(len(phrase) + 1, ()))
        own = ((meaning, key_words(meaning.name)) for meaning in found if meaning.kind == "property")
        return [meaning for meaning, words in own if words[-1] in TAIL_NOUNS and are_same(phrase, words[:-1])]

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words of the labels' names."""
        return frozenset(word for label in self.labels for word in split_name(label))

    def called(self, word: str) -> list[Meaning]:
        """What has a single word as its whole name, plural endings aside."""
        forms = _singulars(word)
        return [self.meanings[i] for i in self._by_size.get(1, ()) if forms & _singulars(self._words[i][0])]

    @cached_property
    def _by_size(self) -> Mapping[int, list[int]]:
        sizes: dict[int, list[int]] = defaultdict(list)
        for i, words in enumerate(self._words):
            sizes[len(words)].append(i)
        return sizes


@lru_cache(maxsize=10_000)
def _singulars(word: str) -> frozenset[str]:
    """What a word may be the plural of, or say of something ("surnamed"), and itself."""
    endings = (("ies", "y"), ("es", ""), ("s", ""), ("ed", "e"))
    return frozenset(
        (word, *(word[: -len(e)] + one for e, one in endings if word.endswith(e) and len(word) > len(e) + 1))
    )


def are_same(phrase: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether two phrases are the same word for word, plural endings and derivations aside."""
    return len(phrase) == len(words) and all(
        (begin_alike(a, b) and shared_stem(a, b) >= _SAME and abs(len(a) - len(b)) <= _ENDING) or b in _singulars(a)
        for a, b in zip(phrase, words, strict=True)
    )


def begin_alike(a: str, b: str) -> bool:
    """Whether two words may be forms of one: a compound ("surname") is another word than its last part."""
    return IRREGULAR_FORMS.get(a, a)[:_BEGINNING] == IRREGULAR_FORMS.get(b, b)[:_BEGINNING]


# Forms of one word differ by endings of at most so many letters.
_ENDING = 4
_BEGINNING = 2
_SAME = 0.75


def _returns(way: Way, step: Step) -> bool:
    """Whether a step only goes back by the edge just taken."""
    return bool(way) and way[-1].type == step.type and way[-1].forward != step.forward


def key_words(key: str) -> tuple[str, ...]:
    """The words of a property key, usual abbreviations written out ("phoneNo": phone number)."""
    words = split_name(key)
    return tuple(ABBREVIATIONS.get(word, word) for word in words) or (key.lower(),)


def without_unit(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a key without the unit that closes them ("depth_m", "area_km2", "lifespan_years")."""
    end = len(words)
    while end > 1 and is_unit(words[end - 1]):
        end -= 1
    return words[:end]

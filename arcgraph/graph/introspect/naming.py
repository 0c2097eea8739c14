"""Which property names the entities of a label, and which tells them apart where nothing names them.

Decided from values: names are words, short, on most entities and different for most. What a key is called is a weak
prior on top, in general words only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from arcgraph.graph.introspect.properties import KeyProfile

_NAME_WORDS = {
    **dict.fromkeys(("name", "title"), 3.0),
    **dict.fromkeys(("label", "caption", "heading", "headline", "designation", "term", "alias", "nickname"), 2.0),
    # The same notion in languages that many graphs are kept in.
    **dict.fromkeys(("nom", "nombre", "nome", "titel", "titre", "titulo", "título", "titolo", "bezeichnung"), 2.0),
    **dict.fromkeys(("名称", "名字", "姓名", "名", "标题", "名前", "이름", "имя", "название", "اسم"), 2.0),
}
# Words that make a name a whole one, or only a part of one.
_WHOLE = {"full", "display", "official", "preferred", "canonical", "common", "main", "primary", "original"}
_PART = {"first", "middle", "given", "maiden", "fore", "file", "host", "short", "sort"}
_FAMILY = {"last", "family", "sur"}
_KEY_WORDS = {
    **dict.fromkeys(("id", "key", "code", "number", "no", "nr", "num", "uid", "identifier", "ref", "reference"), 2.0),
    **dict.fromkeys(("slug", "symbol", "sku", "isbn", "serial", "registration", "reg", "badge", "ticker"), 1.5),
    **dict.fromkeys(("email", "phone", "iri", "uri", "url", "uuid", "guid", "hash", "address", "handle"), 1.0),
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z\d_]+|\d+")

# Three Latin letters in a row, or one of a script in which a single sign may be a word.
_SPOKEN = re.compile(r"[^\W\d_]{3}|[^\W\d_\x00-\u024f]")
_CODE = re.compile(r"\S*\d\S*")
_UUID = re.compile(r"(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}|[0-9a-f]{24,128}")
_ADDRESS = re.compile(r"(?i)[a-z][a-z0-9+.-]*://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+|(/[\w.-]+){2,}/?")
_NUMBER = re.compile(r"[\s\d.,:/+()%$€£-]+")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./-]\d\d?[./-]\d{2,4}.*|\d\d?:\d\d(:\d\d.*)?")

_MIN_COVERAGE = 0.5
_MAX_LENGTH = 100
_TAKEN = 1.0


def split_key(key: str) -> tuple[str, ...]:
    """The words of a key in lower case: ``productName``, ``product_name`` and ``productname`` give the same two."""
    words = [word.lower() for word in _WORD.findall(key)]
    if words and len(words[-1]) > 4 and words[-1].endswith("name"):
        words[-1:] = [words[-1][:-4], "name"]
    return tuple(words)


def choose_naming(label: str, profiles: Sequence[KeyProfile]) -> tuple[str | None, str | None]:
    """The naming and the identifying key of a label's nodes, each ``None`` where no property serves."""
    keys = [split_key(profile.key) for profile in profiles]
    own = _singular(split_key(label))
    naming = _best(profiles, lambda profile: _name_score(profile, own, keys))
    others = [profile for profile in profiles if profile.key != naming]
    return naming, _best(others, lambda profile: _key_score(profile, own))


def _best(profiles: Iterable[KeyProfile], score: Callable[[KeyProfile], float]) -> str | None:
    ranked = sorted((-score(profile), len(profile.key), profile.key) for profile in profiles)
    return ranked[0][2] if ranked and -ranked[0][0] >= _TAKEN else None


# --- names -------------------------------------------------------------------------------------------------------


def _name_score(profile: KeyProfile, own: tuple[str, ...], keys: Sequence[tuple[str, ...]]) -> float:
    words = split_key(profile.key)
    prior = _name_prior(words, own, keys)
    if not _can_name(profile, prior):
        return 0.0
    return (
        prior
        + profile.coverage
        + 1.5 * min(1.0, 1.25 * profile.distinctness)
        + 0.5 * profile.share(_is_wordy)
        - 2.0 * (1.0 - profile.share(lambda value: not is_odd(value)))
        - (1.0 if profile.mean_length > 60 else 0.0)
        - (1.0 if prior >= 1.0 else 1.5)
    )


def _name_prior(words: tuple[str, ...], own: tuple[str, ...], keys: Sequence[tuple[str, ...]]) -> float:
    prior = _NAME_WORDS.get(words[-1], 0.0) if words else 0.0
    before = _singular(words[:-1])
    if not prior or not before:
        return prior
    if set(before) & _PART:
        return prior - 2.0
    if set(before) & _FAMILY:
        return prior - 1.5
    if before == own or set(before) <= _WHOLE:
        return prior + 0.5
    # A prefix that several keys share speaks of something else than the node: a contact, a shipment.
    shared = sum(1 for other in keys if _singular(other[: len(before)]) == before) > 1
    return prior - (2.0 if shared else 0.5)


def _can_name(profile: KeyProfile, prior: float) -> bool:
    types = profile.info.types
    if not types:  # no value was read in time: then the key's own words must do
        return prior >= 2.0 and profile.coverage >= _MIN_COVERAGE
    texts = types.get("string", 0) + types.get("text", 0) * (profile.mean_length <= _MAX_LENGTH)
    numbers = types.get("integer", 0) if prior >= 2.0 else 0
    if texts + numbers < 0.8 * sum(types.values()):
        return False
    if profile.coverage < _MIN_COVERAGE or profile.mean_length > _MAX_LENGTH:
        return False
    if prior < 1.0:
        return profile.distinctness >= 0.8 and profile.share(_is_wordy) >= 0.6 and not _is_key(profile.key)
    if prior < 2.0 and profile.distinctness < 0.5:
        return False
    return profile.share(is_address) < 0.5


def _is_wordy(value: Any) -> bool:
    """Words rather than a code, a number, an address or a date."""
    return isinstance(value, str) and bool(_SPOKEN.search(value)) and not is_odd(value) and not _is_code(value)


def _is_code(value: str) -> bool:
    return bool(_CODE.fullmatch(value)) or (len(value) <= 5 and value.isascii() and value.isupper())


def _is_key(key: str) -> bool:
    """Whether a key's last word says that it holds codes; an address may name a place."""
    words = split_key(key)
    return bool(words) and words[-1] in _KEY_WORDS and words[-1] != "address"


def is_odd(value: Any) -> bool:
    """An identifier, an address, a number or a date, written as text."""
    return isinstance(value, str) and any(form.fullmatch(value) for form in (_UUID, _ADDRESS, _NUMBER, _DATE))


def is_address(value: Any) -> bool:
    """A URL, an e-mail address, a path or a hash."""
    return isinstance(value, str) and bool(_ADDRESS.fullmatch(value) or _UUID.fullmatch(value))


# --- keys --------------------------------------------------------------------------------------------------------


def _key_score(profile: KeyProfile, own: tuple[str, ...]) -> float:
    words = split_key(profile.key)
    prior = _KEY_WORDS.get(words[-1], 0.0) if words else 0.0
    if not _can_identify(profile, prior):
        return 0.0
    before = _singular(words[:-1])
    return (
        1.0
        + prior
        + (2.0 if profile.info.unique else 0.0)
        + (1.0 if before in ((), own) else 0.0)
        + (0.5 if "string" not in profile.info.types else 0.0) * bool(prior)
        - 0.5 * profile.share(is_address)
        - (0.5 if profile.mean_length > 40 else 0.0)
        - 2.0 * profile.share(lambda value: isinstance(value, str) and bool(_DATE.fullmatch(value)))
    )


def _can_identify(profile: KeyProfile, prior: float) -> bool:
    types = profile.info.types
    if not types or set(types) - {"string", "integer"} or profile.coverage < 0.99 or profile.distinctness < 0.99:
        return False
    if profile.info.unique or prior:
        return True
    # Among few owners any value may happen to be unique, and numbers measure more often than they identify.
    return set(types) == {"string"} and profile.info.count.value >= 3


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words)

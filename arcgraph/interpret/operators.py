"""The general words of English for comparing, ordering, counting, grouping, dates and numbers.

Nothing here belongs to a domain or a graph. Another language replaces this module's tables and keeps everything else;
phrases are lower-case, words apart by one blank, and several in a text are parted by semicolons.
"""

from __future__ import annotations

from typing import Literal

Comparing = Literal[
    "=", "<>", "<", "<=", ">", ">=",
    "contains", "starts with", "ends with", "not contains", "not starts with", "not ends with",
]  # fmt: skip
Operator = Literal[Comparing, "range"]


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(";") if phrase.strip())


# --- comparing ---------------------------------------------------------------------------------------------------

# What stands before any value that is compared.
COMPARATORS: dict[Operator, tuple[str, ...]] = {
    ">": _phrases(
        """more than; greater than; larger than; bigger than; higher than; longer than; taller than; heavier than;
        wider than; deeper than; faster than; better than; stronger than; over; above; exceeding; exceeds; exceed;
        exceeded; beyond; in excess of; >"""
    ),
    "<": _phrases(
        """less than; fewer than; smaller than; lower than; shorter than; lighter than; narrower than; slower than;
        cheaper than; worse than; weaker than; under; below; <"""
    ),
    ">=": _phrases(
        """at least; at minimum; a minimum of; minimum of; greater than or equal to; more than or equal to;
        higher than or equal to; larger than or equal to; equal to or greater than; equal to or more than;
        starting from; starting at; upwards of; >=; =>; ≥"""
    ),
    "<=": _phrases(
        """at most; at maximum; a maximum of; maximum of; less than or equal to; fewer than or equal to;
        lower than or equal to; smaller than or equal to; equal to or less than; up to; <=; =<; ≤"""
    ),
    "=": _phrases("exactly; precisely; equal to; equals; equaling; equalling; is; was; are; were; of; =; =="),
    "<>": _phrases(
        """other than; except; except for; excluding; besides; apart from; different from; not equal to; unequal to;
        but not; not; isn't; wasn't; aren't; weren't; !=; <>; ≠"""
    ),
}
# What stands before a moment in time only, where the same word says nothing of an amount ("in 5 films").
MOMENT_COMPARATORS: dict[Operator, tuple[str, ...]] = {
    ">": _phrases("after; later than; newer than; younger than; past; following; subsequent to"),
    "<": _phrases("before; earlier than; older than; prior to; preceding; ahead of"),
    ">=": _phrases(
        """since; starting from; starting in; starting on; in or after; on or after; at or after; after or in;
        after or on; not before; from and after"""
    ),
    "<=": _phrases(
        """until; till; through; up to; by; in or before; on or before; at or before; before or in; before or on;
        not after"""
    ),
    "=": _phrases("in; on; at; during; for; dated; as of; throughout; within; from"),
}
# Of these, those that order any number ("after episode 5").
ORDINAL_COMPARATORS: dict[Operator, tuple[str, ...]] = {
    ">": _phrases("after; later than"),
    "<": _phrases("before; earlier than; prior to"),
    ">=": _phrases("since; not before; at or after; on or after; in or after"),
    "<=": _phrases("until; till; not after; at or before; on or before; in or before"),
}
# Comparatives of age: of an amount here, of a moment above, where they say the opposite.
AMOUNT_COMPARATORS: dict[Operator, tuple[str, ...]] = {
    ">": _phrases("older than"),
    "<": _phrases("younger than"),
    ">=": _phrases("no younger than"),
    "<=": _phrases("no older than"),
}
# What stands behind a value.
SUFFIX_COMPARATORS: dict[Operator, tuple[str, ...]] = {
    ">=": _phrases(
        """or more; or above; or greater; or higher; or over; or larger; or longer; or bigger; or better; or later;
        or newer; or after; or afterwards; and more; and above; and over; and up; and upwards; and later; and after;
        and onward; and onwards; and newer; onward; onwards; upwards; on; at least; at minimum; +"""
    ),
    "<=": _phrases(
        """or less; or fewer; or below; or under; or lower; or smaller; or shorter; or earlier; or before; and less;
        and fewer; and below; and under; and earlier; and before; at most; at maximum; at the most"""
    ),
    "=": _phrases("exactly; precisely"),
}
# Those that may stand behind the noun ("5 lamps or more").
DETACHED_SUFFIXES = _phrases("or more; or less; or fewer; at least; at most; at minimum; at maximum")
# What links values that are compared alike.
ENUMERATORS = frozenset(("", "and", "or", "nor", "as well as"))
# "on" behind a value means "onwards" only where the value begins with one of these ("from 1990 on").
OPENING_WORDS = frozenset(("from",))
# How a text is compared with a part of it.
TEXT_COMPARATORS: dict[Operator, tuple[str, ...]] = {
    "contains": _phrases(
        """contains; contain; containing; contained; includes; include; including; mentions; mention; mentioning;
        has the word; with the word; like"""
    ),
    "starts with": _phrases(
        """starts with; start with; starting with; started with; begins with; begin with; beginning with; prefixed with;
        with the prefix"""
    ),
    "ends with": _phrases(
        "ends with; end with; ending with; ends in; ending in; end in; suffixed with; with the suffix"
    ),
}
# What turns a comparison round when it stands before it ("no more than", "not after").
NEGATORS = _phrases("no; not; never; isn't; aren't; wasn't; weren't; doesn't; don't; didn't")
INVERSES: dict[str, Comparing] = {
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "=": "<>",
    "<>": "=",
    "contains": "not contains",
    "starts with": "not starts with",
    "ends with": "not ends with",
    "not contains": "contains",
    "not starts with": "starts with",
    "not ends with": "ends with",
}
# What compares with a part of a text.
PART_OPERATORS = frozenset((*TEXT_COMPARATORS, *(INVERSES[operator] for operator in TEXT_COMPARATORS)))
# Words that may stand between a comparison and its value ("before the year 1990", "more than a total of 5").
FILLERS = frozenset(
    """the a an year years date dates day month time times timestamp timestamps total of value number word words phrase
    string text term keyword letter letters""".split()
)

# Pairs that hold both ends of a range: before the first, between the two.
RANGES = (
    ("between", _phrases("and; to")),
    ("from", _phrases("to; until; till; through; up to")),
    ("", _phrases("to; through; until; -; –; —")),
)

# --- numbers -----------------------------------------------------------------------------------------------------

# Words for how often something was done.
TIMES_ADVERBS = {"once": 1, "twice": 2, "thrice": 3}
UNITS_WORDS = TIMES_ADVERBS | {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
}
TENS_WORDS = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
MULTIPLIER_WORDS = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}
# Multipliers written right behind a figure.
MULTIPLIER_LETTERS = {"k": 1_000, "K": 1_000, "M": 1_000_000, "mn": 1_000_000, "bn": 1_000_000_000, "B": 1_000_000_000}
# Number words that mean something else more often than a number, unless a comparison stands before them.
WEAK_NUMBER_WORDS = frozenset(("one", "zero", *TIMES_ADVERBS))

ORDINAL_WORDS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
# Behind these words an ordinal is part of a compound and orders nothing ("first name").
ORDINAL_COMPOUNDS = frozenset("name names hand aid class".split())

# What is written in a column of texts where there is no value.
PLACEHOLDERS = frozenset(("", "-", "?", "n/a", "na", "nan", "nil", "none", "null", "unknown", "tbd", "not available"))

# --- units -------------------------------------------------------------------------------------------------------

# Units of time: (months, days, seconds) of one.
TIME_UNITS: dict[str, tuple[int, int, float]] = {
    "millisecond": (0, 0, 0.001),
    "second": (0, 0, 1),
    "minute": (0, 0, 60),
    "hour": (0, 0, 3_600),
    "day": (0, 1, 0),
    "week": (0, 7, 0),
    "month": (1, 0, 0),
    "year": (12, 0, 0),
    "decade": (120, 0, 0),
}
TIME_UNIT_FORMS = {
    **{form: unit for unit in TIME_UNITS for form in (unit, f"{unit}s")},
    **{"ms": "millisecond", "sec": "second", "secs": "second", "min": "minute", "mins": "minute"},
    **{"hr": "hour", "hrs": "hour", "h": "hour"},
}
# Other general units, each by the forms in which it is written.
UNIT_FORMS = {
    form: unit
    for unit, forms in {
        "%": "% percent per-cent",
        "$": "$ dollar dollars usd",
        "€": "€ euro euros eur",
        "£": "£ gbp",
        "¥": "¥ yen",
        "kg": "kg kilo kilos kilogram kilograms kilogramme kilogrammes",
        "g": "g gram grams gramme grammes",
        "mg": "mg milligram milligrams",
        "t": "ton tons tonne tonnes",
        "lb": "lb lbs pound pounds",
        "km": "km kilometer kilometers kilometre kilometres",
        "m": "m meter meters metre metres",
        "cm": "cm centimeter centimeters centimetre centimetres",
        "mm": "mm millimeter millimeters millimetre millimetres",
        "mi": "mi mile miles",
        "ft": "ft foot feet",
        "km/h": "km/h kph kmh",
        "mph": "mph",
        "l": "liter liters litre litres",
        "kB": "kb kilobyte kilobytes",
        "MB": "mb megabyte megabytes",
        "GB": "gb gigabyte gigabytes",
        "TB": "tb terabyte terabytes",
        "W": "watt watts",
        "kW": "kw kilowatt kilowatts",
        "°": "° degree degrees °c °f",
    }.items()
    for form in forms.split()
}
# What a unit measures, and how much of it is one: units of one kind can be told in each other.
UNIT_SCALES: dict[str, tuple[str, float]] = {
    **{"mg": ("mass", 1e-6), "g": ("mass", 1e-3), "kg": ("mass", 1.0), "t": ("mass", 1e3), "lb": ("mass", 0.45359237)},
    **{"mm": ("length", 1e-3), "cm": ("length", 1e-2), "m": ("length", 1.0), "km": ("length", 1e3)},
    **{"ft": ("length", 0.3048), "mi": ("length", 1_609.344)},
    **{"km/h": ("speed", 1.0), "mph": ("speed", 1.609344)},
    **{"kB": ("size", 1e3), "MB": ("size", 1e6), "GB": ("size", 1e9), "TB": ("size", 1e12)},
    **{"W": ("power", 1.0), "kW": ("power", 1e3)},
}
CURRENCY_SIGNS = "$€£¥"
# What multiplies units, in words and in figures.
UNIT_POWERS = frozenset("square cubic squared cubed 2 3".split())
# What a unit is said for ("cubic metres per second").
UNIT_LINKS = frozenset(("per", "a"))


def is_unit(word: str) -> bool:
    """Whether a word is a unit, or a power of one; of time only where it says an amount ("days", and not "day")."""
    return word in UNIT_FORMS or word in UNIT_POWERS or (word in TIME_UNIT_FORMS and word.endswith("s"))


# --- dates -------------------------------------------------------------------------------------------------------

MONTH_FORMS = {
    form: number
    for number, forms in enumerate(
        """january jan; february feb; march mar; april apr; may; june jun; july jul; august aug; september sep sept;
        october oct; november nov; december dec""".split(";"),
        start=1,
    )
    for form in forms.split()
}
# Before these a month's name alone means the month; elsewhere it may be a word or somebody's name.
BEFORE_MONTH = frozenset("in during since until till before after of by each every this from to and between".split())
DECADE_WORDS = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}  # fmt: skip
CENTURY_WORDS = ("century", "centuries", "c.")
BEFORE_NOON, AFTER_NOON = ("am", "a.m.", "a.m"), ("pm", "p.m.", "p.m")
CLOCK_WORDS = {"noon": 12, "midday": 12, "midnight": 0}

# Words in the keys of properties that hold moments, where numbers so large are counted from 1970.
MOMENT_KEY_WORDS = frozenset(
    """date time timestamp datetime ts epoch created updated modified changed added joined started ended begin began end
    start since at on when expires expiry published posted seen""".split()
)

# Time seen from now or from the data's end: by how many units what the word names ended before.
RELATIVE_WORDS = {"last": 1, "previous": 1, "past": 0, "this": 0, "current": 0}
RELATIVE_DAYS = {"today": 0, "yesterday": 1}

# --- ordering, counting, grouping --------------------------------------------------------------------------------

# Superlatives: how they sort an amount, and how a moment in time; "" where they say nothing of the one or the other.
SUPERLATIVES: dict[str, tuple[str, str]] = {
    word: sides
    for words, sides in {
        """most highest largest biggest greatest longest tallest heaviest widest deepest fastest strongest richest
        costliest priciest busiest best top maximum maximal utmost farthest furthest hottest warmest loudest brightest
        hardest""": ("desc", ""),
        """least fewest lowest smallest shortest tiniest lightest narrowest slowest weakest poorest cheapest worst
        bottom minimum minimal nearest closest coldest coolest""": ("asc", ""),
        "latest newest last final most-recent": ("", "desc"),
        "earliest first initial": ("", "asc"),
        "oldest eldest": ("desc", "asc"),
        "youngest": ("asc", "desc"),
    }.items()
    for word in words.split()
}
# Superlatives of several words; "most" and "least" before an adjective need no entry.
SUPERLATIVE_PHRASES = {
    "most recent": ("", "desc"),
    "most recently": ("", "desc"),
    "most common": ("desc", ""),
    "most frequent": ("desc", ""),
    "least recent": ("", "asc"),
    "least common": ("asc", ""),
    "least frequent": ("asc", ""),
}
# "most of the", "at least", "at most", "last name" order nothing.
NO_SUPERLATIVE_BEFORE = frozenset(("at",))
NO_SUPERLATIVE_AFTER = {
    "most": frozenset(("of",)),
    "least": frozenset(),
    "last": ORDINAL_COMPOUNDS,
    "first": ORDINAL_COMPOUNDS,
    "minimum": frozenset(("of",)),
    "maximum": frozenset(("of",)),
}
# An ending that makes any adjective a superlative, and words that merely end so.
SUPERLATIVE_ENDING = "iest"
NO_SUPERLATIVES = frozenset(("priest",))

# Superlatives that without a number are as likely something else ("the last name given", "a final report").
DOUBTFUL_SUPERLATIVES = frozenset("last first final initial best minimum maximum minimal maximal nearest".split())
# Endings of the adjectives that "most" and "least" go with.
ADJECTIVE_ENDINGS = ("ive", "ful", "ous", "al", "able", "ible", "ic", "ant", "ent", "ed", "ing", "ular", "ly", "ern")
# What adjectives measure, by words in the keys of properties.
MEASURES: dict[str, frozenset[str]] = {
    word: frozenset(measures.split())
    for words, measures in (
        ("cheapest costliest priciest expensive costly affordable", "price cost fee fare rate rent premium tariff"),
        ("tallest shortest", "height"),
        ("longest shortest lengthy", "length duration distance runtime time"),
        ("heaviest lightest", "weight mass"),
        ("oldest youngest eldest newest latest earliest recent", "age"),
        ("largest biggest smallest tiniest big large small", "size area acres acreage population volume capacity"),
        ("fastest slowest quick fast slow", "speed velocity"),
        ("deepest", "depth"),
        ("widest narrowest", "width"),
        ("best worst", "rating score grade rank"),
        ("richest poorest wealthy", "income salary wealth worth"),
        ("hottest warmest coldest coolest", "temperature"),
        ("populous", "population"),
        ("popular", "popularity views votes likes rating"),
        ("highest", "height elevation altitude"),
        ("farthest", "distance"),
    )
    for word in words.split()
}
# Adjectives behind "how", by the words above that measure the same.
HOW_ADJECTIVES = {
    "tall": "tallest", "high": "highest", "long": "longest", "heavy": "heaviest", "old": "oldest", "fast": "fastest",
    "large": "largest", "big": "biggest", "small": "smallest", "deep": "deepest", "wide": "widest", "far": "farthest",
    "expensive": "expensive", "costly": "costly", "cheap": "cheapest", "rich": "richest", "hot": "hottest",
    "warm": "warmest", "cold": "coldest", "populous": "populous", "popular": "popular", "good": "best",
}  # fmt: skip
# Verbs for being of some amount, likewise.
MEASURING_VERBS = {
    "cost": "expensive", "costs": "expensive", "costing": "expensive",
    "weigh": "heaviest", "weighs": "heaviest",
    "weighing": "heaviest", "earn": "richest", "earns": "richest", "earning": "richest", "earned": "richest",
}  # fmt: skip
# Words that say equality on purpose.
EXACT_WORDS = ("exactly", "precisely", "equal", "only", "just")

# Words that take the first few of an order: before a number they are a limit.
LIMIT_WORDS = frozenset("top first last bottom limit best".split())
LIMIT_PHRASES = _phrases(
    """limit to; limited to; limit the results to; limit to the first; limit to the top; limited to the top;
    limited to the first; limited to top; limit to top; limit it to; only the first; only the top;
    no more than the first"""
)

AGGREGATES: dict[str, tuple[str, ...]] = {
    "count": _phrases(
        """how many; how often; number of; numbers of; total number of; total count of; count of; counts of; count the;
        count all; count; counts; quantity of; amount of; number; total number; total count; how many times;
        number of times"""
    ),
    "avg": _phrases("average; averages; mean; avg; on average; averaged"),
    "sum": _phrases(
        "total; totals; sum; sum of; sum up; overall; combined; altogether; in total; how much; cumulative"
    ),
    "min": _phrases("minimum; min; minimal"),
    "max": _phrases("maximum; max; maximal"),
    "median": _phrases("median"),
    "stdev": _phrases("standard deviation; stdev"),
    "ratio": _phrases("percentage of; percentage; proportion of; proportion; share of; fraction of; ratio of; ratio"),
}
# Words of the table above that are as well the last noun of a compound ("phone number", "watch count").
COMPOUND_HEADS = frozenset("number numbers count counts total share".split())

GROUPINGS = _phrases(
    """per; for each; for every; for all the different; in each; in every; of each; of every; by each; by every;
    from each; from every; with each; to each; at each; on each; each; every; grouped by; group by; grouping by;
    broken down by; split by; aggregated by; summarised by; summarized by; for each of; for each combination of"""
)
# These may as well say who did something, or how.
DOUBTFUL_GROUPINGS = _phrases("by; across; among; respective; respectively; along with")

DISTINCT = _phrases("distinct; different; unique; various; without duplicates; no duplicates; without repetition")
NEGATIONS = _phrases(
    """not; no; never; without; none; neither; nor; nobody; nothing; isn't; aren't; wasn't; weren't; doesn't; don't;
    didn't; hasn't; haven't; hadn't; cannot; can't; couldn't; won't; lacking; lack; lacks; missing; except; except for;
    excluding; other than; apart from; no longer; not yet; not any more; not anymore"""
)
BOTH = _phrases("both; as well as; and also; at the same time; together with")
EITHER = _phrases("either; or")

ORDERS: dict[str, tuple[str, ...]] = {
    "desc": _phrases(
        """in descending order; descending order; descending; from highest to lowest; highest to lowest;
        from most to least; from largest to smallest; largest to smallest; from newest to oldest; newest to oldest;
        newest first; latest first; highest first; largest first; most first; in decreasing order; decreasing;
        in reverse order; reverse order; desc"""
    ),
    "asc": _phrases(
        """in ascending order; ascending order; ascending; from lowest to highest; lowest to highest;
        from least to most; from smallest to largest; smallest to largest; from oldest to newest; oldest to newest;
        oldest first; earliest first; lowest first; smallest first; in increasing order; increasing; alphabetically;
        in alphabetical order; alphabetical order; chronologically; in chronological order; asc"""
    ),
    "": _phrases(
        """sorted by; sort by; sort them by; ordered by; order by; order them by; ranked by; rank by; rank them by;
        in order of"""
    ),
}

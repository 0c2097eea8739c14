"""The general words of English that interpretation leans on. Nothing here belongs to a domain or a graph.

Another language replaces this module's tables and keeps everything else.
"""

from __future__ import annotations

# Words that carry grammar rather than content.
FUNCTION_WORDS = frozenset(
    """
    a an the of is are was were be been being am do does did done has have had having can could will would shall should
    may might must in on at by for to from with within into onto as and or nor but if than then that this these
    those it its he him his she her hers they them their theirs we us our you your i me my mine there here so such
    me any some all each every both either few several which what who whom whose when where why how s t re ve ll d
    """.split()
)

# Words by which a request opens; they say nothing of what is asked.
COMMAND_WORDS = frozenset("please tell give show find list let know name names want need question answer".split())

# Verbs that open an order, and words that may stand before them.
OPENING_VERBS = frozenset(
    """list show find give name display retrieve return get identify tell provide fetch limit count calculate compute
    determine select output report sort order rank group search look describe explain compare""".split()
)
# Words for the whole of what is asked.
GRAPH_WORDS = frozenset("database dataset graph data system".split())
POLITE_WORDS = frozenset("please can could would will you kindly now then also and".split())

QUESTION_WORDS = frozenset("what which who whom whose when where how".split())

# Question words that may be the subject of the verb behind them.
SUBJECT_WORDS = frozenset(("who",))
DEMONSTRATIVES = frozenset(("this", "these"))
CONJUNCTIONS = frozenset(("and", "both"))
# Words right behind which stands the noun that is asked for.
DETERMINERS = frozenset("which what many".split())
PERSON_WORDS = frozenset("who whom whose".split())
PREPOSITIONS = frozenset("in on at by for to from with within into onto of about".split())

# What a question word asks for when no noun follows it.
NOTIONS = {
    "who": ("person", "people"),
    "whom": ("person", "people"),
    "whose": ("person", "people"),
    "when": ("date", "year", "time"),
    "where": ("location", "place", "country"),
}

# Of what "where" and "when" ask for, the word that stands for it where a question says no more.
BARE_NOTIONS = frozenset(("location", "date"))

# Notions whose answers are written with figures.
FIGURE_NOTIONS = frozenset("year date time number percentage percent amount population price age".split())

# Nouns for moments, which are written with figures.
MOMENT_NOUNS = frozenset("year date day month decade century".split())
# Words for people in general, and nouns for those whom a graph may hold.
ANYONE_WORDS = frozenset("person people persons anyone someone".split())
PEOPLE_NOTION = ("person", "people", "employee", "member", "user", "customer", "student")
# Words that go on with a verb ("fall under"), and name nothing beside it.
PARTICLES = frozenset("under over up down out off about through across along around against upon away".split())

# "what kind of …": the noun that follows is what is classified, the answer is its class.
CLASS_NOUNS = frozenset("kind kinds sort sorts type types category categories class classes".split())
CLASS_NOTION = ("genre", "category", "type")

# Words that say "by the same relation there and back again".
RETURN_WORDS = ("same", "share", "shared", "also", "other", "common", "both", "together", "co", "fellow")

# Words that ask for no more than a description, unless the graph has a relation for what they say.
DESCRIPTION_WORDS = frozenset(
    "about describe describes described describing description information info details facts know known tell".split()
)
# Words whose sense as part of a question is what a thing is about, and the nouns for that.
ABOUT_WORDS = frozenset("about describe describes described describing topic topics".split())
ABOUT_NOTION = ("topic", "subject", "theme", "keyword", "tag")

# Verbs whose past forms do not begin as they do themselves, so that a derivation ("leader", "keeper") is recognised.
IRREGULAR_FORMS = {
    form: base
    for base, forms in {
        "beat": "beaten",
        "bind": "bound",
        "bite": "bit bitten",
        "blow": "blew blown",
        "break": "broke broken",
        "breed": "bred",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "choose": "chose chosen",
        "deal": "dealt",
        "draw": "drew drawn",
        "drive": "drove driven",
        "eat": "ate eaten",
        "fall": "fell fallen",
        "feed": "fed",
        "fight": "fought",
        "find": "found",
        "fly": "flew flown",
        "forbid": "forbade forbidden",
        "freeze": "froze frozen",
        "give": "gave given",
        "grow": "grew grown",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "lead": "led",
        "leave": "left",
        "lend": "lent",
        "lose": "lost",
        "make": "made",
        "meet": "met",
        "pay": "paid",
        "ride": "rode ridden",
        "ring": "rang rung",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "seek": "sought",
        "sell": "sold",
        "send": "sent",
        "shoot": "shot",
        "sing": "sang sung",
        "sit": "sat",
        "sleep": "slept",
        "speak": "spoke spoken",
        "spend": "spent",
        "stand": "stood",
        "steal": "stole stolen",
        "swim": "swam swum",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "throw": "threw thrown",
        "wear": "wore worn",
        "weave": "wove woven",
        "win": "won",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}

# Endings of nouns for who does something.
AGENT_ENDINGS = ("er", "or", "ist", "ant", "ian")

# Verbs that begin the name of a relation.
VERBS_OF_HAVING = frozenset("has is was can".split())

COPULAS = frozenset("is are was were be been".split())
ARTICLES = frozenset("the a an some all any".split())
POSSESSIVES = frozenset("their its his her whose".split())
YES_NO_STARTS = frozenset("is are was were do does did has have had can could will would".split())

COUNT_PHRASES = (
    ("how", "many"),
    ("how", "often"),
    ("number", "of"),
    ("count", "of"),
    ("count", "the"),
    ("count", "all"),
)

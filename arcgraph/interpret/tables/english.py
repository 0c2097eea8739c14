"""The general words of English that reading questions about values leans on, beside those of ``interpret``.

Nothing here belongs to a domain or a graph. Another language replaces this module's tables and keeps everything else.
"""

from __future__ import annotations

from typing import Literal

# Short forms in property keys.
ABBREVIATIONS = {
    "no": "number", "num": "number", "nr": "number", "nbr": "number", "tel": "telephone", "addr": "address",
    "desc": "description", "qty": "quantity", "amt": "amount", "reg": "registration", "dob": "birthdate",
    "avg": "average", "max": "maximum", "min": "minimum", "dept": "department", "lang": "language", "lat": "latitude",
    "lon": "longitude", "lng": "longitude", "img": "image", "cat": "category", "org": "organization",
}  # fmt: skip

# Words by which people ask a database for something; they say nothing of what is asked.
REQUEST_WORDS = frozenset(
    """please tell give show find list let want need question answer retrieve return get fetch display provide
    identify determine calculate compute report output select include including see look up obtain mention
    considering consider along respective respectively corresponding resulting following result results
    what's""".split()
)
# Words for parts of a graph or of a collection, and what binds a name to what it names.
PLAIN_WORDS = frozenset(
    """graph database dataset data node nodes entity entities record records recorded entry entries relationship
    relationships property properties attribute attributes field value values available existing exist exists exactly
    stored present there associated linked connected related corresponding belonging based specific given certain
    particular named called titled labelled labeled known as named name's having with whose where also any other
    another those one ones same only just full current
    currently detail details information please whole entire across throughout among amongst between type-of kind
    within per each every registered listed marked categorized described defined part regarding concerning
    amount amounts possession
    """.split()
)
# Verbs that say no more than that something took place, in the forms in which they are no nouns.
LIGHT_VERBS = frozenset(
    """made makes making got gets getting took takes taken taking had has have having happened happens happen occurs
    occur occurring held holds placed received receives owns own owned possess possesses possessed contains contain
    involve involves involved involving located situated used been being become became do does did done
    went go goes going gone come came use using belong belongs belonging belonged appear appears appearing appeared
    exist exists existed serve serves served serving""".split()
)
# Verbs that say no more before a moment.
TAKING_PLACE = LIGHT_VERBS | {"occurred", "dated"}
# Of them and their like those whose subject it happens to.
RECEIVING_VERBS = frozenset("receive receives received receiving get gets got getting gotten".split())
# Nouns that say nothing behind such a verb.
LIGHT_NOUNS = {form: frozenset(("place", "part")) for form in ("take", "takes", "took", "taken", "taking")}
# Nouns that say nothing behind a word for a relation ("family members", "family ties").
RELATION_NOUNS = frozenset(
    "member members relation relations relationship relationships tie ties connection connections link links".split()
)
# Nouns that say nothing right behind what a thing is ("the dead characters").
APPOSED_NOUNS = frozenset("character characters figure figures person persons people individuals ones".split())
# Phrases by which more is asked of the same things.
BESIDES_PHRASES = frozenset(
    (("along", "with"), ("together", "with"), ("as", "well"), ("and", "specify"), ("and", "for"), ("with", "the"))
)
# Phrases by which something was so, whenever that was.
WHENEVER_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in """at some point; at any point; at one point; at some time; at any time; at one time; past or present;
    present or past; current or former; current and former; either currently or in the past; currently or in the past;
    now or in the past; in the past or currently; either current or past; current or past; past and present;
    right now; at the moment; as of now;
    so far; as well""".split(";")
)
# Phrases in which people ask, and that say nothing of what is asked: anywhere, and as what a question begins with.
ASKING_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in """do we have; do you have; did we have; have we got; have you got; we have; you have; we've got;
    which ones are there; which ones; what are they; if any; in the first place; on earth; do you know; do we know;
    do we know of; put together; taken together; all together; on file; on record""".split(";")
)
OPENING_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in """i'm looking for; i am looking for; we're looking for; we are looking for; looking for;
    i'm interested in; i am interested in; interested in; i'm curious about; curious about; i'd like to know;
    i would like to know; i want to know; i need to know; i was wondering; i wonder; wondering; tell me; remind me;
    can you tell me; could you tell me; please tell me""".split(";")
)
# Stretches of time by which keys say amounts ("monthlyFee"), with the adjectives for them.
PERIODS = {
    "hour": frozenset(("hour", "hourly")), "day": frozenset(("day", "daily")), "night": frozenset(("night", "nightly")),
    "week": frozenset(("week", "weekly")), "month": frozenset(("month", "monthly")),
    "year": frozenset(("year", "yearly", "annual")),
}  # fmt: skip
# Verbs that say no more than "be" behind "how" and an adjective ("how long does it take").
MEASURED_VERBS = frozenset("take takes took taken last lasts lasted run runs get gets got go goes stay stays".split())
# Words behind which stands a verb that only says what the answer is for ("can I make").
OFFERING_WORDS = frozenset("can could should may might".split())
ASKERS = frozenset("i we you one".split())
# Verbs that say no more than that an event took place whose noun stands beside them ("write a review").
EVENT_VERBS = frozenset(
    """write writes wrote written give gives gave given leave leaves left post posts posted submit submits submitted
    make makes made do does did done perform performs performed receive receives received""".split()
)
# Nouns for numbers of things, behind the noun for these ("injury counts").
COUNT_NOUNS = frozenset("count counts number numbers total totals tally tallies toll tolls".split())
# Phrases for one thing, for what keys are usually called.
SAME_PHRASES = (
    ("last name", "surname", "family name"),
    ("first name", "given name", "forename", "name"),
    ("postal code", "postcode", "zip code", "zip", "post code"),
    ("phone number", "telephone number", "phone", "telephone"),
    ("email", "email address", "mail", "e mail"),
    ("date of birth", "birth date", "birthdate", "birthday", "born"),
    ("nationality", "country"),
    ("mass", "weight", "weigh"),
    ("price", "cost", "costing"),
    ("cost", "spent", "spend", "spending"),
    ("amount", "money"),
    ("salary", "wage", "earning", "earn", "pay"),
    ("place of birth", "birthplace", "birth place", "born"),
    ("place of death", "deathplace", "death place"),
)
# Nouns that only close the name of a property ("badge number", "country name").
TAIL_NOUNS = frozenset(
    """number numbers code codes value values id ids identifier identifiers no address addresses capacity amount amounts
    level levels figure figures field attribute property""".split()
)
# Nouns that say nothing right behind what is measured ("hull size", "colour types").
MEASURE_NOUNS = frozenset("size sizes percentage percentages percent type types rating ratings rate rates".split())
# Words in the keys of amounts of money and of goods.
AMOUNT_WORDS = frozenset("amount sum price cost fee fare value quantity payment total money budget".split())
# Nouns for amounts that are as well the names of properties.
AMOUNT_NOUNS = frozenset(("quantity", "amount"))
# Those that close the name of a property of moments ("release year").
TIME_NOUNS = frozenset("year years date dates time times timestamp timestamps".split())
# Words by which a value is said to be there at all.
KNOWN_WORDS = frozenset("known specified given available recorded defined valid non-null listed provided".split())
# Behind a sentence's end, "and" or a comma these begin the clause that says which columns are wanted.
CLOSING_VERBS = frozenset(
    """return retrieve display list show provide give include output report returning retrieving displaying listing
    showing providing giving reporting""".split()
)
# Verbs behind which "by" says in which order rows come.
ORDER_VERBS = frozenset("order ordered ordering sort sorted sorting rank ranked ranking arrange arranged".split())
# Words that narrow what is counted or averaged.
NARROWING_WORDS = frozenset("considering counting including excluding restricted limited".split())
# Words for parts of a person's name.
NAME_PARTS = frozenset("first last middle given family sur fore nick maiden".split())
# Words for a name.
NAME_WORDS = frozenset("name names called named titled".split())
# Words that refer back to what was named before.
BACK_WORDS = frozenset("these those their them such this that its the same corresponding".split())
# Words right behind which stands what is asked for.
ASKING_WORDS = frozenset("which what all every many any".split())
# Words by which each of several values is looked at for itself.
APART_WORDS = frozenset("separately respectively individually apart".split())
# Superlatives that say how many of the sorted rather than by what, those of them that need no order, and those that
# count things.
RANK_WORDS = frozenset("top first last bottom best".split())
FIRST_WORDS = frozenset(("top", "first"))
COUNTING_WORDS = frozenset("most fewest least".split())
MOST_WORDS = frozenset("most fewest least highest largest greatest lowest smallest".split())
# Superlatives of age, and words in the keys of properties for when something began.
AGE_WORDS = frozenset("oldest youngest eldest newest".split())
BEGINNING_WORDS = frozenset(
    """birth born birthdate birthday founded founding established inception created creation start started launch
    launched built opened formed formation begin began beginning first""".split()
)
# Words for what holds both ways between two things.
MUTUAL_WORDS = frozenset(
    """know knows knew known knowing meet meets met marry married marries related relates relation similar connected
    linked associated acquainted familiar adjacent bordering borders neighbouring share shares sibling siblings friend
    friends spouse spouses partner partners relative relatives cousin cousins colleague colleagues family
    """.split()
)
# Endings of nouns for what is done or how things stand.
NOUN_ENDINGS = ("ion", "ions", "ment", "ments", "ship", "ships")
# Words that bring in something new.
NEW_WORDS = frozenset("a an another other others someone somebody anyone anybody".split())
# Words that go on with another thing said of what was spoken of.
COORDINATING = frozenset("and but".split())
# Prepositions that say where something is, or goes on with a verb.
PLACING = frozenset("in at on near within inside from under above behind beside to by for with".split())
# Endings of nouns for those who do something.
AGENT_ENDINGS = ("er", "or", "ist", "ant", "ian", "ee")
# Prepositions that say the opposite of each other.
OPPOSITE_PREPOSITIONS = {"from": "to", "to": "from", "into": "from"}
# Words for things that were named before.
THINGS_AGAIN = frozenset(("it", "them"))
# Words behind which a verb stands.
RELATIVE_PRONOUNS = frozenset("who whom that which".split())
# Verbs that say that somebody is somewhere, before a word that says where.
DWELLING_VERBS = frozenset("live lives lived living reside resides resided residing dwell dwells stay stays".split())
# Phrases for living with others.
COHABITING_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in """cohabit; cohabits; cohabiting; cohabited; cohabitant; cohabitants; roommate; roommates; housemate;
    housemates; flatmate; flatmates; live together; lives together; living together; share a home; shares a home;
    sharing a home; share a house; shares a house; sharing a house; share a residence; shares a residence;
    sharing a residence; share a household; shares a household; sharing a household""".split(";")
)
# Phrases for knowing others.
KNOWING_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in """acquainted with; familiar with; acquaintance of; acquaintances of; aware of""".split(";")
)
# Words behind which stands how or by what something is so, and nouns that say nothing there.
MANNER_WORDS = frozenset("in on using via under".split())
IDIOM_NOUNS = frozenset(
    """total common general order detail details addition particular fact average full part turn advance person line
    list table way time row""".split()
)
# Nouns for what a verb says, where the two begin otherwise.
EVENT_NOUNS = {"died": "death", "dies": "death", "born": "birth", "married": "marriage", "founded": "foundation"}
# Verbs with a particle, and idioms, by a plain verb that means the same.
PLAIN_VERBS = {
    tuple(idiom.split()): plain
    for plain, idioms in {
        "released": "put out; puts out; putting out; came out; come out; comes out; coming out; brought out",
        "founded": "set up; sets up; setting up; started up",
        "disbanded": "split up; splits up; break up; broke up; breaks up; broken up",
        "performed": "carried out; carry out; carries out; carrying out",
        "heads": "in charge of; at the head of; heads up; headed up",
        "participated": "took part in; take part in; takes part in; taking part in; taken part in",
        "died": "passed away; pass away",
        "investigated": "looked into; looks into; looking into; look into",
        "cancelled": "called off; calls off; call off",
        "rejected": "turned down; turns down; turn down",
        "employed": "taken on by; took on; takes on",
    }.items()
    for idiom in idioms.split("; ")
}
# Nouns for places that a thing's property may be called by, the nearest first.
PLACE_NOUNS = ("location", "address", "place", "city", "town", "headquarters", "region", "state", "country")
# Comparatives and prepositions behind which "last" is a verb ("last longer than").
LASTING_LINKS = frozenset("longer more less over under at between for".split())
# Words for women and for men, and what is written for them where a property tells the two apart.
GENDERS = (
    (frozenset("female females woman women girl girls lady ladies".split()), frozenset(("f", "female", "woman", "w"))),
    (frozenset("male males man men boy boys gentleman gentlemen".split()), frozenset(("m", "male", "man"))),
)
# Words that are near each other and mean the opposite.
OPPOSITES = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("alive living survived", "dead died death deceased killed"),
        ("won win wins winner winners", "lost lose loses loser losers"),
        ("open opened", "closed close"),
        ("passed", "failed"),
        ("accepted approved", "rejected declined denied"),
        ("male", "female"),
        ("bought buy buys purchased", "sold sell sells"),
        ("hired", "fired dismissed"),
        ("present", "absent"),
        ("guilty", "innocent"),
    )
)
# Participles by which a graph is said to hold something.
HELD_WORDS = frozenset(
    "represented listed recorded stored mentioned present found contained included available existing".split()
)
# Words that begin a second question; "and which …" and "and who …" go on with the first.
ASKING_MORE = frozenset(("what", "how"))
# What a property that holds years may be called.
YEAR_WORDS = frozenset(("year", "years"))
MONTH_WORDS = frozenset(("month", "months"))
# Verbs behind which stands who does something.
DOING_WORDS = frozenset("do does did have has had".split())
# Words for how often something was done.
TIMES_WORDS = frozenset("time times occasion occasions".split())
# Words by which a number is asked for beside what was asked before, and words that say of whom things are counted.
BESIDES_WORDS = frozenset(("and", "along", "together", "with", "plus"))
EACH_WORDS = frozenset("each their its them".split())
# Words behind a noun that lead to what tells the thing apart.
TELLING_APART = frozenset("with whose who named called".split())
# Words behind which stands what something is compared with.
COMPARATIVE_LINKS = frozenset("than above below over under exceeds exceed exceeding".split())
# Those of them by which it is less.
LESSER_LINKS = frozenset(("below", "under"))
# Those that compare moments, and which way.
MOMENT_LINKS: dict[str, Literal["<", ">"]] = {"before": "<", "after": ">"}
# Comparatives of amounts.
GREATER_WORDS = frozenset("more greater higher larger bigger".split())
LESSER_WORDS = frozenset("less fewer lower smaller".split())
# Words that ask by how much two things differ.
DIFFERENCE_WORDS = frozenset("difference differences differ gap".split())
# Words that ask which part of all something is, as a fraction and in percent.
SHARE_WORDS = frozenset("share fraction proportion".split())
PERCENT_WORDS = frozenset("percentage percent".split())
# Verbs that say something of a thing that is named, however little.
OWNING_VERBS = frozenset("own owns owned has have had possess possesses contain contains".split())
# Words right before what a thing is said to have ("have an average height above", "whose total length").
HAVING_LINKS = frozenset("a an have has having with whose their its".split())
# Verbs by which those who ask say that something is theirs ("the works that we hold").
HOLDING_VERBS = frozenset("hold holding keep keeping got know".split())
# What makes the opposite of an adjective.
OPPOSING_PREFIXES = ("un", "non", "in", "dis")
# Words that say how two things compare with each other.
SAMENESS_WORDS = frozenset("same different identical equal unequal alike".split())
# Words that open a clause of conditions.
CLAUSE_OPENERS = frozenset("where whose wherein".split())
# Words behind which the possessions of what was named are further columns ("with their names").
ADDING = frozenset("with and including plus".split())
# Words that stand for any person.
PERSON_WORDS = frozenset(
    """people person persons someone anyone everyone somebody anybody everybody individual individuals resident
    residents human humans citizen citizens""".split()
)
# Prepositions that may be said again before each of several values ("in 1988 or in 1999").
COMPARING = frozenset("in on at from of with by".split())

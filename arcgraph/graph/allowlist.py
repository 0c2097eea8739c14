"""What Cypher may call: functions that compute and procedures that read, by name.

Nothing is allowed for its prefix. A function or procedure stands here only if it neither changes the graph, nor reads
files or addresses, nor runs query text, nor holds locks or threads, whatever its arguments are. Names outside of the
lists are refused unless the operator adds them.
"""

from __future__ import annotations

AGGREGATES = frozenset(("avg collect count max min percentilecont percentiledisc stdev stdevp sum ").split())
"""Aggregating functions of Cypher itself, in lower case."""

# Functions of Neo4j 5 that only compute, in lower case, by the least and the largest number of arguments.
_BY_ARGUMENTS: dict[tuple[int, int], str] = {
    (0, 0): "e pi rand randomuuid timestamp",
    (0, 1): (
        "date date.realtime date.statement date.transaction datetime datetime.realtime datetime.statement "
        "datetime.transaction localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction "
        "localtime localtime.realtime localtime.statement localtime.transaction time time.realtime time.statement "
        "time.transaction "
    ),
    (1, 1): (
        "abs acos asin atan avg ceil char_length character_length collect cos cot count datetime.fromepochmillis "
        "degrees duration elementid endnode exp floor haversin head id isempty isnan keys labels last length log "
        "log10 lower max min nodes point properties radians relationships reverse sign sin size sqrt startnode stdev "
        "stdevp sum tail tan toboolean tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger "
        "tointegerlist tointegerornull tolower tostring tostringlist tostringornull toupper type upper valuetype "
    ),
    (1, 2): "btrim ltrim normalize rtrim",
    (1, 3): ("date.truncate datetime.truncate localdatetime.truncate localtime.truncate round time.truncate trim "),
    (2, 2): (
        "atan2 datetime.fromepoch duration.between duration.indays duration.inmonths duration.inseconds left nullif "
        "percentilecont percentiledisc point.distance right split vector.similarity.cosine "
        "vector.similarity.euclidean "
    ),
    (2, 3): "range substring",
    (3, 3): "point.withinbbox replace",
}
_ARGUMENTS = {name: counts for counts, names in _BY_ARGUMENTS.items() for name in names.split()}
BUILT_IN = frozenset(_ARGUMENTS) | {"coalesce"}
"""Functions of Neo4j 5 that only compute, in lower case: Cypher's own are called in any case."""

_APOC = {
    "agg": ("first graph last maxItems median minItems nth percentiles product slice statistics "),
    "any": "isDeleted properties property",
    "bitwise": "op",
    "coll": (
        "avg combinations contains containsAll containsAllSorted containsDuplicates containsSorted different "
        "disjunction dropDuplicateNeighbors duplicates duplicatesWithCount fill flatten frequencies frequenciesAsMap "
        "indexOf insert insertAll intersection isEqualCollection max min occurrences pairWithOffset pairs pairsMin "
        "partition randomItem randomItems remove removeAll runningTotal set shuffle sort sortMaps sortMulti "
        "sortNodes sortText stdev subtract sum sumLongs toSet union unionAll zip "
    ),
    "convert": (
        "fromJsonList fromJsonMap getJsonProperty getJsonPropertyMap toJson toList toMap toNode toNodeList "
        "toRelationship toRelationshipList toSet toSortedJsonMap "
    ),
    "data": "url",
    "date": (
        "add convert convertFormat currentTimestamp field fields format fromISO8601 parse systemTimezone toISO8601 "
        "toYears "
    ),
    "diff": "nodes",
    "hashing": "fingerprint fingerprinting",
    "json": "path",
    "label": "exists",
    "map": (
        "clean flatten fromLists fromNodes fromPairs fromValues get groupBy groupByMulti merge mergeList mget "
        "removeKey removeKeys setEntry setKey setLists setPairs setValues sortedProperties submap unflatten "
        "updateTree values "
    ),
    "math": (
        "cosh coth csch maxByte maxDouble maxInt maxLong minByte minDouble minInt minLong sech sigmoid sigmoidPrime "
        "sinh tanh "
    ),
    "meta": "cypher.isType cypher.type cypher.types nodes.count",
    "node": ("degree degree.in degree.out id labels relationship.exists relationship.types relationships.exist "),
    "nodes": "connected isDense relationship.types relationships.exist",
    "number": (
        "arabicToRoman exact.add exact.div exact.mul exact.sub exact.toExact exact.toFloat exact.toInteger format "
        "parseFloat parseInt romanToArabic "
    ),
    "path": "combine create elements slice",
    "rel": "endNode id startNode type",
    "schema": ("node.constraintExists node.indexExists relationship.constraintExists relationship.indexExists "),
    "scoring": "existence pareto",
    "temporal": "format formatDuration toZonedTemporal",
    "text": (
        "base64Decode base64Encode base64UrlDecode base64UrlEncode byteCount bytes camelCase capitalize "
        "capitalizeAll charAt clean code compareCleaned decapitalize decapitalizeAll distance doubleMetaphone format "
        "fuzzyMatch hammingDistance hexCharAt hexValue indexOf indexesOf jaroWinklerDistance join "
        "levenshteinDistance levenshteinSimilarity lpad phonetic random regexGroups regexGroupsByName regreplace "
        "repeat replace rpad slug snakeCase sorensenDiceSimilarity split swapCase toCypher toUpperCase "
        "upperCamelCase urldecode urlencode "
    ),
    "util": "md5 sha1 sha256 sha384 sha512",
    "": "version",
}
APOC = frozenset(
    ".".join(filter(None, ("apoc", family, name))) for family, names in _APOC.items() for name in names.split()
)
"""Functions of APOC that only compute. Left out: ``cypher`` (runs text), ``create`` (elements that are in no graph),
``xml`` (entities), ``util.decompress`` and its kin (size)."""

PROCEDURES = frozenset(
    (
        "db.labels db.relationshipTypes db.propertyKeys db.schema.nodeTypeProperties db.schema.relTypeProperties "
        "db.schema.visualization db.index.fulltext.queryNodes db.index.fulltext.queryRelationships "
        "db.index.fulltext.listAvailableAnalyzers db.index.vector.queryNodes db.index.vector.queryRelationships "
        "db.info db.ping dbms.components "
        "apoc.algo.aStar apoc.algo.aStarConfig apoc.algo.allSimplePaths apoc.algo.cover apoc.algo.dijkstra "
        "apoc.coll.elements apoc.coll.pairWithOffset apoc.coll.partition apoc.coll.split apoc.coll.zipToRows "
        "apoc.convert.toTree apoc.help apoc.math.regr apoc.meta.data apoc.meta.graph apoc.meta.graphSample "
        "apoc.meta.nodeTypeProperties apoc.meta.relTypeProperties apoc.meta.schema apoc.meta.stats "
        "apoc.meta.subGraph apoc.neighbors.athop apoc.neighbors.athop.count apoc.neighbors.byhop "
        "apoc.neighbors.byhop.count apoc.neighbors.tohop apoc.neighbors.tohop.count apoc.nodes.cycles apoc.nodes.get "
        "apoc.nodes.rels apoc.path.expand apoc.path.expandConfig apoc.path.spanningTree apoc.path.subgraphAll "
        "apoc.path.subgraphNodes apoc.paths.toJsonTree apoc.schema.properties.distinct "
        "apoc.schema.properties.distinctCount apoc.spatial.sortByDistance apoc.stats.degrees apoc.text.phoneticDelta "
        "schema.node_type_properties schema.rel_type_properties vector_search.search vector_search.search_edges "
        "vector_search.show_index_info "
    ).split()
)
"""Procedures of Neo4j, APOC and Memgraph that only read. Left out, though the server calls them reads: those that load,
export or run text (``apoc.load``, ``apoc.export``, ``apoc.cypher``, ``apoc.when``, ``apoc.case``, ``apoc.meta.*.of``,
``apoc.graph``; ``apoc.search``, which puts labels and keys into query text as they are given), look up addresses
(``apoc.spatial.geocode``), wait, lock or warm up."""


FUNCTIONS = BUILT_IN | APOC
"""All functions that may be called."""


def is_aggregate(name: str) -> bool:
    """Whether a function aggregates rows."""
    return name.lower() in AGGREGATES or name.startswith("apoc.agg.")


def allows_function(name: str, added: tuple[str, ...] = ()) -> bool:
    """Whether a function may be called. Names that the operator added count exactly as written."""
    # Lowering a letter beyond ASCII may give an ASCII one, which no server would do.
    return (name.isascii() and name.lower() in BUILT_IN) or name in APOC or name in added


def allows_procedure(name: str, added: tuple[str, ...] = ()) -> bool:
    """Whether a procedure may be called. Names that the operator added count exactly as written."""
    return name in PROCEDURES or name in added


def takes(name: str, arguments: int) -> bool:
    """Whether a function of Cypher's own takes that many arguments; true of all others."""
    least, most = _ARGUMENTS.get(name.lower(), (0, arguments))
    return least <= arguments <= most

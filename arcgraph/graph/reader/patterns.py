"""Path patterns: nodes, relationships, groups, selectors, and Memgraph's algorithms."""

from __future__ import annotations

from arcgraph.graph.lexer import Kind
from arcgraph.graph.reader.labels import LabelReader
from arcgraph.graph.syntax import (
    Bounds,
    EdgePattern,
    Group,
    Lambda,
    NodePattern,
    PathPattern,
)

_ALGORITHMS = frozenset({"BFS", "WSHORTEST", "KSHORTEST", "ALLSHORTEST"})


class PatternReader(LabelReader):
    """Reads what stands behind MATCH."""

    def path(self) -> PathPattern:
        start = self.at
        variable = None
        if self.is_name() and self.is_op("=", 1):
            variable = self.at
            self.at += 2
        if self.is_word("SHORTESTPATH", "ALLSHORTESTPATHS") and self.is_op("(", 1):
            return self.shortest_path(start, variable)
        selector = self.selector()
        elements = self.elements(groups=True)
        if not selector and any(isinstance(e, Group) and e.path.variable is not None for e in elements):
            raise self.fault("not-understood", "a part of a pattern cannot be named; name the whole", start)
        return PathPattern(start, self.at, variable, elements, selector)

    def shortest_path(self, start: int, variable: int | None) -> PathPattern:
        function = "shortestPath" if self.is_word("SHORTESTPATH") else "allShortestPaths"
        self.at += 1
        self.expect_op("(")
        elements = self.elements(groups=False)
        self.expect_op(")")
        if len(elements) != 3:
            raise self.fault("not-understood", f"{function} takes a pattern of exactly one relationship", start)
        return PathPattern(start, self.at, variable, elements, function=function)

    def selector(self) -> str:
        words = []
        limit = self.at + 4
        while self.at < limit and not self.is_op("("):
            if self.token.kind is Kind.NUMBER:
                words.append("k")
            elif self.is_word("ANY", "ALL", "SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS"):
                words.append(self.token.word)
            else:
                break
            self.at += 1
        selector = " ".join(words)
        if selector and not _is_selector(words):
            raise self.unexpected("a path selector such as SHORTEST 1 or ALL SHORTEST")
        return selector

    def elements(self, *, groups: bool) -> tuple[NodePattern | EdgePattern | Group, ...]:
        elements: list[NodePattern | EdgePattern | Group] = [self.node_or_group(groups)]
        while True:
            if self.is_edge():
                if isinstance(elements[-1], Group):
                    raise self.unexpected("a node; a relationship cannot follow a pattern in parentheses")
                elements.append(self.edge(groups))
                elements.append(self.node())
            elif groups and self.is_op("("):
                elements.append(self.node_or_group(groups))
                if not any(isinstance(e, Group) and e.quantified for e in elements[-2:]):
                    raise self.fault("not-understood", "only quantified patterns may stand side by side", self.at - 1)
            else:
                return tuple(elements)

    def is_edge(self) -> bool:
        if self.is_op("<"):
            return self.is_op("-", 1)
        return self.is_op("-")

    def node_or_group(self, groups: bool) -> NodePattern | Group:
        inner = self.is_op("(", 1) or (self.is_name(1) and self.is_op("=", 2))
        if groups and inner and self.is_op("("):
            return self.group()
        return self.node()

    def group(self) -> Group:
        self.deeper()
        start = self.expect_op("(")
        inner = self.path()
        where = self.where()[0]
        self.expect_op(")")
        bounds = self.quantifier()
        self.depth -= 1
        if bounds is None:
            return Group(start, self.at, inner, where, quantified=False)
        self.check_quantified(inner)
        return Group(start, self.at, inner, where, quantified=True, bounds=bounds)

    def check_quantified(self, path: PathPattern) -> None:
        if not any(isinstance(element, EdgePattern) for element in path.elements):
            raise self.fault("not-understood", "a quantified pattern needs at least one relationship", path.start)
        for element in path.elements:
            nested = isinstance(element, Group) or (isinstance(element, EdgePattern) and element.quantified)
            if nested or (isinstance(element, EdgePattern) and element.length):
                raise self.fault("not-understood", "quantified patterns cannot be nested", element.start)

    def quantifier(self) -> Bounds | None:
        if self.accept_op("+"):
            return Bounds(1, None)
        if self.accept_op("*"):
            return Bounds(0, None)
        if not self.is_op("{"):
            return None
        self.at += 1
        least = self.number()
        if self.accept_op(","):
            bounds = Bounds(least or 0, self.number())
        elif least is None:
            raise self.unexpected("a number of repetitions")
        else:
            bounds = Bounds(least, least)
        self.expect_op("}")
        return bounds

    def number(self) -> int | None:
        return self.whole_number() if self.token.kind is Kind.NUMBER else None

    def whole_number(self) -> int:
        digits = self.token.value.replace("_", "")
        if self.token.kind is not Kind.NUMBER or not digits.isdigit():
            raise self.unexpected("a whole number")
        self.at += 1
        return int(digits) if len(digits) < 10 else 10**9

    def node(self) -> NodePattern:
        node = NodePattern(self.expect_op("("), self.at)
        if self.is_variable(")"):
            node.variable = self.at
            self.at += 1
        self.pattern_labels(node)
        if self.is_op("{"):
            node.properties = self.map()
        if self.token.kind is Kind.PARAMETER:
            raise self.fault("not-understood", "a whole parameter cannot be matched; write {key: $map.key}")
        node.where_start = self.at
        node.where, _ = self.where()
        self.expect_op(")")
        node.end = self.at
        return node

    def is_variable(self, closing: str) -> bool:
        """Whether the name here is a variable rather than the word WHERE or IS that begins what follows."""
        if not self.is_name():
            return False
        if self.is_word("WHERE", "IS"):
            return any(self.is_op(text, 1) for text in (closing, ":", "{")) or self.is_word("WHERE", "IS", ahead=1)
        return True

    def pattern_labels(self, element: NodePattern | EdgePattern) -> None:
        if self.is_op(":") or self.is_word("IS"):
            element.label_start = self.at
            element.labels = self.labels(types=isinstance(element, EdgePattern))

    def edge(self, quantifiable: bool) -> EdgePattern:
        edge = EdgePattern(self.at, self.at)
        if self.accept_op("<"):
            edge.left = self.at - 1
        self.expect_op("-")
        if self.is_op("["):
            edge.bracket = self.at
            self.at += 1
            self.edge_content(edge)
            self.expect_op("]")
        self.expect_op("-")
        if self.accept_op(">"):
            edge.right = self.at - 1
        edge.end = self.at
        bounds = self.quantifier() if quantifiable else None
        if bounds is not None:
            edge.quantified, edge.bounds = True, bounds
            if edge.length:
                raise self.fault("not-understood", "a relationship takes a length or a quantifier, not both")
        return edge

    def edge_content(self, edge: EdgePattern) -> None:
        if self.is_variable("]") and not (self.is_word("WHERE") and not self.is_op("]", 1)):
            edge.variable = self.at
            self.at += 1
        self.pattern_labels(edge)
        if self.accept_op("*"):
            edge.length = True
            self.length(edge)
        if self.is_op("{"):
            edge.properties = self.map()
        edge.where_start = self.at
        edge.where, _ = self.where()
        if edge.where and edge.length:
            raise self.fault("not-understood", "a relationship with a length takes no WHERE inside", edge.where_start)

    def length(self, edge: EdgePattern) -> None:
        if self.is_word(*_ALGORITHMS):
            edge.algorithm = self.token.word
            self.at += 1
        types = edge.labels.items or (edge.labels,) if edge.labels else ()
        joined_otherwise = edge.labels is not None and edge.labels.kind not in ("name", "or", "dynamic")
        if joined_otherwise or any(type_.kind not in ("name", "dynamic") for type_ in types):
            message = "a relationship with a length takes one type or alternatives of types, joined by |"
            raise self.fault("not-understood", message, edge.label_start)
        edge.length_start = self.at
        least = self.number()
        most = self.number() if self.accept_op("..") else least
        edge.bounds = Bounds(1 if least is None else least, most)
        edge.length_end = self.at
        if edge.algorithm:
            self.algorithm(edge)

    def algorithm(self, edge: EdgePattern) -> None:
        """What Memgraph lets follow ``*BFS`` and its kin: a number of paths, up to two lambdas, a weight variable."""
        if self.accept_op("|"):
            self.whole_number()
        lambdas: list[Lambda] = []
        while self.is_op("(") and len(lambdas) < 2:
            lambdas.append(self.lambda_())
            if self.is_name() and edge.weight is None and not self.is_word("WHERE"):
                edge.weight = self.at
                self.at += 1
        edge.lambdas = tuple(lambdas)

    def lambda_(self) -> Lambda:
        start = self.expect_op("(")
        self.mark_bar(start)
        variables = tuple(self.names("a variable"))
        self.expect_op("|")
        body = self.expression()
        self.expect_op(")")
        return Lambda(start, self.at, variables, body)


def _is_selector(words: list[str]) -> bool:
    core = [word for word in words if word not in ("PATH", "PATHS")]
    return core in (
        ["ANY"],
        ["ANY", "k"],
        ["ALL"],
        ["ALL", "SHORTEST"],
        ["ANY", "SHORTEST"],
        ["SHORTEST", "k"],
        ["SHORTEST", "GROUP"],
        ["SHORTEST", "GROUPS"],
        ["SHORTEST", "k", "GROUP"],
        ["SHORTEST", "k", "GROUPS"],
    )

"""Small changes to a module, of the kinds that people make by mistake: tests that pass with one hold too little.

A change is a piece of text put in the place of another, found by the syntax tree, so that all else stays as it was
written. What no test can or need hold is left alone: annotations, decorators, texts of errors and messages, assertions,
`strict=` of zip, numbers below a millionth.
"""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass
from itertools import pairwise

COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: (r"<", "<="), ast.LtE: (r"<=", "<"), ast.Gt: (r">", ">="), ast.GtE: (r">=", ">"),
    ast.Eq: (r"==", "!="), ast.NotEq: (r"!=", "=="), ast.In: (r"\bin\b", "not in"),
    ast.NotIn: (r"\bnot\s+in\b", "in"), ast.Is: (r"\bis\b", "is not"), ast.IsNot: (r"\bis\s+not\b", "is"),
}  # fmt: skip
COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"), ast.Sub: (r"-", "+"), ast.Mult: (r"\*", "/"), ast.Div: (r"/", "*"),
    ast.FloorDiv: (r"//", "*"), ast.Mod: (r"%", "*"), ast.Pow: (r"\*\*", "*"), ast.BitAnd: (r"&", "|"),
    ast.BitOr: (r"\|", "&"),
}  # fmt: skip
MORE, LESS = 1.25, 0.8
"""What a fraction is multiplied by; a whole number goes one up and one down, from MANY on by a quarter."""
MANY = 20
TINY = 1e-6
SYMMETRIC = ("min", "max", "gcd", "hypot")
"""Functions that do not mind the order of their arguments."""
REMOVABLE = (ast.AugAssign, ast.Return, ast.Delete, ast.Continue, ast.Break, ast.Raise)
"""Statements without which what follows can still run."""
LEFT_ALONE = (ast.JoinedStr, ast.Assert, ast.Raise, ast.Import, ast.ImportFrom)
"""Inside these nothing is changed."""
UNHELD = ("strict", "slots", "frozen", "maxsize")
"""Keyword arguments that guard or speed up, and change no result."""


@dataclass(frozen=True, slots=True)
class Change:
    """`became` in place of bytes [start, end) of the file at `path`, which is on line `line` (from 1)."""

    path: str
    line: int
    start: int
    end: int
    kind: str
    became: str

    def applied(self, source: bytes) -> bytes:
        """The module with the change made."""
        return source[: self.start] + self.became.encode() + source[self.end :]

    def lines(self, source: bytes) -> tuple[str, str]:
        """The changed lines without their margins, as they were and as they become."""
        until = source.find(b"\n", self.end)
        begin, until = source.rfind(b"\n", 0, self.start) + 1, len(source) if until < 0 else until
        after = source[begin : self.start] + self.became.encode() + source[self.end : until]
        was, became = (re.sub(r"\s+", " ", piece.decode()).strip() for piece in (source[begin:until], after))
        return was, became

    def diff(self, source: bytes) -> str:
        """The change as a unified diff without context."""
        old, new = (text.decode().splitlines() for text in (source, self.applied(source)))
        return "\n".join(list(difflib.unified_diff(old, new, self.path, self.path, n=0, lineterm=""))[2:])


def changes(path: str, source: bytes, classes: tuple[str, ...] = ()) -> list[Change]:
    """All changes to a module, in order; only those inside `classes` where some are named."""
    finder = _Finder(path, source)
    tree = ast.parse(source)
    named = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name in classes]
    for node in named or tree.body:
        finder.visit(node)
    return sorted(set(finder.found), key=lambda c: (c.start, c.end, c.became))


def parses(source: bytes) -> bool:
    """True for a module that Python would run; a changed one may be none."""
    try:
        compile(source, "changed", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


class _Finder(ast.NodeVisitor):
    """Collects changes; what it does not go down into stays as it is."""

    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Change] = []
        self._path = path
        self._source = source
        self._starts = [0, *(m.end() for m in re.finditer(b"\n", source))]

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, REMOVABLE):
            self._put(node, "removed", "pass")
        if not isinstance(node, LEFT_ALONE):
            super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in UNHELD:
            self.visit(node.value)

    # -- expressions

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for one, operator, two in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._between(one, two, *COMPARED[type(operator)], kind="comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for one, two in pairwise(node.values):
            self._between(one, two, rf"\b{word}\b", other, kind="boolean")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in COMPUTED:
            self._between(node.left, node.right, *COMPUTED[type(node.op)], kind="arithmetic")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start, _ = self._span(node)
        if isinstance(node.op, ast.Not):
            self._add(start, start + 3, "boolean", "")
        elif isinstance(node.op, ast.USub):
            self._add(start, start + 1, "arithmetic", "+")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._put(node, "boolean", str(not value))
        elif isinstance(value, int):
            step = max(1, round(abs(value) * (MORE - 1))) if abs(value) >= MANY else 1
            self._put(node, "constant", str(value + step))
            self._put(node, "constant", str(value - step))
        elif isinstance(value, float) and abs(value) >= TINY:
            self._put(node, "constant", repr(round(value * MORE, 12)))
            self._put(node, "constant", repr(round(value * LESS, 12)))

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        for one, two in pairwise(node.args):
            starred = isinstance(one, ast.Starred) or isinstance(two, ast.Starred)
            if not starred and name not in SYMMETRIC and ast.dump(one) != ast.dump(two):
                (a, b), (c, d) = self._span(one), self._span(two)
                text = self._source[c:d] + self._source[b:c] + self._source[a:b]
                self._add(a, d, "arguments", text.decode())
        self.generic_visit(node)

    # -- statements

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self._put(node, "removed", "pass")
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        known = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        again = all(isinstance(t, ast.Attribute | ast.Subscript) or getattr(t, "id", "") in known for t in node.targets)
        if again:  # else what follows could not even run
            self._put(node, "removed", "pass")
        if [getattr(t, "id", "") for t in node.targets] != ["__all__"]:
            self.generic_visit(node)

    # -- places

    def _negate(self, test: ast.expr) -> None:
        start, end = self._span(test)
        if not isinstance(test, ast.UnaryOp | ast.Compare | ast.Constant):  # those have changes of their own
            self._add(start, end, "boolean", f"not ({self._source[start:end].decode()})")

    def _between(self, one: ast.expr, two: ast.expr, pattern: str, became: str, *, kind: str) -> None:
        start, end = self._span(one)[1], self._span(two)[0]
        gap = self._source[start:end].decode()
        match = re.search(pattern, gap)
        if match is not None and "#" not in gap:
            self._add(start + match.start(), start + match.end(), kind, became)

    def _put(self, node: ast.expr | ast.stmt, kind: str, became: str) -> None:
        self._add(*self._span(node), kind, became)

    def _add(self, start: int, end: int, kind: str, became: str) -> None:
        line = self._source.count(b"\n", 0, start) + 1
        self.found.append(Change(self._path, line, start, end, kind, became))

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[last - 1] + column

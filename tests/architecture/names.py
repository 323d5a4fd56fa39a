"""The names that the documentation gives to code, as "`name` in `file`", and whether they exist.

Several names may share a file: "`page_row` and `element_row` in `indexing/store/rows.py`".
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.architecture.page import ROOT

_SPAN = re.compile(r"`([^`]+)`")
_NAMED = re.compile(r"((?:`[\w.-]+`(?:,? and |,? or |, ))*`[\w.-]+`) in `([\w./-]+\.\w+)`")
_IDENTIFIER = re.compile(r"_?[A-Za-z]\w*(?:\.\w+)*")
_PATH = re.compile(r"[\w.-]+/[\w./-]*|[\w-]+\.(?:py|toml|yaml|md)")


def section(text: str, heading: str) -> str:
    """Return a page from a heading of the second level up to the next one. Raises ValueError where there is none."""
    found = re.search(rf"^## {re.escape(heading)}.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"no section {heading!r}")
    return found.group()


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name with the file that the text says it is in."""
    for names, path in _NAMED.findall(" ".join(text.split())):
        yield from ((name, path) for name in _SPAN.findall(names))


def wrong(text: str) -> list[str]:
    """Return what is wrong with the names of a text: files and names that are missing, and names without a file."""
    named = set(pairs(text))
    known = {name for name, _ in named}
    spans = set(_SPAN.findall(" ".join(text.split())))
    missing = [f"no file {span}" for span in spans if _PATH.fullmatch(span) and not (ROOT / span).exists()]
    dead = [f"no {name} in {path}" for name, path in named if not _has(path, name)]
    lost = [f"{s}: in which file?" for s in spans - known if _IDENTIFIER.fullmatch(s) and not _PATH.fullmatch(s)]
    return sorted(missing + dead + lost)


def _has(path: str, name: str) -> bool:
    """Return True if a file defines a name: of a Python file at its top or in a class, of others the word itself."""
    file = ROOT / path
    if not file.is_file():
        return False
    if file.suffix == ".py":
        return name in defined(file)
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", file.read_text(encoding="utf-8")) is not None


@cache
def defined(file: Path) -> frozenset[str]:
    """Return the names that a module defines at its top, and with the name of its class each that a class defines."""
    return frozenset(_defined(ast.parse(file.read_text(encoding="utf-8")).body, ""))


def _defined(body: list[ast.stmt], inside: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield f"{inside}{node.name}"
            if isinstance(node, ast.ClassDef):
                yield from _defined(node.body, f"{inside}{node.name}.")
        for target in _targets(node):
            yield from (f"{inside}{n.id}" for n in ast.walk(target) if isinstance(n, ast.Name))


def _targets(node: ast.stmt) -> list[ast.expr]:
    """Return the expressions to which a statement assigns."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []

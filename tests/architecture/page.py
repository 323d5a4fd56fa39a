"""The generated parts of docs/architecture.md: the tree of folders, and the layers that import-linter enforces.

A generated part stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. Line counts are rounded, and the test
tolerates that they drift (`drifted`), so that a small change to the code needs no change of the page.
"""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGES = ("vouch", "indexing", "rag", "ui", "evaluation", "configs", "plugins")
COUNT = re.compile(r" (\d+\.\d)k  ")
"""A line count, in thousands."""
DRIFT = 0.3
"""The difference of a line count, in thousands or as a share of it, that calls for a new page."""


def first_sentence(path: Path) -> str:
    """Return the first sentence of a module's docstring, on one line."""
    paragraph = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    return re.split(r"(?<=[^.][.?])\s", " ".join(paragraph.split()))[0]


def folder_lines(folder: Path) -> Iterator[str]:
    """Yield a line for a package, for each module of a package at the top, and so on for each package inside."""
    depth = len(folder.relative_to(ROOT).parts) - 1
    size = sum(path.read_text(encoding="utf-8").count("\n") for path in folder.rglob("*.py"))
    yield _line(depth, f"{folder.name}/", f"{max(size / 1000, 0.1):.1f}k", first_sentence(folder / "__init__.py"))
    if depth == 0:
        modules = (path for path in sorted(folder.glob("*.py")) if not path.name.startswith("__"))
        yield from (_line(1, path.name, "", first_sentence(path)) for path in modules)
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield from folder_lines(inner)


def _line(depth: int, name: str, size: str, says: str) -> str:
    return f"{'  ' * depth + name:<23} {size:>5}  {says}"


def tree() -> str:
    """Return the tree of all packages, as a code block."""
    blocks = ("\n".join(folder_lines(ROOT / package)) for package in PACKAGES)
    return "```\n" + "\n\n".join(blocks) + "\n```"


def contracts() -> list[dict[str, Any]]:
    """Return the contracts of import-linter, as pyproject.toml has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def layers() -> str:
    """Return a table of the layers, from the top down, and of the modules that are independent of one another."""
    rows = ["| contract | layers, from the top down |", "|---|---|"]
    for contract in contracts():
        if contract["type"] == "layers":
            rows.append(f"| {contract['name']} | {' → '.join(map(_layer, contract['layers']))} |")
        elif contract["type"] == "independence":
            rows.append(f"| {contract['name']} | none imports another: {_layer('|'.join(contract['modules']))} |")
    return "\n".join(rows)


def _layer(names: str) -> str:
    return ", ".join(f"`{name.strip()}`" for name in names.split("|"))


PARTS: dict[str, Callable[[], str]] = {"tree": tree, "layers": layers}


def with_generated(page: str) -> str:
    """Return the page with its generated parts made anew. Raises ValueError for a page that lacks the marks of one."""
    for name, make in PARTS.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"docs/architecture.md lacks {begin} or {end}")
        page = f"{before}{begin}\n{make()}\n{end}{after}"
    return page


def drifted(page: str, generated: str) -> bool:
    """Return True if a page differs from its generated form in more than small changes of line counts."""
    if COUNT.sub(" ", page) != COUNT.sub(" ", generated):
        return True
    pairs = zip(map(float, COUNT.findall(page)), map(float, COUNT.findall(generated)), strict=True)
    return any(abs(old - new) > max(DRIFT, DRIFT * old) for old, new in pairs)

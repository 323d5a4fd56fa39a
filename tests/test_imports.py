"""Modules import one another in no circle, so that any of them can be the first that is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.test_house import ROOT, SOURCES, ours_imported, tree


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def run_at_import(node: ast.AST) -> Iterator[ast.stmt]:
    """The imports that run while a module is imported: none of functions, and none for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from run_at_import(ast.Module(child.orelse, []))
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from run_at_import(child)


def waits_for(path: Path) -> set[str]:
    """The modules that must have run before this one has: those it imports, with the packages that they are in."""
    own = name_of(path)
    targets = set(ours_imported(ast.Module(list(run_at_import(tree(path))), [])))
    parents = {target.rsplit(".", n)[0] for target in targets for n in range(1, target.count(".") + 1)}
    return {target for target in targets | parents if target != own and not own.startswith(f"{target}.")}


def test_no_module_waits_for_itself() -> None:
    graph = {name_of(path): waits_for(path) for path in SOURCES}
    assert "indexing.types" in graph["indexing.parse.text"]
    assert "indexing.parse.scan.ocr_layer" in graph["indexing.parse.scan"]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle: {' <- '.join(error.args[1])}") from None

"""Every regular expression of the packages takes linear time on its worst strings; new ones are found by themselves."""

import ast
import builtins
import dataclasses
import importlib
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.hostile_strings import MOST, Shape, growth, plain_shapes, shapes_of
from tests.test_house import ROOT, SOURCES, short, tree

METHODS = {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
CALLS = {"re.compile", *(f"re.{method}" for method in METHODS)}
ANCHORED = {"match", "fullmatch"}
NOT_IMPORTED = {"indexing/embed/visual/mm_embed_model.py"}
"""The modules that need an extra; their patterns are read where they are plain strings."""


class Names(dict[str, Any]):
    """The names of a module; any other, as of a function's own variable, stands for a word."""

    def __missing__(self, name: str) -> object:  # noqa: D105
        return getattr(builtins, name, "word")


@cache
def module_of(path: Path) -> ModuleType:
    if short(path) in NOT_IMPORTED or path.name == "__main__.py":
        return ModuleType(path.stem)
    return importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))


@dataclasses.dataclass(frozen=True)
class Use:
    """A pattern, where it stands, and the methods of it that are called; `finditer` stands for all that search."""

    pattern: re.Pattern[str]
    place: str
    methods: frozenset[str]


def uses(path: Path) -> Iterator[Use]:
    """The patterns of a module: those its values hold, and those it makes in calls of `re`."""
    values, kept = vars(module_of(path)), set()
    for name, value in values.items():
        for pattern in held(value, values.get("__name__", "")):
            kept.add(pattern)
            ways = methods_called(path if name.startswith("_") else None).get(name, set())
            yield Use(pattern, f"{short(path)}: {name}", searching(ways))
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and node.args and (call := ast.unparse(node.func)) in CALLS:
            for pattern in made(path, node):
                if call != "re.compile" or pattern not in kept:
                    yield Use(pattern, f"{short(path)}:{node.lineno}", searching({call.removeprefix("re.")}))


def searching(methods: set[str]) -> frozenset[str]:
    return frozenset(methods if methods and methods <= ANCHORED else {"finditer"})


@cache
def methods_called(path: Path | None) -> dict[str, set[str]]:
    """The methods of `re.Pattern` that are called on each name, in one module or in all."""
    found: dict[str, set[str]] = defaultdict(set)
    for source in [path] if path else SOURCES:
        for node in ast.walk(tree(source)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                found[getattr(node.value, "id", getattr(node.value, "attr", ""))].add(node.attr)
    return found


def held(value: object, module: str, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns in a value of a module, in containers and dataclasses too."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth < 4 and isinstance(value, Mapping):
        for inner in (*value.keys(), *value.values()):
            yield from held(inner, module, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from held(inner, module, depth + 1)
    elif depth < 4 and dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from held(getattr(value, field.name), module, depth + 1)
    elif depth < 4 and isinstance(value, type) and value.__module__ == module:
        for inner in vars(value).values():
            yield from held(inner, module, depth + 1)


def made(path: Path, call: ast.Call) -> Iterator[re.Pattern[str]]:
    """The patterns that a call of `re` is given, as far as they can be known without running the function."""
    names = Names(vars(module_of(path)))
    written = [word.value for word in call.keywords if word.arg == "flags"]
    written += [n for n in call.args[1:] if ast.unparse(n).startswith("re.")]
    flags = sum(value for n in written if isinstance(value := evaluated(n, names), int))
    source = evaluated(call.args[0], names)
    if isinstance(call.args[0], ast.Name) and call.args[0].id not in vars(module_of(path)):
        for text in assigned(path, call.args[0].id, names):
            with_text = re_compiled(text, flags)
            if with_text:
                yield with_text
    elif isinstance(source, str) and (pattern := re_compiled(source, flags)):
        yield pattern


def re_compiled(text: str, flags: int) -> re.Pattern[str] | None:
    try:
        return re.compile(text, flags)
    except re.error:
        return None


def evaluated(node: ast.expr, names: Names) -> Any:
    try:
        return eval(compile(ast.Expression(node), "<pattern>", "eval"), {"__builtins__": builtins}, names)
    except (NameError, TypeError, AttributeError, IndexError, ValueError):
        return None


def assigned(path: Path, name: str, names: Names) -> Iterator[str]:
    """The strings that a local variable is given, by assignment or by a loop."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == name for t in node.targets):
            yield from strings_in(evaluated(node.value, names))
        elif isinstance(node, ast.For | ast.comprehension) and any(
            getattr(t, "id", "") == name for t in ast.walk(node.target)
        ):
            yield from strings_in(evaluated(node.iter, names))


def strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from strings_in(inner)


def test_every_pattern_is_found() -> None:
    """A pattern is in a value of its module, or in a call of `re` that can be read; few calls are given neither."""
    places = {use.place for path in SOURCES for use in uses(path)}
    assert len(places) > 250
    assert "indexing/language/quantity_reader.py: _MOMENTS" in places
    assert "indexing/filters.py: _PIECE" in places
    assert "indexing/ingest/sidecars.py: _LANGUAGE" in places


def slow_shapes(use: Use) -> Iterator[tuple[Shape, float]]:
    """The shapes on which a pattern takes more than linear time, and how many times as long the longer text takes."""

    def work(text: str) -> None:
        for method in use.methods:
            found = getattr(use.pattern, method)(text)
            if method == "finditer":
                deque(found, 0)

    for shape in dict.fromkeys((*shapes_of(use.pattern), *plain_shapes())):
        if (ratio := growth(work, shape)) > MOST:
            yield shape, ratio


@pytest.mark.parametrize("folder", sorted({"/".join(short(path).split("/")[:2]) for path in SOURCES}))
def test_patterns_take_linear_time(folder: str) -> None:
    """At 40,000 characters at most 4.5 times as long as at 10,000, on the worst strings that a pattern itself gives."""
    known, slow = set(), {}
    for path in SOURCES:
        if not f"{short(path)}/".startswith((f"{folder}/", f"{folder}.py/")):
            continue
        for use in uses(path):
            if (use.pattern, use.methods) not in known and (worst := next(slow_shapes(use), None)):
                slow[use.place] = (use.pattern.pattern, *worst)
            known.add((use.pattern, use.methods))
    assert slow == {}

"""`make mutants`: every file has its tests, a seed draws the same, tests are run on the change and on nothing else."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
import yaml

from tests.mutants import __main__ as mutants
from tests.mutants.changes import changes

SOURCES = mutants._sources(mutants.ROOT, mutants.CHANGED)
EQUIVALENT = yaml.safe_load(mutants.EQUIVALENT.read_text(encoding="utf-8")) or []


def test_what_is_named_is_there() -> None:
    named = [*mutants.CLOSEST, *mutants.CHANGED, *(test for tests in mutants.CLOSEST.values() for test in tests)]
    assert [name for name in named if not (mutants.ROOT / name).exists()] == []
    for path, classes in mutants.CLASSES.items():
        known = {node.name for node in ast.parse(SOURCES[path]).body if isinstance(node, ast.ClassDef)}
        assert set(classes) <= known


@pytest.mark.parametrize("path", SOURCES)
def test_every_file_has_tests(path: str) -> None:
    tests = mutants._closest(mutants.ROOT, path)
    assert tests
    own = f"tests/{path.rpartition('/')[0]}/test_{path.rpartition('/')[2]}"
    assert own not in tests[1:]


@pytest.mark.parametrize("path", sorted({one["path"] for one in EQUIVALENT}))
def test_what_is_called_equivalent_is_a_change_of_the_code_of_today_and_says_why(path: str) -> None:
    listed = [one for one in EQUIVALENT if one["path"] == path]
    there = {change.lines(SOURCES[path]) for change in changes(path, SOURCES[path], mutants.CLASSES.get(path, ()))}
    assert [one for one in listed if (one["was"], one["became"]) not in there] == []
    assert [one for one in listed if len(one["why"]) < 20] == []


def test_a_seed_draws_the_same_changes() -> None:
    few = {path: source for path, source in SOURCES.items() if path.startswith("evaluation/metrics/")}
    first = mutants._drawn(few, 1, 8)
    assert first == mutants._drawn(few, 1, 8)
    assert first[:4] == mutants._drawn(few, 1, 4)
    assert first != mutants._drawn(few, 2, 8)


def test_what_was_found_is_kept_unless_it_is_to_be_tried_again(tmp_path: Path) -> None:
    kept = tmp_path / "seed-1.jsonl"
    assert mutants._told(kept, again=False) == {}
    lines = [("a", "noticed"), ("b", "unnoticed"), ("c", "unnoticed"), ("c", "noticed")]
    kept.write_text("".join(json.dumps({"key": key, "outcome": outcome}) + "\n" for key, outcome in lines))
    assert {key: one["outcome"] for key, one in mutants._told(kept, again=False).items()} == {
        "a": "noticed", "b": "unnoticed", "c": "noticed",
    }  # fmt: skip
    assert set(mutants._told(kept, again=True)) == {"a", "c"}


@pytest.fixture
def tree(tmp_path: Path) -> mutants.Tree:
    """A tree of one module and its tests."""
    (tmp_path / "seats.py").write_text("def seats(rows):\n    return 4 * rows\n")
    (tmp_path / "test_seats.py").write_text(
        "import time\nimport pytest\nfrom seats import seats\n\n"
        "def test_seats():\n    assert seats(3) > 4\n\n"
        "@pytest.mark.slow\ndef test_slow():\n    time.sleep(60)\n\n"
        "def test_takes_no_seconds():\n    time.sleep(60)\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    return mutants.Tree(tmp_path)


def test_tests_are_run_on_the_changed_file_which_is_then_as_it_was(tree: mutants.Tree) -> None:
    tests = ["test_seats.py"]
    before = (tree.path / "seats.py").read_bytes()
    assert tree.usual(tests) < 50
    with tree.holding("seats.py", before.replace(b"*", b"/")):
        assert tree.test(tests, 50) == 1
    assert "test_seats.py::test_seats" in tree.last()
    with tree.holding("seats.py", before.replace(b"4", b"5")):
        assert tree.test(tests, 50) == 0
    with pytest.raises(RuntimeError), tree.holding("seats.py", b""):
        raise RuntimeError
    assert (tree.path / "seats.py").read_bytes() == before

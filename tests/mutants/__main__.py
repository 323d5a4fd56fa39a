"""`make mutants`: makes small changes to core code, one at a time, and reports those that no test notices.

Draws changes by a seed, makes each in a copy of the tree, runs the closest tests there until one fails, and writes what
came of it to `build/mutants/`, from where a run that was broken off goes on. Changes that cannot be told from the code
as it is are listed in `equivalent.yaml` with the reason, and counted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from tests.mutants.changes import Change, changes, parses

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")
CLOSEST: dict[str, tuple[str, ...]] = {
    "rag/attribution/rules/": ("tests/rag/attribution/rules", "tests/rag/attribution/localize/test_words.py"),
    "rag/attribution/localize/drawn.py": ("tests/rag/methods/visa/test_boxes.py",),
    "rag/attribution/localize/": ("tests/rag/attribution/localize",),
    "rag/attribution/": ("tests/rag/attribution/test_attribute.py", "tests/rag/attribution/test_ablate.py"),
    "evaluation/metrics/": ("tests/evaluation/metrics/test_papers.py", "tests/evaluation/metrics"),
    "indexing/language/": ("tests/indexing/language", "tests/rag/attribution/words"),
    "indexing/types.py": ("tests/indexing/test_types.py",),
}
"""The tests that must notice a change, by the first beginning that its path has; that of its own name goes first."""
CHANGED = ("rag/attribution/", "indexing/language/", "evaluation/metrics/", "indexing/types.py")
"""What is changed where nothing is named."""
CLASSES = {"indexing/types.py": ("BBox", "Words")}
PATIENCE, LEAST = 4, 180
"""A run may take so many times what it takes without a change, and at least so many seconds."""
LEFT_OUT = ("-m", "not slow", "-k", "not no_seconds")
"""Tests that take long, and those that measure time: on a busy machine they fail without a change."""
NICE = 19
FAILED = (1, 2, 3, 4)
"""Pytest's own exit codes of failed tests, and of modules and fixtures that cannot be imported."""
LAST = "last-tests.txt"
"""What the last tests said, in the copy of the tree."""
MOST = 0.1
"""Share of changes that may go unnoticed."""


def main() -> int:
    """Draw, try and report; 1 where more go unnoticed than may."""
    args = _arguments()
    tree = Tree.copied(BUILD / f"tree-{os.getpid()}")
    kept = BUILD / f"seed-{args.seed}.jsonl"
    told = _told(kept, again=args.again)
    equal = _equivalent()
    try:
        sources = _sources(tree.path, args.paths)
        drawn = _drawn(sources, args.seed, args.count)
        for number, change in enumerate(drawn, 1):
            source = sources[change.path]
            key = _key(change, source)
            if (change.path, *change.lines(source)) in equal:
                told[key] = {"outcome": "equivalent"}
            elif key not in told:
                told[key] = _tried(tree, change, source)
                with kept.open("a", encoding="utf-8") as log:
                    log.write(json.dumps({"key": key, **told[key]}) + "\n")
            one = told[key]
            place = f"{change.path}:{change.line}"
            seconds = one.get("seconds", 0)
            _say(f"[{number:3}/{len(drawn)}] {one['outcome']:10} {seconds:4.0f} s  {place} {change.kind}")
    finally:
        tree.remove()
    return _reported(drawn, [told[_key(change, sources[change.path])] for change in drawn], args.seed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants ARGS=...", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", default=list(CHANGED), help="files or folders to change (all)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other changes (1)")
    parser.add_argument("--count", type=int, default=200, help="how many changes (200)")
    parser.add_argument("--again", action="store_true", help="try anew what went unnoticed in an earlier run")
    return parser.parse_args()


def _sources(tree: Path, names: Sequence[str]) -> dict[str, bytes]:
    """The modules that are changed, by their paths."""
    files = {f for name in names for f in ([tree / name] if name.endswith(".py") else (tree / name).rglob("*.py"))}
    return {f.relative_to(tree).as_posix(): f.read_bytes() for f in sorted(files)}


def _drawn(sources: dict[str, bytes], seed: int, count: int) -> list[Change]:
    """Changes drawn by chance."""
    every = [c for path, source in sources.items() for c in changes(path, source, CLASSES.get(path, ()))]
    random.Random(seed).shuffle(every)
    found = (change for change in every if parses(change.applied(sources[change.path])))
    return list(islice(found, count))


def _key(change: Change, source: bytes) -> str:
    """A change of this very module."""
    return f"{change.path} {sha256(source).hexdigest()[:12]} {change.start}-{change.end} {change.became}"


def _told(kept: Path, *, again: bool) -> dict[str, dict[str, Any]]:
    """What an earlier run found out."""
    if not kept.is_file():
        return {}
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    last = {line.pop("key"): line for line in lines}
    return {key: one for key, one in last.items() if not (again and one["outcome"] == "unnoticed")}


def _equivalent() -> set[tuple[str, str, str]]:
    listed = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) or []
    return {(one["path"], one["was"], one["became"]) for one in listed}


def _closest(root: Path, path: str) -> list[str]:
    """Tests of a file: that of its own name first, then its folder's and those of the stages that use it."""
    places = [root / name for name in next(tests for start, tests in CLOSEST.items() if path.startswith(start))]
    own = (root / "tests" / path).with_name("test_" + Path(path).name)
    every = [
        own,
        *(test for place in places for test in ([place] if place.is_file() else sorted(place.rglob("test_*.py")))),
    ]
    return [test.relative_to(root).as_posix() for test in dict.fromkeys(every) if test.is_file()]


def _tried(tree: Tree, change: Change, source: bytes) -> dict[str, Any]:
    """What the tests say of a change: noticed, unnoticed, or timeout, which is noticed too."""
    tests = _closest(tree.path, change.path)
    usual = tree.usual(tests)
    started = time.monotonic()
    with tree.holding(change.path, change.applied(source)):
        code = tree.test(tests, max(LEAST, PATIENCE * usual))
    if code is not None and code not in FAILED and code != 0:
        sys.exit(f"{tree.last()}\npytest came to no end ({code}) with {change.path}:{change.line} {change.kind}")
    outcome = {0: "unnoticed", None: "timeout"}.get(code, "noticed")
    told = {"outcome": outcome, "seconds": round(time.monotonic() - started, 1), "diff": change.diff(source)}
    first = re.search(r"^(?:FAILED|ERROR) (\S+)", tree.last(), re.MULTILINE)
    return told | ({"by": first.group(1)} if outcome == "noticed" and first else {})


@dataclass(slots=True)
class Tree:
    """A copy of the working tree, in which changes are made and tests run."""

    path: Path
    took: dict[frozenset[str], float] = field(default_factory=dict)

    @classmethod
    def copied(cls, path: Path) -> Tree:
        """Copy what git knows or would."""
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
            if name and (ROOT / name).is_file():
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, path / name)
        return cls(path)

    def remove(self) -> None:
        """Take the copy away."""
        shutil.rmtree(self.path, ignore_errors=True)

    def usual(self, tests: Sequence[str]) -> float:
        """Seconds that tests take without a change; they must pass."""
        if frozenset(tests) not in self.took:
            started = time.monotonic()
            code = self.test(tests, 1800)
            if code != 0:
                sys.exit(f"{self.last()}\nwithout any change {' '.join(tests)} fails: mend that first")
            self.took[frozenset(tests)] = time.monotonic() - started
        return self.took[frozenset(tests)]

    def last(self) -> str:
        """What the last tests said."""
        return (self.path / LAST).read_text(encoding="utf-8", errors="replace")

    @contextmanager
    def holding(self, name: str, source: bytes) -> Iterator[None]:
        """Have a file changed for a while, and compiled anew: Python knows a file by its second and its size."""
        file = self.path / name
        original = file.read_bytes()
        try:
            _written(file, source)
            yield
        finally:
            _written(file, original)

    def test(self, tests: Sequence[str], seconds: float) -> int | None:
        """The exit code of pytest, which stops at the first failure; None where it takes longer than it may."""
        env = os.environ | {"CI": "1", "PYTHONPATH": str(self.path)}  # CI: Hypothesis draws the same cases every time
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # else every run compiles everything anew
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *LEFT_OUT, *tests]
        nice = ["nice", "-n", str(NICE)] if shutil.which("nice") else []
        with (self.path / LAST).open("wb") as out:
            process = subprocess.Popen(
                nice + command, cwd=self.path, env=env, stdout=out, stderr=out, start_new_session=True
            )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:  # what it started goes with it
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _written(file: Path, source: bytes) -> None:
    file.write_bytes(source)
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()


def _reported(drawn: Sequence[Change], found: Sequence[dict[str, Any]], seed: int) -> int:
    """Print what went unnoticed, and how much that is."""
    lost = [(change, one["diff"]) for change, one in zip(drawn, found, strict=True) if one["outcome"] == "unnoticed"]
    for change, diff in sorted(lost, key=lambda pair: (pair[0].path, pair[0].line)):
        _say(f"\n{change.path}:{change.line}  {change.kind}\n{diff}")
    counts = Counter(one["outcome"] for one in found)
    real = len(found) - counts["equivalent"]
    share = len(lost) / max(real, 1)
    _say(f"\nseed {seed}: {len(found)} changes: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    _say(f"{len(lost)} of {real} that are not equivalent went unnoticed: {share:.1%} (at most {MOST:.0%})")
    return int(share > MOST)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

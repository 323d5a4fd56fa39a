"""The inputs of the benchmarks: the PDFs of a folder, the questions of a gold file, a collection of the former."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Collection as Names
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation import tell
from indexing import Collection, build_index


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question of the gold file, the document it is about and its gold pages (from 1)."""

    text: str
    document: str
    pages: tuple[int, ...]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return the options that all benchmarks share; the module docstring `doc` is the help."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = options.add_argument
    add("--eval", type=Path, default=Path("../shared/eval/mmdocir"), help="the folder with pdfs/ and dev.jsonl")
    add("--pdfs", type=Path, help="the folder of the documents (default: pdfs in --eval)")
    add("--gold", type=Path, help="the questions (default: dev.jsonl in --eval)")
    add("--limit-docs", type=int, metavar="N", help="use only the N smallest documents")
    add("--workers", type=int, default=2, help="the number of processes that parse pages (default: %(default)s)")
    return options


def add_collection_options(options: argparse.ArgumentParser) -> None:
    """Add `--home` and `--collection`, for benchmarks that use an index instead of measuring its making."""
    options.add_argument("--home", type=Path, help="the folder for the collection (default: a temporary one)")
    options.add_argument("--collection", default="bench", metavar="NAME", help="its name (default: %(default)s)")


def pdfs(asked: argparse.Namespace) -> list[Path]:
    """Return the documents by name or, with --limit-docs, the smallest."""
    folder: Path = asked.pdfs or asked.eval / "pdfs"
    found = sorted(folder.glob("*.pdf"))
    if not found:
        raise SystemExit(f"no PDF in {folder}: give the folder of the documents with --pdfs, or its parent with --eval")
    return smallest(found, asked.limit_docs)


def smallest(paths: Sequence[Path], count: int | None) -> list[Path]:
    """Return the `count` smallest files, in the order given; all when `count` is None."""
    chosen = set(sorted(paths, key=lambda p: (p.stat().st_size, p.name))[:count])
    return [path for path in paths if path in chosen]


def questions(asked: argparse.Namespace, documents: Names[str]) -> list[BenchQuestion]:
    """Return the questions of the gold file about `documents` (names)."""
    path: Path = asked.gold or asked.eval / "dev.jsonl"
    if not path.exists():
        raise SystemExit(f"{path} is missing: give the gold file with --gold, or its folder with --eval")
    found = [q for q in read_questions(path.read_text(encoding="utf-8")) if q.document in documents]
    if not found:
        raise SystemExit(f"{path} has no questions about the indexed documents: give their gold file with --gold")
    return found


def read_questions(text: str) -> list[BenchQuestion]:
    """Read the questions of a gold file: one JSON object a line, `{"doc", "questions": [{"question", "pages"}]}`."""
    return [
        BenchQuestion(asked["question"], row["doc"], tuple(asked["pages"]))
        for row in map(json.loads, filter(str.strip, text.splitlines()))
        for asked in row["questions"]
    ]


@contextlib.contextmanager
def home_of(asked: argparse.Namespace) -> Iterator[Path]:
    """Yield --home, or a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="vouch-bench-") as temporary:
        yield asked.home.absolute() if asked.home else Path(temporary)


def index_for_bench(asked: argparse.Namespace, home: Path) -> Collection:
    """Return the collection named by the options, after indexing the documents that it lacks; else it is only read."""
    paths = pdfs(asked)
    collection = Collection.create(asked.collection, home)
    present = {document.name for document in collection.documents()}
    missing = [path for path in paths if path.name not in present]
    if missing:
        report = build_index(collection, missing, workers=asked.workers, on_progress=tell)
        print(file=sys.stderr)
        for file in report.files:
            for failure in file.failures:
                print(f"not indexed: {failure.message}", file=sys.stderr)
    return collection

"""The operations that write into a collection, each on a small collection made for it, by the real writer.

    python -m tests.faults.operations OPERATION HOME

runs one in a process of its own. Pages are made up, so that nothing but writing takes time.
"""

import hashlib
import itertools
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from indexing import Collection, Document, DocumentMissing
from indexing.embed import MiniLM
from tests.support import fakes

NAME = "books"


def made_up(name: str, pages: int, said: str = "week") -> list[list[str]]:
    """Return the paragraphs of a document's pages."""
    return [
        [f"Page {n} of {name} tells of the weather in {said} {n}.", f"It rained on {n} days."] for n in range(pages)
    ]


def write(into: Collection, name: str, pages: list[list[str]], folder: Path, failed: tuple[int, ...] = ()) -> Document:
    """Write a made-up document through the real writer, with a file that is copied; `failed` pages are left out."""
    body = repr((name, pages)).encode() * 40
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / name
    source.write_bytes(body)
    document = replace(_document(source, pages), failed_pages=failed)
    if failed:
        document = replace(document, n_elements=sum(len(p) for n, p in enumerate(pages, 1) if n not in failed))
    with into.writer() as writer:
        for number, texts in enumerate(pages, 1):
            if number not in failed:
                writer.add(fakes.parsed(document.id, number, texts))
        writer.finish(document, source)
        writer.flush()
    return document


def _document(source: Path, pages: list[list[str]]) -> Document:
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    return replace(fakes.document(source.name, pages), id=sha256[:16], sha256=sha256)


def opened(home: Path, embedder: MiniLM) -> Collection:
    """Return the collection, made when it is missing."""
    return fakes.collection(home, embedder, NAME)


def base(home: Path, embedder: MiniLM) -> None:
    """Make the collection that operations change: a document to keep, one to change, a partial one, one to remove."""
    made = opened(home, embedder)
    for name, pages, failed in (("kept", 2, ()), ("changed", 2, ()), ("partial", 3, (2,)), ("gone", 1, ())):
        write(made, f"{name}.pdf", made_up(f"{name}.pdf", pages), files(home), failed)


def staying(operation: str) -> set[str]:
    """Return the names of the documents of `base` that an operation may not take away."""
    if operation == "delete":
        return set()
    return {"kept.pdf", "changed.pdf", "partial.pdf", "gone.pdf"} - ({"gone.pdf"} if operation == "remove" else set())


def files(home: Path) -> Path:
    """Return the folder of the files, outside of the home."""
    return home.parent / "files"


def index(made: Collection, folder: Path) -> None:
    write(made, "new.pdf", made_up("new.pdf", 2), folder)


def replaced(made: Collection, folder: Path) -> None:
    write(made, "changed.pdf", made_up("changed.pdf", 3, "month"), folder)


def reread(made: Collection, folder: Path) -> None:
    write(made, "partial.pdf", made_up("partial.pdf", 3), folder)


def remove(made: Collection, folder: Path) -> None:  # noqa: ARG001  as the others
    with suppress(DocumentMissing):  # the same command again: it was gone before what broke off
        made.remove("gone.pdf")


def compact(made: Collection, folder: Path) -> None:  # noqa: ARG001
    made.compact()


def delete(made: Collection, folder: Path) -> None:  # noqa: ARG001
    made.delete()


def many(made: Collection, folder: Path) -> None:
    """Write documents without end, replacing each after a while."""
    for number in itertools.count():
        write(made, f"{number % 12}.pdf", made_up(f"{number % 12}.pdf", 2, f"year {number}, week"), folder)


OPERATIONS: dict[str, Callable[[Collection, Path], None]] = {
    "index": index, "replace": replaced, "reread": reread, "remove": remove, "compact": compact, "delete": delete,
    "many": many,
}  # fmt: skip


def main(argv: Sequence[str]) -> None:
    """Run the operation that the command line names."""
    home = Path(argv[1])
    OPERATIONS[argv[0]](opened(home, MiniLM(threads=1)), files(home))


if __name__ == "__main__":
    main(sys.argv[1:])

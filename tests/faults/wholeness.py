"""The wholeness of a collection: all that must hold of it at any moment, whatever happened to who wrote it."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from indexing import Collection, Document, IndexingError
from indexing.store import Snapshot


def problems(made: Collection) -> list[str]:
    """Return what is wrong with a collection, a line each: unreadable, half, twice, or not found by search."""
    try:
        return list(_problems(made))
    except IndexingError as error:
        return [f"unreadable: {type(error).__name__}: {error}"]


def _problems(made: Collection) -> Iterator[str]:
    documents = made.documents()
    for what, count in Counter(d.path for d in documents).items():
        if count > 1:
            yield f"{what} is there {count} times"
    snapshot = made.snapshot()
    keys = snapshot.page_keys()
    rows: dict[str, list[tuple[int, int]]] = {}
    for doc_id, *row in zip(*(keys[name].to_pylist() for name in ("doc_id", "number", "_rowid")), strict=True):
        rows.setdefault(doc_id, []).append((row[0], row[1]))
    counts = Counter(snapshot.element_keys()["doc_id"].to_pylist())
    for document in documents:
        whole = [n for n in range(1, document.n_pages + 1) if n not in document.failed_pages]
        own = sorted(rows.get(document.id, []))
        if [number for number, _ in own] != whole:
            yield f"{document.name} has the pages {[number for number, _ in own]}, not {whole}"
        elif counts[document.id] != document.n_elements:
            yield f"{document.name} has {counts[document.id]} elements, not {document.n_elements}"
        else:
            yield from _unlike(made, snapshot, document, own)
        yield from _copy(made, document)
    known = {d.id for d in documents}
    hits = made.search("Which page tells of the weather in which week?", limit=50).hits
    if documents and not hits:
        yield "search finds nothing"
    if strangers := {h.element.doc_id for h in hits} - known:
        yield f"search finds what is of no document: {strangers}"


def _unlike(made: Collection, snapshot: Snapshot, document: Document, own: list[tuple[int, int]]) -> Iterator[str]:
    """Find pages (number, row) whose elements and vectors do not agree."""
    searched = 0
    for number, row in own:
        elements = snapshot.page_elements(document.id, number)
        vectors, spans = snapshot.vectors([row])[0]
        searched += len(vectors)
        if len({e.id for e in elements}) != len(elements):
            yield f"{document.name}, page {number}: elements twice"
        if int(spans[:, 2].sum()) != len(vectors) or any(ordinal >= len(elements) for ordinal in spans[:, 0]):
            yield f"{document.name}, page {number}: vectors of other elements"
        if any(e.text for e in elements) and not len(vectors):
            yield f"{document.name}, page {number}: text without vectors"
    if searched and not made.search("page", doc_ids=[document.id], limit=1).hits:
        yield f"{document.name} is not found by search"


def _copy(made: Collection, document: Document) -> Iterator[str]:
    """Find a copy of a file that is missing, or not the file."""
    found = sorted(made.originals.place.folder.glob(f"{document.sha256}.*"))
    if not found:
        yield f"{document.name} has no copy"
    for path in found:
        if hashlib.sha256(path.read_bytes()).hexdigest() != document.sha256:
            yield f"{document.name}: {path.name} is not its file"


def lost(made: Collection, names: Iterable[str]) -> list[str]:
    """Return which of these documents are not there, or not once, a line each."""
    counts = Counter(d.name for d in made.documents())
    return [f"{name} is there {counts[name]} times" for name in sorted(names) if counts[name] != 1]


def leftovers(made: Collection) -> list[str]:
    """Return what is in a collection's folder and of no document: to be empty when a later run has ended."""
    known = {d.id for d in made.documents()}
    snapshot = made.snapshot()
    found = {str(i) for keys in (snapshot.page_keys(), snapshot.element_keys()) for i in keys["doc_id"].to_pylist()}
    strays = [f"rows of {doc_id}" for doc_id in sorted(found - known)]
    copies = {d.sha256 for d in made.documents()}
    strays += [f"sources/{p.name}" for p in made.originals.place.folder.iterdir() if p.stem not in copies]
    return strays + [str(p.relative_to(made.path)) for p in _files(made.path) if p.suffix in (".part", ".unlocked")]


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file())

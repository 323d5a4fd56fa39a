"""The class `Collection`: a named folder with its database, its copies of files and its writer lock.

<home> is a folder (`indexing.storage`).

<home>/<name>/collection.json     format and embedders
<home>/<name>/db/                 LanceDB (`indexing.store`)
<home>/<name>/search/             what searching a large collection maps into memory (`indexing.search.index_arrays`)
<home>/<name>/sources/            copies of the indexed files, named by their sha256
<home>/<name>/embedded/           pages that a visual model has embedded, of documents that are not complete
<home>/<name>/versions/2/         the same of a version that `vouch reindex` made; collection.json names the one
                                  that answers, reindex.json the one that is being made (`indexing.store.versions`)
<home>/<name>/agreed.sqlite       lines that pages were seen to show as they are, if any (`indexing.originals`)
<home>/<name>/writer.lock         held by the process that writes
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs import did_you_mean
from indexing.current_version import CurrentVersion, with_record
from indexing.errors import CollectionMissing, DocumentMissing, IndexingError, NoVisualEmbedder
from indexing.filters import fitting_documents
from indexing.hints import Hints
from indexing.originals import AgreedLines, Originals, lines_of, remaining_lines
from indexing.settings import IndexingSettings, Mode, SearchSettings
from indexing.storage import Home
from indexing.store import RECORD, list_collections, place_of, read_record, tidy, write_record
from indexing.types import (
    BBox,
    Document,
    Element,
    Found,
    Mark,
    MarkedPdf,
    Mismatch,
    Page,
    ParsedPage,
    View,
    layer_lines,
)

if TYPE_CHECKING:
    from PIL import Image

    from indexing.embed import QueryVectors, RegionVectors, TokenVectors
    from indexing.store import Rows, Snapshot, Writer


class Collection(CurrentVersion):
    """A collection of indexed documents. Get one with `Collection.open` or `Collection.create`; closing is optional."""

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.place.folder

    @classmethod
    def open(cls, name: str, home: Home | None = None, settings: IndexingSettings | None = None) -> Collection:
        """Open a collection. Raises CollectionMissing, BadCollectionName, EmbedderMismatch, CollectionDamaged."""
        own_settings = settings or IndexingSettings()
        place = place_of(name, home)
        if not place.exists(RECORD):
            names = list_collections(home)
            other = did_you_mean(name, names, lead=", or ") or (", or choose one of these" if names else "")
            raise CollectionMissing(
                f"no collection named {name!r} (there are: {', '.join(names) or 'none yet'}): create it with "
                f"vouch index PATH --collection {name}{other}"
            )
        return cls(place, with_record(read_record(place, own_settings), own_settings), own_settings)

    @classmethod
    def create(cls, name: str, home: Home | None = None, settings: IndexingSettings | None = None) -> Collection:
        """Open the collection of that name, or create an empty one.

        Raises as `open` does, and for a checkpoint ExtraMissing, CheckpointMissing, CheckpointUnfit.
        """
        from indexing.embed import new_record

        own_settings = settings or IndexingSettings()
        place = place_of(name, home)
        if not place.exists(RECORD):
            write_record(place, new_record(own_settings))
        return cls.open(name, home, own_settings)

    @property
    def name(self) -> str:
        """The name under which it was opened."""
        return self.place.name

    def documents(self) -> tuple[Document, ...]:
        """Return its complete documents, oldest first."""
        return self._of_store(lambda store: store.documents())

    def document(self, name_or_id: str) -> Document:
        """Return the document with that id, name or path; DocumentMissing if none or several match."""
        documents = self.documents()
        matches = [d for d in documents if name_or_id in (d.id, d.path)] or [
            d for d in documents if d.name == name_or_id
        ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(f"{d.id} ({d.path})" for d in matches)
            raise DocumentMissing(f"{name_or_id!r} is the name of {len(matches)} documents: give the id of one: {ids}")
        names = ", ".join(d.name for d in documents[:20]) or "none"
        near = did_you_mean(name_or_id, [d.name for d in documents])
        raise DocumentMissing(f"no document {name_or_id!r} in collection {self.name!r} (there are: {names}){near}")

    def fitting(self, where: str) -> tuple[Document, ...]:
        """Return the documents that a filter such as `tag=minutes and date>=2024` matches, oldest first.

        Raises BadFilter, and NothingFits if no document matches.
        """
        return fitting_documents(self.documents(), where, self.name)

    def page(self, doc_id: str, number: int) -> Page:
        """Return a page of a document. Raises DocumentMissing if there is no such page."""
        page = self._of_store(lambda store: store.snapshot().page(doc_id, number))
        if page is None:
            raise DocumentMissing(f"there is no page {number} of document {doc_id!r} in collection {self.name!r}")
        return page

    def page_elements(self, doc_id: str, page: int) -> tuple[Element, ...]:
        """Return the elements of a page in reading order, groups last."""
        return self._of_store(lambda store: store.snapshot().page_elements(doc_id, page))

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return the `page_elements` of each page (document id, number); fast for many pages."""
        return self._of_search(lambda searcher: searcher.elements_on(pages))

    def outlines(self, *, kind: str = "", saying: str = "", doc_id: str = "") -> Iterator[Element]:
        """Yield elements without words and cells, in no order: of a kind, of a document, with text matching a pattern.

        `saying` is a regular expression of the Rust crate `regex`, which runs in linear time. Elements of documents
        that are not complete may be among them. Raises CollectionDamaged.
        """
        yield from self.snapshot().outlines(kind=kind, saying=saying, doc_id=doc_id)

    def page_regions(self, doc_id: str, page: int) -> RegionVectors:
        """Return the regions of a page with their vectors from the visual embedder; none if it found nothing."""
        from indexing.search import regions_on_page

        return regions_on_page(*self._of_store(lambda store: store.snapshot().visual_vectors(doc_id, page)))

    def embed_query(self, text: str, view: View = "text") -> QueryVectors:
        """Embed a question as the vectors of a view are searched. Raises NoVisualEmbedder for the view of pixels."""
        if view == "text":
            return self._embedder.embed_query(text)
        self.check_mode("image")
        assert self._visual is not None  # noqa: S101  check_mode
        return self._visual.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed texts with its text embedder, as its passages were embedded."""
        return self._embedder.embed_passages(texts)

    def similarity_map(self, text: str, doc_id: str, page: int) -> tuple[tuple[BBox, float], ...]:
        """Return the regions of a page, each with its MaxSim (at most 1) to a text. Raises NoVisualEmbedder."""
        from indexing.search import region_scores

        regions = self.page_regions(doc_id, page)
        return tuple(zip(regions.boxes, region_scores(regions, self.embed_query(text, "visual")).tolist(), strict=True))

    def kinds(self) -> dict[str, int]:
        """Count its elements by kind, the most common first. Raises CollectionDamaged."""
        counts = Counter(self.snapshot().element_keys()["kind"].to_pylist())
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def snapshot(self) -> Snapshot:
        """Return the collection as it is now, for reading rows. Raises CollectionDamaged."""
        return self._of_store(lambda store: store.snapshot())

    def to_lance(
        self, folder: Path, table: str = "vouch", *, view: View = "text", rows: Rows = "pages", replace: bool = False
    ) -> int:
        """Write its token vectors as a table that any LanceDB client reads and searches; return the number of rows.

        A row is a page, or one of its elements, that has vectors in the `view`: `vector`, a multi-vector (n, d) of
        float16 at length 1, with `doc_id`, `document` (its name) and `page` (from 1); for an element also `element_id`,
        `kind`, `text` and its box, `x0`, `y0`, `x1`, `y1` in fractions of the displayed page. The table is a copy:
        later changes of the collection are not in it. docs/lancedb.md shows how to search it.

        Raises CollectionThere if the folder has the table and `replace` is False, NoVisualEmbedder, DiskFull,
        CollectionDamaged.
        """
        from indexing.store import write_plain_table

        self.check_mode("text" if view == "text" else "image")
        return write_plain_table(self.snapshot(), folder, table, view, rows, replace=replace)

    @cached_property
    def originals(self) -> Originals:
        """The stored copies of its files."""
        return Originals(self.place.below("sources"), self.settings)

    @cached_property
    def agreed_lines(self) -> AgreedLines:
        """The stored lines whose text was verified against the pixels of their pages."""
        return AgreedLines(self.path)

    def draw_page(self, doc_id: str, page: int, width: int = 1400) -> Image.Image:
        """Render the displayed page in RGB, `width` pixels wide, from the stored copy, in a process that can be killed.

        Raises DocumentMissing, or the FileError of the rendering.
        """
        return self.originals.draw(self.document(doc_id), page, width)

    def take_password(self, password: str) -> None:
        """Keep a password in memory for the life of this object; it is tried on pages that are locked."""
        self.originals.take_password(password)

    def unlock(self, password: str) -> tuple[Document, ...]:
        """Keep a password, as `take_password` does, if it opens a locked document; return the documents it opens."""
        return tuple(self.originals.unlock(self.documents(), password))

    def mismatches(self, doc_id: str, page: int, boxes: Sequence[BBox]) -> tuple[Mismatch, ...]:
        """Return the words in `boxes` that a page shows differently from the text of its elements.

        If OCR read the whole page, there are none. Raises what `draw_page` raises.
        """
        document, (elements,) = self.document(doc_id), self.elements_on([(doc_id, page)])
        lines = layer_lines(elements, boxes)
        if lines:
            page_lines = lines_of(elements)
            verified_lines = self.agreed_lines.of(document, self.originals.page_stamp(document), page, page_lines)
            lines = remaining_lines(lines, verified_lines or ())
        return tuple(m for line in self.originals.compare(document, page, lines) for m in line) if lines else ()

    def close(self) -> None:
        """End the process that renders pages, if one was started, and close the database of verified lines."""
        if "originals" in self.__dict__:
            self.originals.close()
        if "agreed_lines" in self.__dict__:
            self.agreed_lines.close()

    def __enter__(self) -> Collection:
        """Return the collection itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def search(
        self,
        queries: str | Sequence[str],
        *,
        image_queries: Sequence[str] | None = None,
        mode: Mode = "text",
        hints: Hints | None = None,
        doc_ids: Sequence[str] = (),
        limit: int = 10,
        settings: SearchSettings | None = None,
    ) -> Found:
        """Find the elements and pages that match a question best by late interaction, best first.

        The question may be given as several queries, of which the first counts most, and each query with a different
        form for the pixels of pages (`image_queries`). `hints` are the places that the question names; `doc_ids`
        restricts the search to documents. Mode text compares queries with the text, image with the pixels of the pages,
        multi with both. Raises NoVisualEmbedder for image and multi if the collection has no visual embedder.
        """
        self.check_mode(mode)
        arguments: dict[str, Any] = {
            "mode": mode,
            "hints": hints,
            "doc_ids": doc_ids,
            "limit": limit,
            "settings": settings,
        }
        return self._of_search(lambda searcher: searcher.search(queries, image_queries=image_queries, **arguments))

    def unseen_pages(self, doc_ids: Sequence[str] = ()) -> tuple[int, int]:
        """Count the pages with text that mode image cannot search, and all pages with text, in all or some documents.

        Their pixels were not read when they were indexed (`IndexingSettings.pixels`).
        """
        return self._of_search(lambda searcher: searcher.unseen_pages(doc_ids))

    def check_mode(self, mode: Mode) -> None:
        """Raise NoVisualEmbedder for a mode that this collection cannot serve."""
        if mode != "text" and self.settings.visual == "none":
            raise NoVisualEmbedder(
                f"collection {self.name!r} was made without a visual embedder: use --mode text, or add one "
                f"with vouch reindex --collection {self.name} --visual ocr_regions"
            )

    def warm(self) -> None:
        """Load the embedder and the search structures now instead of with the first question."""
        self._of_search(lambda searcher: searcher.warm())

    @contextlib.contextmanager
    def writer(self) -> Iterator[Writer]:
        """Yield the writer, for one process at a time. Raises CollectionLocked, which names the process that writes."""
        from indexing.store import Writer

        with self._write_lock():
            tidy(self.place, self._record.version)
            writer = Writer(self._store, self._embedder, self._visual, self.place.below("sources"))
            try:
                yield writer
            finally:
                writer.close()

    def keep_pixels(self, document: Document, pages: Sequence[ParsedPage]) -> bool:
        """Embed the regions of `pages`, and store them with the document's count of pages read so far.

        Return False, storing nothing, if the document was removed or indexed again meanwhile. Raises CollectionLocked.
        """
        from indexing.store import visual_rows

        assert self._visual is not None  # noqa: S101  its caller asks
        rows = visual_rows(pages, self._visual)
        with self._write_lock():
            times = {doc.id: doc.indexed_at for doc in self._store.documents()}
            if times.get(document.id) != document.indexed_at:
                return False
            self._store.see(document, rows)
        return True

    def optimize(self) -> None:
        """Merge small files that writing left. Raises CollectionLocked."""
        with self._write_lock():
            self._store.optimize()

    def remove(self, name_or_id: str) -> Document:
        """Remove a document, with its rows and its stored copy.

        A removal that was interrupted (a full disk, a kill) has removed the document, but may have left its rows and
        copy; calling this again removes them, although the document no longer exists. Raises DocumentMissing.
        """
        from indexing.store import prune

        sources = self.place.below("sources")
        try:
            document = self.document(name_or_id)
        except DocumentMissing:
            with contextlib.suppress(IndexingError), self._write_lock():
                prune(self._store, sources)
            raise
        with self._write_lock():
            self._store.remove(document.id)
            prune(self._store, sources)
            self._store.optimize()
        self.agreed_lines.forget_others(self.documents())
        return document

    def compact(self) -> tuple[int, int]:
        """Merge files and delete old versions; return the bytes on disk before and after."""
        before = self.place.size()
        from indexing.store import prune

        with self._write_lock():
            tidy(self.place, self._record.version)
            self._tables.below("embedded").clear()
            self._store.settle()
            prune(self._store, self.place.below("sources"))
            self._store.optimize(keep=timedelta(milliseconds=1))
        return before, self.place.size()

    def stats(self) -> dict[str, int | str]:
        """Return counts and sizes: documents, pages, elements, bytes (database, sources), versions, embedder."""
        documents = self.documents()
        return {
            "documents": len(documents),
            "pages": sum(d.n_pages for d in documents),
            "elements": sum(d.n_elements for d in documents),
            "database_bytes": self._store.path.size(),
            "source_bytes": self.place.below("sources").size(),
            "versions": self._store.versions(),
            "embedder": self.settings.embedder,
            "visual": self.settings.visual,
        }

    def delete(self, *, only_if_empty: bool = False) -> None:
        """Delete the whole collection, or only if it is empty: another process may have added documents."""
        with self._write_lock():
            if not (only_if_empty and self._store.documents()):
                self.place.clear()


def annotate_document(collection: Collection, doc_id: str, marks: Sequence[Mark]) -> MarkedPdf:
    """Return a document as a PDF with `marks` on its pages, from its stored copy, without active content.

    Raises DocumentMissing, also for a page, or the FileError of the worker, whose time and memory are limited.
    """
    return collection.originals.annotate(collection.document(doc_id), marks)

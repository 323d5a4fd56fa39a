"""The sources that a statement names -> the documents of the collection, and the statement held against these first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from indexing import Collection, Document
from plugins.audit.citations.documents import DocumentIndex, opening_texts
from plugins.audit.marks import Marked, split_marks
from plugins.audit.references import BibliographicFields, Reference, ReferenceIndex
from rag import PROVEN, CitedSource, Sentence
from rag.attribution import CitationMark, Hold, ListedEntry

MOST_SOURCES = 6
"""The most sources of one statement that are followed."""
UNSAID = "the source that it cites does not say this, nor was it found elsewhere"
NOTHING = "nothing was found that proves it"
MOST_DOCUMENTS = 2000
"""The most documents of a collection whose titles are read."""
_RANK = {"confirmed": 2, "contradicted": 1}


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source that a mark names: the entry in words, empty where the text has none, and the document that it is."""

    mark: str
    entry: str
    document: Document | None


class CitedSources:
    """The sources of one text: its marks are followed to its entries, and these to documents of the collection."""

    def __init__(self, collection: Collection, entries: Sequence[ListedEntry]) -> None:
        """Keep the entries, found by label, number and the names in them; the first mark has the documents read."""
        self._collection = collection
        pairs = enumerate(entries, 1)
        self._references = ReferenceIndex(Reference(n, e.text, BibliographicFields(), e.label) for n, e in pairs)
        self._listed = bool(entries)
        self._documents: DocumentIndex | None = None

    def check(self, text: str, hold: Hold, links: Sequence[str] = (), notes: Sequence[str] = ()) -> Sentence:
        """Return a statement checked by `hold` in the documents that it names first, and then everywhere.

        `links` are the addresses that its words lead to, `notes` the texts of its footnotes, where they are no part of
        the text. One that is proven by a source that it names is that; else one that such a source contradicts is
        contradicted; else it is what is found elsewhere, and the sources that do not say it are told.
        """
        body = split_marks(text)
        mentions = self.sources_of(body, links, notes)
        documents = list({n.document.id: n.document for n in mentions if n.document is not None}.values())
        sentences = {document.id: hold(body.unnamed, document.id) for document in documents}
        best = max(sentences.values(), key=lambda s: _RANK.get(s.verdict, 0), default=None)
        if best is None or best.verdict not in _RANK:
            best = hold(body.unnamed if any(n.entry for n in mentions) else body.claim if self._listed else text, None)
        others = tuple(dict.fromkeys(c.document for c in best.proof if c.doc_id not in sentences))
        sources = tuple(_source(one, sentences, others) for one in mentions)
        if best.verdict == "unconfirmed" and mentions:
            best = replace(best, reason=UNSAID if any(one.fails for one in sources) else NOTHING)
        return replace(_with_marks(best, text), sources=sources)

    def sources_of(self, statement: Marked, links: Sequence[str] = (), notes: Sequence[str] = ()) -> list[NamedSource]:
        """Return the sources that a statement names, each once, in its order."""
        sources = [source for mark in statement.marks for source in self._of_mark(mark)]
        sources += [NamedSource(_short(address), address, self._index.of_address(address)) for address in links]
        sources += [NamedSource("its footnote", note, self._index.of_entry(note)) for note in notes]
        by_source = {(n.document.id if n.document else n.entry or n.mark): n for n in reversed(sources)}
        return [n for n in sources if n in by_source.values()][:MOST_SOURCES]

    @property
    def _index(self) -> DocumentIndex:
        if self._documents is None:
            documents = self._collection.documents()[:MOST_DOCUMENTS]
            self._documents = DocumentIndex(documents, partial(opening_texts, self._collection))
        return self._documents

    def _of_mark(self, mark: CitationMark) -> Iterator[NamedSource]:
        for key in mark.keys:
            label = mark.text if len(mark.keys) == 1 else f"[{key}]" if mark.kind in ("number", "label") else key
            entries = self._references.entries_of_key(mark, key)
            if not entries and mark.kind == "link":
                yield NamedSource(_short(key), key, self._index.of_address(key))
            elif not entries and self._listed and mark.kind not in ("raised", "label"):
                yield NamedSource(_short(label), "", None)
            for entry in entries:
                yield NamedSource(_short(label), entry.text, self._index.of_entry(entry.text))


def _short(mark: str) -> str:
    return mark if len(mark) <= 60 else f"{mark[:59]}…"


def _with_marks(sentence: Sentence, text: str) -> Sentence:
    """Return a sentence with the text as it was written, marks and all."""
    conflict = sentence.conflict
    if conflict is not None:
        at = text.find(conflict.said) if conflict.said and text.count(conflict.said) == 1 else -1
        conflict = replace(conflict, at=(at, at + len(conflict.said)) if at >= 0 else None)
    return replace(sentence, text=text, conflict=conflict)


def _source(source: NamedSource, sentences: dict[str, Sentence], others: tuple[str, ...]) -> CitedSource:
    if source.document is None:
        return CitedSource(source.mark, "not here" if source.entry else "no entry", source.entry)
    verdict = sentences[source.document.id].verdict
    elsewhere = () if verdict in PROVEN or verdict == "remark" else others
    return CitedSource(source.mark, "followed", source.entry, source.document.name, verdict, elsewhere)

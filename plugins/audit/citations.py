"""Follow the citations of a text to documents of the collection, and check the text against them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from indexing import Collection, Document
from plugins.audit.marks import Marked, split_marks
from plugins.audit.references import BibliographicFields, Reference, ReferenceIndex
from rag import PROVEN, CitedSource, Sentence
from rag.attribution import CitationMark, Hold, ListedEntry

LEAST_WORDS, LEAST_LETTERS = 3, 14
"""The fewest words and letters of a title by which a document is known: "Report" is anybody's."""
MOST_WORDS = 40
MOST_OPENING = 20
"""The most pieces of a first page in which a title is looked for."""
_WORD = re.compile(r"[^\W_]{1,60}")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{1,200}", re.IGNORECASE)
_ARXIV = re.compile(r"(?<!\d)\d{4}\.\d{4,5}(?!\d)")
_FILE = re.compile(r"[^\s/\\\"<>()]{1,200}\.(?:pdf|epub|xps|html?|docx?|png|jpe?g)\b", re.IGNORECASE)
_FORM = re.compile(r"\b(\d{1,2})[- ]?([KQkq])\b")
"""The name of a form, which is written "10-K", "10 K" and "10K"."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A document by what may be cited of it: its file name, the words of its titles, and its identifiers."""

    document: Document
    file: str
    name: tuple[str, ...]
    titles: tuple[tuple[str, ...], ...]
    dois: frozenset[str]
    arxiv: frozenset[str]
    """The arXiv numbers in the name of its file."""


class DocumentIndex:
    """The documents of a collection by what a bibliography may say of them."""

    def __init__(self, documents: Iterable[Document], opening: Callable[[Document], Sequence[str]]) -> None:
        """Read the documents; `opening` gives the texts of a document's first page, the title among them."""
        self._names = [_document_names(document, opening(document)) for document in documents]

    def of_entry(self, text: str) -> Document | None:
        """Return the one document that an entry names; None where none is, or several are."""
        words = _words(text)
        dois = frozenset(_doi(m[0]) for m in _DOI.finditer(text))
        files, arxiv = {_stem(m[0]) for m in _FILE.finditer(text)}, set(_ARXIV.findall(text))
        for matches in (
            [k for k in self._names if dois and k.dois & dois],
            [k for k in self._names if k.file in files or k.arxiv & arxiv],
            _longest([(k, title) for k in self._names for title in k.titles if _runs(title, words)]),
            _longest([(k, k.name) for k in self._names if len(k.name) >= LEAST_WORDS and {*k.name} <= {*words}]),
        ):
            if len({k.document.id for k in matches}) == 1:
                return matches[0].document
        return None

    def of_address(self, address: str) -> Document | None:
        """Return the document that an address or a file name leads to; None where none does."""
        name = PurePosixPath(unquote(urlsplit(address).path) if "//" in address else unquote(address)).name
        own = [k for k in self._names if name and k.file == _stem(name)]
        if len(own) == 1:
            return own[0].document
        dois = {_doi(m[0]) for m in _DOI.finditer(unquote(address))}
        own = [k for k in self._names if k.dois & dois]
        return own[0].document if len(own) == 1 else None


def opening_texts(collection: Collection, document: Document) -> list[str]:
    """Return the first texts of a document, among which its title is."""
    first = collection.page_elements(document.id, 1)
    return [e.text for e in first if e.kind != "group" and 0 < len(e.text) <= 300][:MOST_OPENING]


def _document_names(document: Document, opening: Sequence[str]) -> _Known:
    titles = [document.title, PurePosixPath(document.name).stem.replace("-", " ").replace("_", " "), *opening]
    names = [words for title in titles if _tells(words := _words(title))]
    dois = frozenset(_doi(m[0]) for text in opening for m in _DOI.finditer(text))
    name = _words(PurePosixPath(document.name).stem.replace("_", " "))
    dois, arxiv = dois if len(dois) == 1 else frozenset(), frozenset(_ARXIV.findall(document.name))
    return _Known(document, _stem(document.name), name, tuple(dict.fromkeys(names)), dois, arxiv)


def _tells(words: Sequence[str]) -> bool:
    """Return True for a title by which a document can be known."""
    return LEAST_WORDS <= len(words) <= MOST_WORDS and sum(map(len, words)) >= LEAST_LETTERS


def _longest(matches: Sequence[tuple[_Known, tuple[str, ...]]]) -> list[_Known]:
    """Return the documents whose title is the longest of an entry: "Annual report 2015" before "Annual report"."""
    most = max((len(title) for _, title in matches), default=0)
    return [entry for entry, title in matches if len(title) == most]


def _runs(title: Sequence[str], words: Sequence[str]) -> bool:
    """Return True if the words of a title stand in a row in an entry."""
    size = len(title)
    starts = (n for n, word in enumerate(words[: len(words) - size + 1]) if word == title[0])
    return any(tuple(words[n : n + size]) == tuple(title) for n in starts)


def _words(text: str) -> tuple[str, ...]:
    text = _FORM.sub(r"\1\2", text[:2000])
    plain = "".join(c for c in unicodedata.normalize("NFKD", text[:2000]) if not unicodedata.combining(c))
    return tuple(_WORD.findall(plain.casefold()))


def _stem(name: str) -> str:
    return PurePosixPath(name.casefold()).stem


def _doi(text: str) -> str:
    return text.casefold().rstrip(".,;)")


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

"""An entry of a bibliography, or an address -> the document of the collection that it is: by title, file name, DOI."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from indexing import Collection, Document

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

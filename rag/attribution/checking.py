"""Text check: the statements of a text that somebody else wrote, each held against the sources that it names.

Only for text that came as such: what is read from a file has its entries already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Protocol, cast

from indexing import Collection
from rag.attribution.attribute import Checker
from rag.attribution.localizer import BY_WORDS
from rag.attribution.statements import MOST_MARKED, AnswerStatement, citation_marks
from rag.attribution.words import denies
from rag.retrieval import ClaimSearch
from rag.types import Evidence, Judge, Localizer, Sentence
from vouch.hooks import additions, left_out_advice, load

BIBLIOGRAPHY_HEADINGS = frozenset(
    [
        "references", "reference list", "list of references", "bibliography", "works cited", "literature cited",
        "literature", "sources cited", "further reading", "literatur", "literaturverzeichnis", "quellenverzeichnis",
        "quellen", "références", "références bibliographiques", "bibliographie", "sources citées", "referencias",
        "referencias bibliográficas", "bibliografía", "bibliografia", "riferimenti bibliografici", "referências",
    ]
)  # fmt: skip
"""The headings under which a text lists what it cites."""
_NOTES = frozenset(["sources", "notes", "footnotes", "endnotes", "fuentes"])
"""Headings under which plain text lists what it cites, too; other files may have the notes to accounts there."""
MOST_ENTRIES, LONGEST = 2000, 2000
"""The most entries that are read, and the most characters of one."""
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s{1,4}|\*\*)?([^\W\d_][^#*:\n]{2,40}?)\s{0,3}(?:\*\*)?:?\s{0,3}$")
_MARKDOWN_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_DEFINED = re.compile(r"^\s{0,3}\[\^?([\w-]{1,40})\]:\s{1,4}(\S.*)$")
_LABELLED = re.compile(r"^\s{0,3}(?:[-*+\u2022]\s{1,4})?(?:\[([\w+'-]{1,40})\]|\(?(\d{1,4})[.)])\s{1,4}(\S.*)$")
_BULLET = re.compile(r"^\s{0,3}[-*+\u2022]\s{1,4}")


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry of a text's own bibliography, and the label before it ("3", "Smi20"), empty where it has none."""

    label: str
    text: str


def own_bibliography(text: str) -> tuple[list[ListedEntry], str]:
    """Return the entries of a text's bibliography, and the text with the lines of these entries emptied."""
    entries: list[ListedEntry] = []
    lines_of: set[int] = set()
    in_list, empty = False, True
    for number, line in enumerate(text.splitlines()):
        if len(entries) >= MOST_ENTRIES:
            break
        definition = _DEFINED.match(line)
        heading = _HEADING.match(line)
        opens = heading is not None and heading[1].strip().casefold() in BIBLIOGRAPHY_HEADINGS | _NOTES
        if definition:
            _add(entries, definition[1], definition[2])
        elif opens:
            in_list, empty = True, True
        elif _MARKDOWN_HEADING.match(line):
            in_list = False
        elif in_list and line.strip():
            _add_line(entries, line, goes_on=not empty)
        if definition or (in_list and line.strip() and not opens):
            lines_of.add(number)
        empty = not line.strip()
    rest = ("" if number in lines_of else line for number, line in enumerate(text.splitlines()))
    return entries, "\n".join(rest) if entries else text


def _add_line(entries: list[ListedEntry], line: str, *, goes_on: bool) -> None:
    """Add a line as a new entry; if it is indented, has no label and `goes_on`, append it to the last entry."""
    label = _LABELLED.match(line)
    if label:
        _add(entries, label[1] or label[2], label[3])
    elif goes_on and entries and line.startswith((" ", "\t")):
        last = entries.pop()
        _add(entries, last.label, f"{last.text} {line.strip()}")
    else:
        _add(entries, "", _BULLET.sub("", line).strip())


def _add(entries: list[ListedEntry], label: str, text: str) -> None:
    entries.append(ListedEntry(label, " ".join(text[:LONGEST].split())))


def entries_among(texts: Sequence[str]) -> list[ListedEntry]:
    """Return the paragraphs of a manuscript's bibliography as entries, with their labels split off."""
    entries: list[ListedEntry] = []
    for text in texts[:MOST_ENTRIES]:
        label = _LABELLED.match(text) or _DEFINED.match(text)
        groups = [g for g in label.groups() if g] if label else []
        _add(entries, groups[0] if len(groups) > 1 else "", groups[-1] if groups else text)
    return entries


Hold = Callable[[str, str | None], "Sentence"]
"""A function that checks a claim against the document with this id, or against all documents (None)."""


class SourceFollower(Protocol):
    """An object that looks up the sources that one text names, and checks its statements against them."""

    def check(self, text: str, hold: Hold, links: Sequence[str] = (), notes: Sequence[str] = ()) -> Sentence:
        """Return a statement checked by `hold`, first in the documents that it names, with its `sources`.

        `links` are the addresses that its words lead to, `notes` the texts of its footnotes.
        """


def follower_of(collection: Collection, entries: Sequence[ListedEntry]) -> SourceFollower | None:
    """Return a plugin's object that looks up the sources of a text with these entries; None without such a plugin."""
    followers = additions("citations")
    return cast("SourceFollower", load(followers[0].make)(collection, entries)) if followers else None


NOT_FOLLOWED = "The sources that the text names were not followed to documents: no plugin in use does that"
ENTRY = "it is an entry of the bibliography"
"""The remark of a statement that is an entry of the text's own bibliography."""


class TextCheck:
    """A checker of the statements of one text, against the evidence of its question and the sources it names."""

    def __init__(
        self,
        collection: Collection,
        question: str,
        evidence: Sequence[Evidence],
        search: ClaimSearch,
        judge: Judge | None = None,
        *,
        localizer: Localizer = BY_WORDS,
        entries: Sequence[ListedEntry] = (),
    ) -> None:
        """Store the arguments; `entries` is the text's bibliography, `judge` decides what words leave open."""
        self._collection = collection
        self._question, self._evidence, self._search = question, tuple(evidence), search
        self._judge, self._localizer = judge, localizer
        self._follower = follower_of(collection, entries)

    def __call__(self, statement: AnswerStatement) -> Sentence:
        """Return a statement as a sentence with its verdict and citations."""
        if remark := getattr(statement, "remark", "") or ("it names what follows" if statement.heading else ""):
            return Sentence(statement.text, (), "remark", remark)
        if statement.item and statement.under and denies(statement.under[-1]):
            reason = "what stands above it is denied, which its own words cannot prove"
            return Sentence(statement.text, (), "unconfirmed", reason)
        about = (self._question, *statement.under) if self._question else statement.under
        hold = partial(self._check_claim, about)
        if self._follower is None:
            return hold(statement.text, None)
        return self._follower.check(
            statement.text, hold, getattr(statement, "links", ()), getattr(statement, "footnotes", ())
        )

    def notes_on(self, parts: Sequence[AnswerStatement]) -> tuple[str, ...]:
        """Return a note that the sources named by statements were not looked up, if that is so; else ()."""
        if self._follower is not None or not any(map(_names_sources, parts)):
            return ()
        return (". ".join(filter(None, (NOT_FOLLOWED, left_out_advice()))) + ".",)

    def _check_claim(self, about: Sequence[str], claim: str, doc_id: str | None) -> Sentence:
        """Return a claim as a checked sentence, against the evidence of one document, or of all if `doc_id` is None."""
        evidence = [item for item in self._evidence if doc_id in (None, item.element.doc_id)]
        context = self._titles(doc_id) if doc_id is not None else ()
        check = Checker(self._judge, self._localizer, tuple(about), context, self._search.search_in(doc_id))
        return check(claim, (), evidence)

    def _titles(self, doc_id: str) -> tuple[str, ...]:
        """Return the title and file name of a document, as context for all of its text: they say who "we" is.

        Words of the file name get a capital letter, so that "NIKE_2021_10K.pdf" names Nike.
        """
        document = self._collection.document(doc_id)
        words = re.split(r"[\W_]+", PurePosixPath(document.name).stem[:200])
        return tuple(title for title in (document.title, " ".join(word.title() for word in words if word)) if title)


def _names_sources(statement: AnswerStatement) -> bool:
    """Return True if a statement has a mark of citation, a link or a footnote."""
    marks = citation_marks(statement.text[:MOST_MARKED])
    return bool(marks or getattr(statement, "links", ()) or getattr(statement, "footnotes", ()))


def listed_entries(statements_of_text: Sequence[AnswerStatement]) -> list[ListedEntry]:
    """Return those statements of a text that are marked as entries of its bibliography."""
    return entries_among([one.text for one in statements_of_text if getattr(one, "remark", "") == ENTRY])

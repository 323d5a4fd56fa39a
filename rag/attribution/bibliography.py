"""Sources that a text names: the entries of its own bibliography, and a plugin that follows them to documents.

Only for text that came as such: what is read from a file has its entries already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from vouch.hooks import additions, load

if TYPE_CHECKING:
    from indexing import Collection
    from rag.types import Sentence

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

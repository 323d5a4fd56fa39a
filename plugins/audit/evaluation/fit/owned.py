"""Owned text: an entry that knows of each character which field it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from plugins.audit.marks import with_accents
from plugins.audit.references.fields import LABELS, identified, tokens_of

LEAST_TOKENS, MOST_TOKENS = 4, 400


class Owner(IntEnum):
    """What a character belongs to; authors are `NAME` and the numbers from there on, one for each."""

    NONE = 0
    TITLE = 1
    VENUE = 2
    YEAR = 3
    NAME = 10


@dataclass(frozen=True, slots=True)
class Run:
    """Characters in a row that have one owner."""

    owner: int
    start: int
    end: int


@dataclass(slots=True)
class OwnedText:
    """A text and the owner of each of its characters."""

    text: str = ""
    owners: list[int] = field(default_factory=list)

    def add(self, text: str, owner: int = Owner.NONE) -> OwnedText:
        """Append a text that belongs to an owner."""
        self.text += text
        self.owners += [owner] * len(text)
        return self

    def extend(self, other: OwnedText) -> OwnedText:
        """Append another owned text."""
        self.text += other.text
        self.owners += other.owners
        return self

    def put(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of some characters; it belongs to what both its neighbours belong to, or to none."""
        before, after = self.owners[max(0, start - 1)], self.owners[min(end, len(self.owners) - 1)]
        owner = before if before == after else int(Owner.NONE)
        self.text = self.text[:start] + text + self.text[end:]
        self.owners[start:end] = [owner] * len(text)

    def kept(self, keep: Sequence[bool]) -> OwnedText:
        """Return the characters that are to stay."""
        pairs = [(c, o) for c, o, stays in zip(self.text, self.owners, keep, strict=True) if stays]
        return OwnedText("".join(c for c, _ in pairs), [o for _, o in pairs])

    def runs(self) -> list[Run]:
        """Return the runs of characters of one owner, in their order."""
        found: list[Run] = []
        for i, owner in enumerate(self.owners):
            if found and found[-1].owner == owner:
                found[-1] = Run(owner, found[-1].start, i + 1)
            else:
                found.append(Run(owner, i, i + 1))
        return found

    def single_spaced(self) -> OwnedText:
        """Return the text with one blank where there are several, and none at its ends."""
        text = "".join(" " if c.isspace() else c for c in self.text)
        keep = [c != " " or (i > 0 and text[i - 1] != " " and bool(text[i:].strip())) for i, c in enumerate(text)]
        return OwnedText(text, self.owners).kept(keep)

    def tidied(self) -> OwnedText:
        """Return the text without doubled blanks and marks, and no blank before a comma or a stop."""
        text = "".join(" " if c.isspace() else c for c in self.text)
        keep, last = [True] * len(text), " "
        for i, c in enumerate(text):
            doubled = c == last and c in " .,;:"
            keep[i] = not doubled and not (c == "." and last in "?!")
            if keep[i] and c in ".," and last == " " and i and text[i - 1] == " ":
                keep[i - 1] = False
            last = c if keep[i] else last
        return OwnedText(text, self.owners).kept(keep)


@dataclass(frozen=True, slots=True)
class LabelledEntry:
    """An entry with the numbers of its tokens' labels, and its parts as they are printed."""

    text: str
    labels: tuple[int, ...]
    title: str
    authors: tuple[str, ...]
    year: str


def labelled(entry: OwnedText) -> LabelledEntry | None:
    """Return the entry with a label for each token; None if it is too short or too long, or is read in another form."""
    entry = entry.single_spaced()
    tokens = tokens_of(identified(entry.text).masked)
    if not LEAST_TOKENS <= len(tokens) <= MOST_TOKENS or with_accents(entry.text) != entry.text:
        return None
    runs = entry.runs()
    title = next((run for run in runs if run.owner == Owner.TITLE), None)
    venue = next((run for run in runs if run.owner == Owner.VENUE and (title is None or run.start >= title.end)), None)
    edge = title.start if title else venue.start if venue else len(entry.text)
    names = [run for run in runs if run.owner >= Owner.NAME and run.start < edge]
    labels: list[int] = []
    before: int | None = None
    for token in tokens:
        owner, at = entry.owners[token.start], token.start
        spans = {Owner.TITLE: title, Owner.VENUE: venue}
        if owner in spans and (span := spans[Owner(owner)]) and span.start <= at < span.end:
            label = "title" if owner == Owner.TITLE else "venue"
        elif owner >= Owner.NAME and at < edge:
            label = "name"
        elif owner == Owner.YEAR:
            label = "year before" if at < edge else "year"
        elif names and names[0].start <= at < names[-1].end:
            label = "between names"
        else:
            label = "before" if at < edge else "after"
        spanning = label in ("title", "venue", "name")
        labels.append(LABELS.index(f"in {label}" if spanning and before == owner else label))
        before = owner if spanning else None
    years = [entry.text[run.start : run.end] for run in runs if run.owner == Owner.YEAR]
    return LabelledEntry(
        entry.text,
        tuple(labels),
        entry.text[title.start : title.end] if title else "",
        tuple(entry.text[run.start : run.end] for run in names),
        years[0] if years else "",
    )

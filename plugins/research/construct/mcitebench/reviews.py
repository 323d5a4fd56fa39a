"""The reviews of a paper as OpenReview gives them: each answer of the authors with the review that it answers.

A file is a list of notes, `{"notes": [...]}`, or the paper's own note with `details: {replies: [...]}`. The content of
a note is `{name: text}` (the first version of the API) or `{name: {"value": text}}` (the second).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation import GoldUnreadable

MOST_BYTES = 20_000_000
MOST_NOTES = 2000
MOST_CHARS = 12_000
"""The most characters of a review, and of an answer to it."""
MOST_STEPS = 50
"""The most notes between an answer and the review that it belongs to."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A review, and an answer of the authors to it."""

    review: str
    rebuttal: str


def read_exchanges(path: Path) -> tuple[Exchange, ...]:
    """Return the answers of the authors with their reviews, in the file's order. Raises GoldUnreadable, with its name.

    An answer belongs to the nearest note above it that a reviewer signed; one that answers nobody is left out.
    """
    notes = {str(note["id"]): note for note in _notes(path) if isinstance(note.get("id"), str)}
    found = []
    for note in notes.values():
        review = _review_above(note, notes) if _signed(note, "authors") else None
        if review is not None:
            pair = Exchange(_text(review), _text(note))
            found += [pair] if pair.review and pair.rebuttal else []
    return tuple(found)


def _notes(path: Path) -> list[Mapping[str, Any]]:
    """Return the notes of a file. Raises GoldUnreadable."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise GoldUnreadable(f"{path}: it is larger than {MOST_BYTES // 1_000_000} MB: give the notes of one paper")
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GoldUnreadable(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise GoldUnreadable(f"{path}: it is not JSON ({error})") from None
    listed = told.get("notes", [told]) if isinstance(told, dict) else told
    notes: list[Mapping[str, Any]] = _objects(listed)
    for note in tuple(notes):
        details = note.get("details")
        if isinstance(details, dict):
            notes += _objects(details.get("replies")) + _objects(details.get("directReplies"))
    if not any("id" in note and "content" in note for note in notes):
        raise GoldUnreadable(f"{path}: it contains no notes with id and content: give the notes of an OpenReview forum")
    return notes[:MOST_NOTES]


def _objects(listed: Any) -> list[Mapping[str, Any]]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _review_above(note: Mapping[str, Any], notes: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    for _ in range(MOST_STEPS):
        above = notes.get(str(note.get("replyto")))
        if above is None or _signed(above, "review"):
            return above
        note = above
    return None


def _signed(note: Mapping[str, Any], role: str) -> bool:
    """Return True for a note that the authors (or a reviewer) signed, as `.../Reviewer_x1Yz` or `.../Authors`."""
    signatures = note.get("signatures")
    names = [str(name).rpartition("/")[2].lower() for name in signatures] if isinstance(signatures, list) else []
    return any(role in name[:100] for name in names[:10])


def _text(note: Mapping[str, Any]) -> str:
    """Return the texts of a note's content, each in a line of its own; numbers and lists say nothing to be asked."""
    content = note.get("content")
    values = content.values() if isinstance(content, dict) else ()
    plain = [value.get("value") if isinstance(value, dict) else value for value in values]
    said = "\n".join(value.strip() for value in plain if isinstance(value, str) and value.strip())[:MOST_CHARS]
    return said.encode(errors="replace").decode()  # half a surrogate pair can be sent to no server

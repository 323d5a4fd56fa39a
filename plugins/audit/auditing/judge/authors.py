"""Authors: the list of names that is cited, held against the record's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from plugins.audit.auditing.judge.names import alike, marks_of, means_others, same_person
from plugins.audit.auditing.types import FieldVerdict
from plugins.audit.references import BibliographicFields

MOST_NAMES = 400
"""The names of a list that are compared; what is beyond is taken for "et al."."""
MOST_GUESSED = 20
"""The names without a match, on each side, among which misprints are looked for."""
SHOWN = 12
"""The names of a list that a verdict shows."""


@dataclass(frozen=True, slots=True)
class AuthorComparison:
    """The verdict on the lists; `shared` counts the names that both have, `near` those that at least resemble one."""

    verdict: FieldVerdict
    shared: int = 0
    near: int = 0


def compare_authors(cited: BibliographicFields, found: BibliographicFields) -> AuthorComparison:
    """Return how the lists compare.

    A name that the record does not have is an error, and so is a shorter list without "et al.", or another order. A
    record that is shortened itself cannot refuse the names that follow.
    """
    ours, ours_more = _names(cited)
    theirs, theirs_more = _names(found)
    shown = _shown(ours, ours_more), _shown(theirs, theirs_more)
    if not ours or not theirs:
        return AuthorComparison(FieldVerdict("authors", *shown, strict=False, agrees=None))
    strict = cited.authors == found.authors and cited.et_al == found.et_al
    at = _matched(ours, theirs)
    extra = [name for name, place in zip(ours, at, strict=True) if place is None]
    missing = [name for n, name in enumerate(theirs) if n not in at]
    places = [place for place in at if place is not None]
    near = len(places) + sum(
        any(alike(name, other) for other in missing[:MOST_GUESSED]) for name in extra[:MOST_GUESSED]
    )
    beyond = theirs_more and not missing and None not in at[: len(theirs)]
    wrong = [_stranger(name, missing[:MOST_GUESSED]) for name in extra] if not beyond else []
    if not wrong and missing and not ours_more:
        wrong = [f"without et al. the list lacks {_shown(missing, more=False)}"]
    if not wrong and places and at[0] != 0 and not (beyond and at[0] is None):
        wrong = [f"the first author is {theirs[0]}"]
    if not wrong and any(b < a for a, b in pairwise(places)):
        wrong = ["the authors are in another order"]
    accepted = _accepted(ours, theirs, missing)
    verdict = FieldVerdict("authors", *shown, strict, agrees=not wrong, note="; ".join(wrong[:SHOWN]) or accepted)
    return AuthorComparison(verdict, len(places), near)


def is_group(fields: BibliographicFields) -> bool:
    """Return True for a list of one name of one word, as of an organisation that stands for the people in it."""
    return len(fields.authors) == 1 and len(fields.authors[0].split()) == 1


def _names(fields: BibliographicFields) -> tuple[tuple[str, ...], bool]:
    """Return the names, and True where there are more of them than the list has."""
    names = tuple(name for name in fields.authors if not means_others(name))
    return names[:MOST_NAMES], fields.et_al or len(names) < len(fields.authors) or len(names) > MOST_NAMES


def _matched(ours: Sequence[str], theirs: Sequence[str]) -> list[int | None]:
    """Return the place in the record of each name, None where it has none. The same place is tried first."""
    found: list[int | None] = [None] * len(ours)
    for n, (name, other) in enumerate(zip(ours, theirs, strict=False)):
        if same_person(name, other):
            found[n] = n
    taken = {place for place in found if place is not None}
    having: dict[str, list[int]] = defaultdict(list)
    for place, other in enumerate(theirs):
        for mark in marks_of(other) if place not in taken else ():
            having[mark].append(place)
    for n, name in enumerate(ours):
        if found[n] is None:
            places = sorted({place for mark in marks_of(name) for place in having.get(mark, ())} - taken)
            for place in places:
                if same_person(name, theirs[place]):
                    found[n] = place
                    taken.add(place)
                    break
    return found


def _stranger(name: str, missing: Sequence[str]) -> str:
    """Return the note on a name that the record does not have."""
    meant = next((other for other in missing if alike(name, other)), "")
    return f"the record has {meant}, not {name}" if meant else f"{name} is not among the record's authors"


def _accepted(ours: Sequence[str], theirs: Sequence[str], missing: Sequence[str]) -> str:
    """Return why lists that differ are accepted; empty where they are the same."""
    if missing:
        return f"{len(missing)} further names stand behind et al."
    return "" if tuple(ours) == tuple(theirs) else "the names are written in another way"


def _shown(names: Sequence[str], more: bool) -> str:
    cut = len(names) > SHOWN
    return "; ".join([*names[:SHOWN], *(["et al."] if more or cut else [])])

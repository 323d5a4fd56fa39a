"""Authors: two names that are or are not one person's, and the list that is cited, held against the record's.

The order of family and given name, initials, particles, hyphens and missing middle names make no difference; another
letter in a family name does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance.DamerauLevenshtein import normalized_similarity

from plugins.audit.auditing.judge.normal_form import in_one_spelling, without_ligatures, words_of
from plugins.audit.auditing.types import FieldVerdict
from plugins.audit.references import BibliographicFields

MOST_CHARACTERS = 200
MOST_WORDS = 8
NICKNAME = 3
"""The least letters of a short form ("Alex"), which has at least two less than the whole name."""
ALIKE = 0.7
"""The least likeness of two names, letter by letter, for one to be a misprint of the other."""
_PARTICLES = frozenset((
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "do", "la", "le", "las", "los", "el",
    "al", "bin", "ibn", "ben", "ter", "ten", "zu", "zur", "af", "av", "y", "e",
))  # fmt: skip
_SUFFIX = re.compile(r",?\s\b(?:jr|sr|ii|iii|iv)\b\.?$", re.IGNORECASE)
_INITIALS = re.compile(r"[A-Z]{2,4}")
_OTHERS = re.compile(
    r"(?:and |& )?(?:et\.? al\.?|others|et coll\.?|u\. ?a\.|y otros|e outros|et autres)[.,]?", re.IGNORECASE
)
MOST_NAMES = 400
"""The names of a list that are compared; what is beyond is taken for "et al."."""
MOST_GUESSED = 20
"""The names without a match, on each side, among which misprints are looked for."""
SHOWN = 12
"""The names of a list that a verdict shows."""


@dataclass(frozen=True, slots=True)
class NameReading:
    """A way to read a name: the letters of the family name, without particles, and the given names or initials.

    `turned` is True where the family name would come first without a comma, which is a guess.
    """

    family: str
    given: tuple[str, ...]
    turned: bool = False


def means_others(name: str) -> bool:
    """Return True for what stands for further names: "et al.", "and others"."""
    return _OTHERS.fullmatch(name.strip()[:40]) is not None


@lru_cache(16384)
def readings(name: str) -> tuple[NameReading, ...]:
    """Return the ways to read a name, the likeliest first: a comma settles it, else either end may be the family's.

    None for a name without letters.
    """
    name = _SUFFIX.sub("", name.strip()[:MOST_CHARACTERS])
    family, comma, given = name.partition(",")
    if comma and words_of(family):
        return tuple(NameReading(_family(words_of(family)), g) for g in _given_names(given))
    results: list[NameReading] = []
    parts = name.split()
    variants = [tuple(_parts(parts, split=split))[:MOST_WORDS] for split in (True, False)]
    for words in dict.fromkeys([*variants, *map(_without_particles, variants)]):
        ends = [(words[-k:], words[:-k], False) for k in range(1, min(4, len(words)))]
        ends += [(words[:k], words[k:], True) for k in range(1, min(3, len(words)))]
        ends += [(words, (), False)] if len(words) == 1 else []
        results += [NameReading(_family(f), _without_particles(g), t) for f, g, t in ends if any(len(w) > 1 for w in f)]
    return tuple(dict.fromkeys(results))


def _parts(parts: Sequence[str], *, split: bool) -> list[str]:
    """Return the words of a name; with `split`, capitals without a dot between are initials ("JA Smith")."""
    mixed = any(part != part.upper() for part in parts)
    words: list[str] = []
    for part in parts:
        glued = split and mixed and _INITIALS.fullmatch(part.rstrip(".,"))
        words += part.rstrip(".,").lower() if glued else words_of(part)
    return words


def _given_names(text: str) -> list[tuple[str, ...]]:
    """Return the given names after a comma, and, where they may be initials without dots, those."""
    whole = words_of(text)
    initials = _INITIALS.fullmatch(text.strip().rstrip("."))
    return [whole, *([tuple(whole[0])] if initials and whole else [])]


def _family(words: Sequence[str]) -> str:
    return without_ligatures("".join(_without_particles(words)))


def _without_particles(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words but for particles; all where nothing else is there."""
    return tuple(word for word in words if word not in _PARTICLES) or tuple(words)


@lru_cache(65536)
def same_person(one: str, other: str) -> bool:
    """Return True where some reading of both has one family name and given names that go together."""
    ours, theirs = readings(one), readings(other)
    if any(a.family == b.family and _go_together(a, b) for a in ours for b in theirs):
        return True
    first, second = sorted((words_in(one), words_in(other)), key=len)
    if first and "".join(first) == "".join(second):
        return True
    return len(first) >= 2 and set(first) <= set(second)


@lru_cache(16384)
def words_in(name: str) -> tuple[str, ...]:
    """Return the words of a name, initials and all, in one spelling."""
    return tuple(in_one_spelling(word) for word in _without_particles(words_of(name[:MOST_CHARACTERS])))


def _go_together(one: NameReading, other: NameReading) -> bool:
    """Return True where the fewer given names are among the others, in order; initials stand for names.

    A short form of the first one is taken only where one of the two has its family name last: else the beginning of a
    family name would pass for it.
    """
    ours, theirs = one.given, other.given
    if not ours or not theirs or _transliterate("".join(ours)) == _transliterate("".join(theirs)):
        return True
    fewer, more = sorted((ours, theirs), key=len)
    if not (one.turned and other.turned) and _short_form(fewer[0], more[0]):
        fewer, more = fewer[1:], more[1:]
    rest = iter(more)
    return all(any(_stands_for(name, other) for other in rest) for name in fewer)


def _stands_for(one: str, other: str) -> bool:
    short, long = sorted((_transliterate(one), _transliterate(other)), key=len)
    return long.startswith(short) if len(short) == 1 else short == long


def _short_form(one: str, other: str) -> bool:
    """Return True for a first name and its beginning, by which a person may be called."""
    short, long = sorted((_transliterate(one), _transliterate(other)), key=len)
    return len(short) >= NICKNAME and len(long) - len(short) >= 2 and long.startswith(short)


def _transliterate(name: str) -> str:
    """Return a given name in one transliteration: "Sergey" and "Sergei", "Yulia" and "Iuliia"."""
    return in_one_spelling(name).replace("y", "i").replace("ii", "i")


@lru_cache(16384)
def marks_of(name: str) -> frozenset[str]:
    """Return what two names of one person have in common: a family name in one of its readings, or a whole word."""
    return frozenset({reading.family for reading in readings(name)} | {w for w in words_in(name) if len(w) > 1})


def alike(one: str, other: str) -> bool:
    """Return True where one name may be a misprint of the other, or has its family name with another given name."""
    if any(a.family == b.family for a in readings(one)[:1] for b in readings(other)[:1]):
        return True
    return normalized_similarity(_sorted_words(one), _sorted_words(other), score_cutoff=ALIKE) > 0


@lru_cache(16384)
def _sorted_words(name: str) -> str:
    return " ".join(sorted(words_in(name)))


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
    texts = _format_names(ours, ours_more), _format_names(theirs, theirs_more)
    if not ours or not theirs:
        return AuthorComparison(FieldVerdict("authors", *texts, strict=False, agrees=None))
    strict = cited.authors == found.authors and cited.et_al == found.et_al
    at = _match_names(ours, theirs)
    extra = [name for name, place in zip(ours, at, strict=True) if place is None]
    missing = [name for n, name in enumerate(theirs) if n not in at]
    places = [place for place in at if place is not None]
    near = len(places) + sum(
        any(alike(name, other) for other in missing[:MOST_GUESSED]) for name in extra[:MOST_GUESSED]
    )
    beyond = theirs_more and not missing and None not in at[: len(theirs)]
    wrong = [_stranger(name, missing[:MOST_GUESSED]) for name in extra] if not beyond else []
    if not wrong and missing and not ours_more:
        wrong = [f"without et al. the list lacks {_format_names(missing, more=False)}"]
    if not wrong and places and at[0] != 0 and not (beyond and at[0] is None):
        wrong = [f"the first author is {theirs[0]}"]
    if not wrong and any(b < a for a, b in pairwise(places)):
        wrong = ["the authors are in another order"]
    acceptance = _reason_to_accept(ours, theirs, missing)
    verdict = FieldVerdict("authors", *texts, strict, agrees=not wrong, note="; ".join(wrong[:SHOWN]) or acceptance)
    return AuthorComparison(verdict, len(places), near)


def is_group(fields: BibliographicFields) -> bool:
    """Return True for a list of one name of one word, as of an organisation that stands for the people in it."""
    return len(fields.authors) == 1 and len(fields.authors[0].split()) == 1


def _names(fields: BibliographicFields) -> tuple[tuple[str, ...], bool]:
    """Return the names, and True where there are more of them than the list has."""
    names = tuple(name for name in fields.authors if not means_others(name))
    return names[:MOST_NAMES], fields.et_al or len(names) < len(fields.authors) or len(names) > MOST_NAMES


def _match_names(ours: Sequence[str], theirs: Sequence[str]) -> list[int | None]:
    """Return the place in the record of each name, None where it has none. The same place is tried first."""
    matches: list[int | None] = [None] * len(ours)
    for n, (name, other) in enumerate(zip(ours, theirs, strict=False)):
        if same_person(name, other):
            matches[n] = n
    used_places = {place for place in matches if place is not None}
    having: dict[str, list[int]] = defaultdict(list)
    for place, other in enumerate(theirs):
        for mark in marks_of(other) if place not in used_places else ():
            having[mark].append(place)
    for n, name in enumerate(ours):
        if matches[n] is None:
            places = sorted({place for mark in marks_of(name) for place in having.get(mark, ())} - used_places)
            for place in places:
                if same_person(name, theirs[place]):
                    matches[n] = place
                    used_places.add(place)
                    break
    return matches


def _stranger(name: str, missing: Sequence[str]) -> str:
    """Return the note on a name that the record does not have."""
    likely = next((other for other in missing if alike(name, other)), "")
    return f"the record has {likely}, not {name}" if likely else f"{name} is not among the record's authors"


def _reason_to_accept(ours: Sequence[str], theirs: Sequence[str], missing: Sequence[str]) -> str:
    """Return why lists that differ are accepted; empty where they are the same."""
    if missing:
        return f"{len(missing)} further names stand behind et al."
    return "" if tuple(ours) == tuple(theirs) else "the names are written in another way"


def _format_names(names: Sequence[str], more: bool) -> str:
    cut = len(names) > SHOWN
    return "; ".join([*names[:SHOWN], *(["et al."] if more or cut else [])])

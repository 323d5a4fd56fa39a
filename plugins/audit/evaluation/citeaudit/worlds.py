"""Worlds: the bibliographies that the citations are audited with, made of the real ones among them.

Closed: the records of all real citations, called complete. Open: a seeded half of them, not complete. Printed: all of
them, each printed in another way than its citation, called complete. The records are read by the field parser that
reads the citations, so the closed world is a floor: it asks if fakes are told from what is there, and not if a real
source prints a work as its citation does.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from plugins.audit.auditing import Record
from plugins.audit.auditing.judge import letters_of, shared_words, words_of
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.references import BibliographicFields

WorldName = Literal["closed", "open", "printed"]
WORLDS: tuple[WorldName, ...] = ("closed", "open", "printed")
CANDIDATES = 12
"""The records among which a twin is looked for."""
TWIN = 0.6
"""The least share of common words in titles, or of authors, that makes a real entry the one a fake was made of."""
SHORT = 5
"""The letters that are kept of a word in an abbreviated journal."""
LEFT_OUT = frozenset(["of", "the", "on", "in", "for", "and", "a", "an", "de", "la", "der", "die", "und"])
MOST_WORDS = 5
_NO_PERSON = re.compile(r"\b(?:of|on|for|and|the|from|[IVX]{2,}|Jr|Team|Collaboration)\b")
"""Words in the name of an organisation, or behind a family name: such names are printed alike everywhere."""
_YEAR = re.compile(r"[0-9]{4}")
FakeKind = Literal["title", "authors", "metadata", "several", "untold"]


@dataclass(frozen=True, slots=True)
class World:
    """A bibliography, and the numbers of the lines that it has records of."""

    name: WorldName
    source: RecordIndex
    covered: frozenset[int]


class NearestRecords:
    """The records of the real citations by the words of their titles and authors, weighted by rarity: finds twins."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Read the records."""
        self._records = tuple(records)
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, record in enumerate(self._records):
            for key in _keys(record.fields):
                self._places[key].append(number)

    def nearest(self, fields: BibliographicFields) -> tuple[Record, ...]:
        """Return up to CANDIDATES records by the weight of the words that they share, best first."""
        weights: dict[int, float] = defaultdict(float)
        for key in _keys(fields):
            places = self._places.get(key, ())
            for number in places:
                weights[number] += math.log1p(len(self._records) / len(places))
        best = sorted(weights, key=lambda n: (-weights[n], n))[:CANDIDATES]
        return tuple(self._records[n] for n in best)


def world_of(name: WorldName, real: Mapping[int, BibliographicFields], seed: int, folder: Path) -> World:
    """Return a world of the real citations, by the numbers of their lines; its index is made anew in a folder."""
    numbers = sorted(real)
    chance = random.Random(seed)  # noqa: S311
    if name == "open":
        drawn = list(numbers)
        chance.shuffle(drawn)
        numbers = sorted(drawn[: len(drawn) // 2])
    fields = {n: printed_differently(real[n], chance) if name == "printed" else real[n] for n in numbers}
    source = RecordIndex(folder / f"{name}.sqlite", make=True)
    source.fill(Record(fields[n], name, str(n)) for n in numbers)
    source.promise = "" if name == "open" else "all"
    return World(name, source, frozenset(numbers))


def twin_of(fields: BibliographicFields, everything: NearestRecords, but: int) -> Record | None:
    """Return the real entry that is nearest to a citation, other than line `but`; None where none is near."""
    near = [r for r in everything.nearest(fields) if r.key != str(but)]
    best = max(near, key=lambda r: _likeness(fields, r.fields), default=None)
    return best if best and _likeness(fields, best.fields) >= TWIN else None


def _likeness(one: BibliographicFields, other: BibliographicFields) -> float:
    """Return the larger of the shares of common words in titles and in names of authors, 0 to 1."""
    ours, theirs = " ".join(one.authors), " ".join(other.authors)
    names = shared_words(ours, theirs) if min(len(one.authors), len(other.authors)) > 1 else 0.0
    return max(shared_words(one.title, other.title), names)


def _keys(fields: BibliographicFields) -> set[str]:
    """Return what a record is found by."""
    keys = {f"t {word}" for word in words_of(fields.title)}
    return keys | {f"a {word}" for name in fields.authors for word in words_of(name) if len(word) > 2}


def printed_differently(fields: BibliographicFields, chance: random.Random) -> BibliographicFields:
    """Return the same work as another source prints it: names always, the venue and the year half of the time each."""
    form = chance.choice(("initials", "family first", "bare initials", "whole, family first"))
    authors = tuple(name_in(form, name) for name in fields.authors)
    venue, year = fields.venue, fields.year
    if chance.random() < 0.5:
        venue = shortened(venue)
    elif chance.random() < 0.5:
        venue, year = "arXiv preprint", _earlier(year)
    title = fields.title.title() if chance.random() < 0.5 else fields.title.replace("-", " ")
    return replace(fields, authors=authors, venue=venue, year=year, title=title)


def name_in(form: str, name: str) -> str:
    """Return a name in another form; particles go with the family name. Organisations, and a single word, stay."""
    words = name.split()
    if len(words) < 2 or len(words) > MOST_WORDS or "," in name or _NO_PERSON.search(name):
        return name
    at = next((n for n, word in enumerate(words) if n and word[0].islower()), len(words) - 1)
    given, family = words[:at], " ".join(words[at:])
    initials = [word[0] for word in given if word[0].isalpha()]
    if form == "initials":
        return " ".join([*(f"{letter}." for letter in initials), family])
    if form == "family first":
        return f"{family}, {' '.join(f'{letter}.' for letter in initials)}"
    if form == "bare initials":
        return f"{family} {''.join(initials)}"
    return f"{family}, {' '.join(given)}"


def shortened(venue: str) -> str:
    """Return the acronym of a conference, or the abbreviation of a journal, made of its words."""
    words = [word for word in re.findall(r"[^\W\d_]+", venue) if word.lower() not in LEFT_OUT]
    if len(words) < 2:
        return venue
    at = next((n for n, word in enumerate(words) if word in ("Conference", "International", "Symposium")), None)
    if at is not None:
        named = [word for word in words[at:] if word[0].isupper()]
        return "".join(word[0] for word in named) if len(named) >= 3 else venue
    return " ".join(f"{word[:SHORT]}." if len(word) > SHORT + 1 else word for word in words)


def _earlier(year: str) -> str:
    return str(int(year[:4]) - 1) if _YEAR.match(year) else year


def kind_of(fake: BibliographicFields, twin: BibliographicFields | None) -> FakeKind:
    """Return what was changed; "untold" without a twin, and where the two differ in no field."""
    if twin is None:
        return "untold"
    changed: list[FakeKind] = []
    if letters_of(fake.title) != letters_of(twin.title):
        changed.append("title")
    if [letters_of(name) for name in fake.authors] != [letters_of(name) for name in twin.authors]:
        changed.append("authors")
    ours, theirs = ((f.venue, f.year, f.doi, f.arxiv) for f in (fake, twin))
    if any(letters_of(a) != letters_of(b) for a, b in zip(ours, theirs, strict=True)):
        changed.append("metadata")
    if len(changed) != 1:
        return "several" if changed else "untold"
    return changed[0]

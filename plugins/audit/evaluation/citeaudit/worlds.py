"""Worlds: the bibliographies that the citations are audited with, made of the real ones among them.

Closed: the records of all real citations, called complete. Open: a seeded half of them, not complete. Printed: all of
them, each printed in another way than its citation, called complete. The records are read by the field parser that
reads the citations, so the closed world is a floor: it asks if fakes are told from what is there, and not if a real
source prints a work as its citation does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from plugins.audit.auditing import Record
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.references import BibliographicFields

WorldName = Literal["closed", "open", "printed"]
WORLDS: tuple[WorldName, ...] = ("closed", "open", "printed")
SHORT = 5
"""The letters that are kept of a word in an abbreviated journal."""
LEFT_OUT = frozenset(["of", "the", "on", "in", "for", "and", "a", "an", "de", "la", "der", "die", "und"])
MOST_WORDS = 5
_NO_PERSON = re.compile(r"\b(?:of|on|for|and|the|from|[IVX]{2,}|Jr|Team|Collaboration)\b")
"""Words in the name of an organisation, or behind a family name: such names are printed alike everywhere."""
_YEAR = re.compile(r"[0-9]{4}")


def world_of(name: WorldName, real: Mapping[int, BibliographicFields], seed: int, folder: Path) -> RecordIndex:
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
    source.complete = name != "open"
    return source


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

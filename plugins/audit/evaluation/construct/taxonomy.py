"""Errors: what a hallucinated reference has wrong, drawn after CiteAudit's taxonomy: title, authors, metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from plugins.audit.evaluation.construct.works import PersonName, Work

ErrorGroup = Literal["title", "authors", "metadata"]
SHARES: dict[ErrorGroup, float] = {"title": 0.4, "authors": 0.4, "metadata": 0.2}
"""The shares of the groups, as CiteAudit has them."""
LEAST_YEARS, MOST_YEARS = 3, 9
"""A year that is off by one or two is still the same work for CiteAudit's judge."""
LEAST_WORD = 5
"""The characters of a word of a title that can be exchanged."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that was changed: its values before and after, and the name of the error ("year shift")."""

    field: str
    before: str
    after: str
    error: str


Wrong = tuple[Work, FieldChange]
Drawn = Callable[[Work, Sequence[Work], Random], Wrong | None]
"""A rule: returns a wrong work and what was changed, or None where it does not apply to this work."""


def keyword_substitution(work: Work, others: Sequence[Work], rng: Random) -> Wrong | None:
    """Exchange one or two long words of the title for words of other titles."""
    words = work.title.split()
    places = [
        k for k, word in enumerate(words) if len(word.strip(".,:;?!")) >= LEAST_WORD and word.strip(".,:;?!").isalpha()
    ]
    rng.shuffle(places)
    known = {word.lower() for word in words}
    for place in sorted(places[: 1 + (len(words) > 6)]):
        core = words[place].strip(".,:;?!")
        new = _long_word(core, others, known, rng)
        if not new:
            return None
        shaped = new.capitalize() if core[0].isupper() else new
        words[place] = words[place].replace(core, shaped)
        known.add(new)
    title = " ".join(words)
    return _titled(work, title, "keyword substitution") if title != work.title else None


def _long_word(like: str, others: Sequence[Work], known: set[str], rng: Random) -> str:
    """Return a word of another title in small letters, of the same ending if forty draws give one; "" for none."""
    found = []
    for _ in range(40):
        words = [
            w
            for w in rng.choice(others).title.split()
            if len(w) >= LEAST_WORD and w.isalpha() and w.lower() not in known
        ]
        found += [rng.choice(words).lower()] if words else []
    alike = [word for word in found if word[-2:] == like[-2:].lower()]
    return (alike or found or [""])[0]


def _titled(work: Work, title: str, error: str) -> Wrong:
    return replace(work, title=title), FieldChange("title", work.title, title, error)


def added_author(work: Work, others: Sequence[Work], rng: Random) -> Wrong | None:
    """Add the author of another work, at any place."""
    stranger = _stranger(work, others, rng)
    if not work.authors or stranger is None:
        return None
    place = rng.randrange(len(work.authors) + 1)
    return _authored(work, (*work.authors[:place], stranger, *work.authors[place:]), "added author")


def deleted_author(work: Work, _: Sequence[Work], rng: Random) -> Wrong | None:
    """Leave an author out, where there are two at least."""
    if len(work.authors) < 2:
        return None
    place = rng.randrange(len(work.authors))
    return _authored(work, work.authors[:place] + work.authors[place + 1 :], "deleted author")


def swapped_names(work: Work, others: Sequence[Work], rng: Random) -> Wrong | None:
    """Exchange the given names of two authors; of a single author, for that of another work's."""
    places = [k for k, author in enumerate(work.authors) if author.given]
    if len(places) > 1:
        first, second = rng.sample(places, 2)
        names = list(work.authors)
        names[first] = replace(names[first], given=work.authors[second].given)
        names[second] = replace(names[second], given=work.authors[first].given)
        if {name.plain for name in names} == {name.plain for name in work.authors}:
            return None
        return _authored(work, tuple(names), "swapped names")
    stranger = _stranger(work, others, rng)
    if not places or stranger is None or not stranger.given:
        return None
    changed = replace(work.authors[places[0]], given=stranger.given)
    names = [*work.authors[: places[0]], changed, *work.authors[places[0] + 1 :]]
    return _authored(work, tuple(names), "swapped names")


def made_up_authors(work: Work, others: Sequence[Work], rng: Random) -> Wrong | None:
    """Make up the whole list, of given and family names that never stood together."""
    known = {author.family for author in work.authors}
    pool = [
        author
        for _ in range(60)
        for author in rng.choice(others).authors
        if author.given and author.family not in known
    ]
    if not work.authors or len(pool) < 2:
        return None
    names = [PersonName(rng.choice(pool).family, rng.choice(pool).given) for _ in work.authors]
    return _authored(work, tuple(names), "made-up authors")


def _stranger(work: Work, others: Sequence[Work], rng: Random) -> PersonName | None:
    """Return an author of another work whose family name this one does not have; None where twenty draws give none."""
    known = {author.family for author in work.authors}
    for _ in range(20):
        found = [author for author in rng.choice(others).authors if author.family not in known]
        if found:
            return rng.choice(found)
    return None


def _authored(work: Work, authors: tuple[PersonName, ...], error: str) -> Wrong:
    before, after = ("; ".join(name.plain for name in names) for names in (work.authors, authors))
    return replace(work, authors=authors), FieldChange("authors", before, after, error)


def venue_mismatch(work: Work, others: Sequence[Work], rng: Random) -> Wrong | None:
    """Exchange the journal or proceedings for that of another work of the same kind."""
    found = sorted(
        {o.venue for o in others if o.kind == work.kind and o.venue and o.venue.lower() != work.venue.lower()}
    )
    if not work.venue or not found:
        return None
    venue = rng.choice(found)
    return replace(work, venue=venue), FieldChange("venue", work.venue, venue, "venue mismatch")


def year_shift(work: Work, _: Sequence[Work], rng: Random) -> Wrong | None:
    """Move the year by three to nine."""
    if not work.year:
        return None
    year = str(int(work.year) + rng.choice((-1, 1)) * rng.randint(LEAST_YEARS, MOST_YEARS))
    return replace(work, year=year), FieldChange("year", work.year, year, "year shift")


def fake_doi(work: Work, others: Sequence[Work], rng: Random) -> Wrong | None:
    """Give it a DOI that is another work's, or one with its digits drawn anew."""
    if not work.doi:
        return None
    strange = [o.doi for o in others if o.doi and o.doi.lower() != work.doi.lower()]
    if strange and rng.random() < 0.5:
        doi = rng.choice(strange)
    else:
        head, slash, tail = work.doi.partition("/")
        doi = head + slash + "".join(rng.choice("0123456789") if c.isdigit() else c for c in tail)
    return (replace(work, doi=doi), FieldChange("doi", work.doi, doi, "fake DOI")) if doi != work.doi else None


RULES: dict[ErrorGroup, tuple[Drawn, ...]] = {
    "title": (keyword_substitution,),
    "authors": (added_author, deleted_author, swapped_names, made_up_authors),
    "metadata": (venue_mismatch, year_shift, fake_doi),
}

"""Entries: draws works out of real records and printed names, prints them in many styles, and labels their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from plugins.audit.evaluation.construct import STYLES, BibliographyStyle, PersonName, Work, drawn_style, printed
from plugins.audit.evaluation.fit import venues
from plugins.audit.evaluation.fit.csl import StyledPrinter
from plugins.audit.evaluation.fit.damage import damaged
from plugins.audit.evaluation.fit.layouts import typed
from plugins.audit.evaluation.fit.owned import LabelledEntry, OwnedText, Owner, labelled
from plugins.audit.evaluation.fit.phrases import Phrases, shortened
from plugins.audit.evaluation.fit.titles import made_up

MONTHS = ("January", "Feb.", "May", "Sept.", "November", "Mar", "Oktober", "juin")
PARTICLES = ("van", "van der", "de", "de la", "von", "Di", "El", "bin")
SUFFIXES = ("Jr.", "III", "Jr", "II")


@dataclass(frozen=True, slots=True)
class RecordPool:
    """The stock that entries are drawn from: works of BibTeX files, and names of people in their parts.

    `unspaced` are those of scripts that write the family name before the given one, without a space, `latin` those in
    Latin letters: nearly all lists are drawn from them.
    """

    works: tuple[Work, ...]
    names: tuple[PersonName, ...]
    unspaced: tuple[PersonName, ...] = ()
    latin: tuple[PersonName, ...] = ()


def drawn_entry(pool: RecordPool, phrases: Phrases, rng: Random, style: str = "") -> LabelledEntry:
    """Return an entry in a preset style of `STYLES`; or in one drawn at random, or as people type, and damaged."""
    while True:
        work = varied(drawn_work(pool, rng), pool, phrases, rng)
        if style or rng.random() < 0.2:
            found = _preset(work, STYLES[style] if style else drawn_style(rng), rng)
        else:
            found = typed(work, phrases, rng)
        if entry := labelled(found if style else damaged(found, rng)):
            return entry


def styled_entries(
    pool: RecordPool, phrases: Phrases, printer: StyledPrinter, count: int, rng: Random
) -> Iterator[LabelledEntry]:
    """Yield entries in a style of CSL, damaged."""
    works = [varied(drawn_work(pool, rng), pool, phrases, rng) for _ in range(count)]
    found = (labelled(damaged(entry, rng)) for entry in printer.printed(works, rng))
    yield from (entry for entry in found if entry)


def _preset(work: Work, style: BibliographyStyle, rng: Random) -> OwnedText:
    """Return the entry of a work in a style of our own."""
    owners = {"title": Owner.TITLE, "venue": Owner.VENUE, "year": Owner.YEAR}
    entry, person = OwnedText(), int(Owner.NAME)
    for piece in printed(work, style, rng.randrange(1, 200)):
        entry.add(piece.text, person if piece.field == "author" else owners.get(piece.field, Owner.NONE))
        person += piece.field == "author"
    return entry


def varied(work: Work, pool: RecordPool, phrases: Phrases, rng: Random) -> Work:
    """Return a work with another title, at times by a group or by nobody, in a journal or a book of made-up name."""
    work, form = replace(work, title=phrases.title(work.title, rng)), rng.random()
    if form < 0.08:
        work = replace(work, authors=(PersonName(phrases.group(rng)),))
    elif form < 0.1:
        work = replace(work, authors=())
    if work.kind == "article" and rng.random() < 0.6:
        journal = phrases.journal(rng)
        return replace(work, venue=shortened(journal, rng) if rng.random() < 0.3 else journal)
    if work.kind not in ("book", "misc") or rng.random() > 0.35:
        return work
    place, house = rng.choice(venues.PLACES), rng.choice(venues.HOUSES)
    if rng.random() < 0.35:
        return replace(work, kind="techreport", house=phrases.group(rng), place=place)
    book = phrases.title(work.title, rng)
    editors = _authors(pool, rng)[: rng.randint(1, 4)]
    return replace(work, kind="incollection", venue=book, editors=editors, house=house, place=place, pages=_pages(rng))


def drawn_work(pool: RecordPool, rng: Random) -> Work:
    """Return a work of the pool with some of its fields drawn anew, or one of another kind."""
    work = rng.choice(pool.works)
    year = str(rng.randrange(2010, 2027) if rng.random() < 0.8 else rng.randrange(1890, 2010))
    title = made_up(rng) if rng.random() < 0.5 else work.title
    authors = work.authors if rng.random() < 0.15 and work.authors else _authors(pool, rng)
    drawn = Work("misc", title, authors, year, key=work.key, month=rng.choice(MONTHS))
    doi = f"10.{rng.randrange(1000, 9999)}/{rng.choice(('s', 'j.x', 'v1/P', ''))}{rng.randrange(1000, 99999)}.7"
    site, path = (
        rng.choice(("www.example.org", "github.com", "openreview.net")),
        rng.choice(("f?id=", "a/b-c/", "x/", "")),
    )
    url = f"https://{site}/{path}x{rng.randrange(1, 9999)}"
    drawn = replace(drawn, doi=doi if rng.random() < 0.5 else "", url=url if rng.random() < 0.4 else "")
    kind = rng.random()
    form = next(form for most, form in KINDS if kind < most)
    return form(drawn, work, pool, rng)


def _in_journal(drawn: Work, work: Work, _: RecordPool, rng: Random) -> Work:
    venue = work.venue if work.kind == "article" and work.venue and rng.random() < 0.35 else venues.journal(rng)
    return replace(
        drawn,
        kind="article",
        venue=_in_print(venue, rng),
        volume=str(rng.randrange(1, 200)) if rng.random() < 0.9 else "",
        issue=str(rng.randrange(1, 30)) if rng.random() < 0.7 else "",
        pages=_pages(rng) if rng.random() < 0.85 else "",
    )


def _pages(rng: Random) -> str:
    """Return pages, or the number of an article."""
    start = rng.randrange(1, 3000)
    other = (str(rng.randrange(100000, 140000)), f"e{rng.randrange(1000, 99999)}")
    return f"{start}–{start + rng.randrange(1, 40)}" if rng.random() < 0.85 else rng.choice(other)


def _at_meeting(drawn: Work, _: Work, pool: RecordPool, rng: Random) -> Work:
    return replace(
        drawn,
        kind="inproceedings",
        venue=_in_print(venues.meeting(rng, drawn.year), rng),
        pages=_pages(rng) if rng.random() < 0.6 else "",
        house=rng.choice(venues.HOUSES) if rng.random() < 0.35 else "",
        place=rng.choice(venues.PLACES) if rng.random() < 0.3 else "",
        editors=_authors(pool, rng)[:3],
    )


def _preprint(drawn: Work, _: Work, _pool: RecordPool, rng: Random) -> Work:
    return replace(drawn, doi="", arxiv=f"{drawn.year[2:]}{rng.randrange(1, 13):02}.{rng.randrange(1000, 20000):05}")


def _book(drawn: Work, _: Work, _pool: RecordPool, rng: Random) -> Work:
    place = rng.choice(venues.PLACES) if rng.random() < 0.6 else ""
    edition = rng.choice(("", "", "2nd", "Third", "3rd"))
    return replace(drawn, kind="book", house=rng.choice(venues.HOUSES), place=place, edition=edition)


def _thesis(drawn: Work, _: Work, _pool: RecordPool, rng: Random) -> Work:
    return replace(drawn, kind=rng.choice(("phdthesis", "mastersthesis")), house=rng.choice(venues.SCHOOLS))


def _web_page(drawn: Work, _: Work, _pool: RecordPool, rng: Random) -> Work:
    authors = (PersonName(rng.choice(venues.BODIES)),) if rng.random() < 0.75 else drawn.authors
    authors = () if rng.random() < 0.12 else authors
    house = rng.choice(venues.SITES) if rng.random() < 0.4 else ""
    return replace(
        drawn, authors=authors, house=house, url=drawn.url or f"https://example.org/{rng.randrange(9999)}", doi=""
    )


def _bare(drawn: Work, _: Work, _pool: RecordPool, _rng: Random) -> Work:
    return replace(drawn, doi="")


def _as_it_is(drawn: Work, work: Work, _: RecordPool, _rng: Random) -> Work:
    return replace(work, title=drawn.title, pages=work.pages if "?" not in work.pages else "")


KINDS: tuple[tuple[float, Callable[[Work, Work, RecordPool, Random], Work]], ...] = (
    (0.32, _in_journal), (0.56, _at_meeting), (0.72, _preprint), (0.8, _book), (0.84, _thesis), (0.92, _web_page),
    (0.96, _bare), (1.0, _as_it_is),
)  # fmt: skip
"""The kinds of works, each with the sum of the shares up to it."""


def _in_print(venue: str, rng: Random) -> str:
    """Return a venue as bibliographies often have it: in small letters, or with its words cut short."""
    if rng.random() < 0.12:
        return venue[:1] + venue[1:].lower()
    if rng.random() < 0.12:
        words = venue.split()
        cut = rng.randrange(3, 6)
        return " ".join(word if len(word) <= cut + 2 or not word.isalpha() else f"{word[:cut]}." for word in words)
    return venue


def _authors(pool: RecordPool, rng: Random) -> tuple[PersonName, ...]:
    """Return a list of authors: often two to six, sometimes fifty."""
    count = rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12)) if rng.random() < 0.97 else rng.randrange(15, 60)
    if rng.random() < 0.02 and pool.unspaced:
        drawn = (rng.choice(pool.unspaced) for _ in range(count))
        return tuple(PersonName(name.family + name.given) for name in drawn)
    names = pool.names if rng.random() < 0.06 or not pool.latin else pool.latin
    return tuple(_person(names, rng) for _ in range(count))


def _person(names: Sequence[PersonName], rng: Random) -> PersonName:
    """Return a name of the pool, at times with a middle initial, a particle, a suffix or a second family name."""
    name = rng.choice(names)
    given, family, suffix, more = name.given, name.family, "", rng.random()
    if not given[:1].isupper():
        return PersonName(family + given) if ord(given[:1] or "a") > 0x2E00 and rng.random() < 0.8 else name
    if more < 0.2 and " " not in given:
        given += f" {rng.choice('ABCDEFGHJKLMNPRSTW')}."
    elif more < 0.24:
        given += f"-{rng.choice(names).given.split()[0].split('.')[0] if rng.random() < 0.5 else 'Il'}"
    elif more < 0.29:
        family = f"{rng.choice(PARTICLES)} {family}"
    elif more < 0.31:
        suffix = rng.choice(SUFFIXES)
    elif more < 0.34:
        family += f"{rng.choice('- ')}{rng.choice(names).family}"
    return PersonName(family, given, suffix)

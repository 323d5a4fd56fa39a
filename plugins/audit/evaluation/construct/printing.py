"""Printing: a work as a bibliography of some style prints it, in pieces that know their field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from plugins.audit.evaluation.construct.styles import BibliographyStyle
from plugins.audit.evaluation.construct.works import PersonName, Work

SMALL = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "via", "with"}
)
_HYPHEN_OR_DOT = re.compile(r"[.\s]+")


@dataclass(frozen=True, slots=True)
class PrintedPiece:
    """A piece of an entry; `field` is "author", "title", "venue" or "year", and empty for all else."""

    text: str
    field: str = ""


def text_of(pieces: Sequence[PrintedPiece]) -> str:
    """Return the entry."""
    return "".join(piece.text for piece in pieces)


def printed(work: Work, style: BibliographyStyle, number: int = 1) -> list[PrintedPiece]:
    """Return the pieces of the entry. `number` counts entries from 1, for styles that print it."""
    pieces = [PrintedPiece(style.label.format(number))] if style.label else []
    early, in_volume = style.year_place == "after authors", style.year_place == "with volume"
    in_volume = in_volume and bool(work.venue and work.volume and work.pages)
    names = _names(work.authors, style)
    if names:
        clash = names[-1].text.endswith(".") and style.after_names.startswith(".")
        pieces += [*names, PrintedPiece(style.after_names[1:] if clash else style.after_names)]
    year = [*_year(work.year, style), PrintedPiece(style.after_year)] if early and work.year else []
    title = _title(work, style)
    pieces += [*year, *title] if names or style.year_leads else [*title, *year]
    pieces += _where(work, style, with_year=in_volume)
    if work.year and not early and not in_volume:
        before = "" if pieces[-1].text.endswith(" ") else style.before_year
        pieces += [PrintedPiece(before), *_year(work.year, style)]
    pieces.append(PrintedPiece("."))
    if work.doi and style.doi_form:
        pieces.append(PrintedPiece(style.doi_form.format(work.doi)))
    elif work.url and style.url_form:
        pieces.append(PrintedPiece(style.url_form.format(work.url)))
    return [piece for piece in pieces if piece.text]


def _year(year: str, style: BibliographyStyle) -> list[PrintedPiece]:
    """Return a year with what stands round it."""
    before, _, after = style.year_form.partition("{}")
    return [PrintedPiece(before), PrintedPiece(year, "year"), PrintedPiece(after)]


def _names(names: Sequence[PersonName], style: BibliographyStyle) -> list[PrintedPiece]:
    """Return the list of authors with what parts them."""
    cut = len(names) > style.most_names
    shown = list(names[: style.shown_names] if cut else names)
    pieces = []
    for place, name in enumerate(shown):
        if place:
            last = place == len(shown) - 1 and not cut
            pieces.append(PrintedPiece((style.pair if len(shown) == 2 else style.last) if last else style.between))
        pieces.append(PrintedPiece(name_in(name, style, first=place == 0), "author"))
    if cut:
        pieces.append(PrintedPiece(style.others))
    return pieces


def name_in(name: PersonName, style: BibliographyStyle, *, first: bool) -> str:
    """Return a name as the style writes it."""
    family = name.family.upper() if style.capitals else name.family
    if not name.given:
        return name.family
    given = _given(name.given, style)
    suffix = f" {name.suffix}" if name.suffix else ""
    if style.order == "family, given" or (style.order == "first inverted" and first):
        return f"{family}, {given}" + (f", {name.suffix}" if name.suffix else "")
    if style.order == "family given":
        return f"{family} {given}{suffix}"
    return f"{given} {family}{suffix}"


def _given(given: str, style: BibliographyStyle) -> str:
    """Return the given names in full or as initials."""
    words = [word for word in _HYPHEN_OR_DOT.split(given) if word]
    if style.given == "full" or not words or not words[0][0].isupper():
        return given
    if style.given == "John K":
        return " ".join([given.split(maxsplit=1)[0], *(word[0] for word in words[1:])]) if len(words[0]) > 1 else given
    dotted = style.given in ("J. K.", "J.K.")
    dot = "." if dotted else ""
    initials = [f"{dot}-".join(part[0] for part in word.split("-") if part) + dot for word in words]
    return ("" if style.given in ("J.K.", "JK") else " ").join(initials)


def _title(work: Work, style: BibliographyStyle) -> list[PrintedPiece]:
    """Return the title with its quotes, if the style has them for this kind of work, and what follows it."""
    title = PrintedPiece(cased(work.title, style).rstrip(" .,"), "title")
    asks = title.text.endswith(("?", "!"))
    opening, closing = style.quotes
    if not opening or work.kind in ("book", "phdthesis"):
        after = ". " if opening and not work.venue else " " if asks else style.after_title
        return [title, PrintedPiece(after)]
    inner = "" if asks else style.after_title.strip()
    return [
        PrintedPiece(opening),
        title,
        PrintedPiece(f"{inner}{closing} " if style.inside else closing + style.after_title),
    ]


def cased(title: str, style: BibliographyStyle) -> str:
    """Return a title in the style's capitals: words that hold a capital inside keep it."""
    if style.title_case == "as is":
        return title
    words = title.split(" ")
    made = []
    for place, word in enumerate(words):
        opens = place == 0 or words[place - 1].endswith((":", "?", "!"))
        if any(c.isupper() for c in word[1:]) or not word[:1].isalpha():
            made.append(word)
        elif style.title_case == "title":
            made.append(word if word in SMALL and not opens else word[:1].upper() + word[1:])
        else:
            made.append(word if opens else word[:1].lower() + word[1:])
    return " ".join(made)


def _where(work: Work, style: BibliographyStyle, with_year: bool) -> list[PrintedPiece]:
    """Return where the work appeared: journal or proceedings with volume and pages, publisher, preprint server."""
    if work.arxiv and not work.venue:
        return [PrintedPiece("arXiv preprint", "venue"), PrintedPiece(f" arXiv:{work.arxiv}")]
    journal = work.kind == "article"
    pieces = _venue(work, style, journal, with_year) if work.venue else []
    if work.house and not (journal and work.venue):
        pieces += _house(work, style)
    return pieces


def _venue(work: Work, style: BibliographyStyle, journal: bool, with_year: bool) -> list[PrintedPiece]:
    """Return journal or proceedings, editors, volume and pages."""
    pieces: list[PrintedPiece] = []
    if not journal:
        pieces.append(PrintedPiece(style.in_word))
        if style.editors and work.editors:
            pieces.append(PrintedPiece(f"{_name_list(work.editors, style)}, editors, "))
    pieces.append(PrintedPiece(work.venue, "venue"))
    if work.editors and style.year_leads and not journal:
        pieces.append(PrintedPiece(f". {_name_list(work.editors, style)}, Eds."))
    if work.volume and work.pages and (journal or with_year):
        pieces += _volume(work, style, with_year)
    elif work.pages:
        pieces.append(PrintedPiece(style.pages_form.format(work.pages)))
    elif work.volume:
        pieces.append(PrintedPiece(f", {work.volume}"))
    return pieces


def _house(work: Work, style: BibliographyStyle) -> list[PrintedPiece]:
    """Return publisher or school, which is the venue of a work that has no other, with its place."""
    field = "" if work.venue else "venue"
    pieces = [PrintedPiece(". " if work.venue else "")]
    if work.edition:
        pieces.append(PrintedPiece(f"{work.edition} edition, "))
    if work.kind in ("phdthesis", "mastersthesis"):
        pieces.append(PrintedPiece("PhD thesis, " if work.kind == "phdthesis" else "Master’s thesis, "))
    if work.place and style.house_first:
        return [*pieces, PrintedPiece(f"{work.place}: "), PrintedPiece(work.house, field)]
    return [*pieces, PrintedPiece(work.house, field), PrintedPiece(f", {work.place}" if work.place else "")]


def _name_list(editors: Sequence[PersonName], style: BibliographyStyle) -> str:
    names = [name_in(name, style, first=False) for name in editors[:3]]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _volume(work: Work, style: BibliographyStyle, with_year: bool) -> list[PrintedPiece]:
    """Return volume, issue and pages; the year too where the form has it."""
    form = style.volume_form
    if not work.issue:
        for part in ("({issue})", ", no. {issue}", ", Nr. {issue}", ", n° {issue}", " ({issue})", ", {issue}"):
            form = form.replace(part, "")
    known = {"volume": work.volume, "issue": work.issue, "pages": work.pages}
    if not with_year:
        form = form.replace(" ({year})", "").replace("{year};", "").replace("{year}, ", "")
        return [PrintedPiece(form.format(**known))]
    before, year, after = form.partition("{year}")
    return [
        PrintedPiece(before.format(**known)),
        PrintedPiece(work.year if year else "", "year"),
        PrintedPiece(after.format(**known)),
    ]

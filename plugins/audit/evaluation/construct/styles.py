"""Styles: the choices by which bibliographies differ, as presets with a name and as draws at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

NameOrder = Literal["given family", "family, given", "family given", "first inverted"]
GivenForm = Literal["full", "J. K.", "J.K.", "JK", "J K", "John K"]
YearPlace = Literal["after authors", "after title", "after venue", "with volume", "end"]


@dataclass(frozen=True, slots=True)
class BibliographyStyle:
    """The choices of a style: the order and form of names, what parts them, where the year stands, its marks.

    `year_form`, `volume_form` and the like are templates of `str.format`; `quotes` are the two marks round a title,
    with True for `inside` where the full stop or comma stands before the closing one.
    """

    order: NameOrder = "given family"
    given: GivenForm = "full"
    between: str = ", "
    last: str = ", and "
    pair: str = " and "
    most_names: int = 50
    shown_names: int = 50
    others: str = ", et al."
    after_names: str = ". "
    year_place: YearPlace = "end"
    year_form: str = "{}"
    after_year: str = ". "
    quotes: tuple[str, str] = ("", "")
    inside: bool = False
    after_title: str = ". "
    in_word: str = "In "
    book_only: bool = True
    volume_form: str = ", {volume}({issue}):{pages}"
    pages_form: str = ", pages {}"
    before_year: str = ", "
    end: str = "."
    title_case: Literal["as is", "sentence", "title"] = "as is"
    capitals: bool = False
    doi_form: str = ""
    url_form: str = ""
    arxiv_form: str = "arXiv preprint arXiv:{}"
    edition_form: str = "{} edition, "
    before_volume: str = ", "
    label: str = ""
    house_first: bool = False
    editors: bool = False
    editors_form: str = "{}, editors, "
    year_leads: bool = False


_ACL = BibliographyStyle()
STYLES: Mapping[str, BibliographyStyle] = {
    "acl": replace(_ACL, year_place="after authors", title_case="sentence", doi_form=" https://doi.org/{}"),
    "neurips": replace(_ACL, title_case="sentence", others=", et al.", most_names=10, shown_names=10),
    "iclr": replace(_ACL, title_case="sentence", url_form=" URL {}", doi_form=" doi: {}."),
    "apa": BibliographyStyle(
        order="family, given", given="J. K.", last=", & ", pair=", & ", others=", et al.", most_names=20,
        after_names=" ", year_place="after authors", year_form="({})", title_case="sentence",
        volume_form=", {volume}({issue}), {pages}", pages_form=" (pp. {})", doi_form=" https://doi.org/{}",
        url_form=" Retrieved from {}", arxiv_form="arXiv preprint arXiv:{}",
    ),
    "ieee": BibliographyStyle(
        given="J. K.", others=" et al.", most_names=6, shown_names=1, after_names=", ", quotes=("“", "”"), inside=True,
        after_title=", ", in_word="in ", volume_form=", vol. {volume}, no. {issue}, pp. {pages}", pages_form=", pp. {}",
        doi_form=", doi: {}", url_form=" [Online]. Available: {}", label="[{}] ",
    ),
    "acm": BibliographyStyle(
        year_place="after authors", doi_form=" https://doi.org/{}", url_form=" {}",
        volume_form=" {volume}, {issue} ({year}), {pages}",
        pages_form=". {}", label="[{}] ", title_case="title",
    ),
    "vancouver": BibliographyStyle(
        order="family given", given="JK", last=", ", pair=", ", others=", et al", most_names=6, shown_names=6,
        title_case="sentence", year_place="with volume", volume_form=". {year};{volume}({issue}):{pages}",
        pages_form=". p. {}", doi_form=" doi:{}", label="{}. ",
    ),
    "chicago": BibliographyStyle(
        order="first inverted", quotes=("“", "”"), inside=True, title_case="title", year_place="with volume",
        in_word="In ",
        volume_form=" {volume}, no. {issue} ({year}): {pages}", pages_form=", {}", doi_form=" https://doi.org/{}",
        editors=True, house_first=True,
    ),
    "chicago author-date": BibliographyStyle(
        order="first inverted", quotes=("“", "”"), inside=True, title_case="title", year_place="after authors",
        volume_form=" {volume} ({issue}): {pages}", pages_form=", {}", doi_form=" https://doi.org/{}",
    ),
    "mla": BibliographyStyle(
        order="first inverted", most_names=2, shown_names=1, quotes=("“", "”"), inside=True, title_case="title",
        in_word="",
        volume_form=", vol. {volume}, no. {issue}, {year}, pp. {pages}", pages_form=", pp. {}",
        year_place="with volume",
    ),
    "harvard": BibliographyStyle(
        order="family, given", given="J.K.", last=" and ", others=" et al.", most_names=3, shown_names=1,
        after_names=" ",
        year_place="after authors", year_form="({})", after_year=" ", quotes=("‘", "’"), after_title=", ",
        in_word="in ",
        volume_form=", {volume}({issue}), pp. {pages}", pages_form=", pp. {}",
        url_form=" Available at: {} (Accessed: 3 May 2021)",
    ),
    "lncs": BibliographyStyle(
        order="family, given", given="J.K.", last=", ", pair=", ", others=", et al.", most_names=8, after_names=": ",
        in_word="In: ", volume_form=" {volume}({issue}), {pages}", pages_form=", pp. {}", year_form="({})",
        before_year=" ",
        doi_form=" https://doi.org/{}", label="{}. ",
    ),
    "nature": BibliographyStyle(
        order="family, given", given="J. K.", last=" & ", pair=" & ", others=" et al.", most_names=5, shown_names=1,
        after_names=" ", title_case="sentence", in_word="in ", volume_form=" {volume}, {pages}", pages_form=" {}",
        year_form="({})", before_year=" ", label="{}. ",
    ),
    "geophysical": BibliographyStyle(
        order="first inverted", given="J. K.", most_names=12, shown_names=1, others=", and Coauthors", after_names=", ",
        year_place="after authors", after_year=": ", in_word="", volume_form=", {volume}, {pages}", pages_form=", {}",
        doi_form=", https://doi.org/{}", url_form=" {}", year_leads=True,
    ),
    "din": BibliographyStyle(
        order="family, given", between="; ", last="; ", pair="; ", others="; u. a.", most_names=3, shown_names=1,
        after_names=": ",
        in_word="In: ", volume_form=" {volume} ({year}), Nr. {issue}, S. {pages}", year_place="with volume",
        pages_form=", S. {}",
        url_form=" URL {}", house_first=True,
    ),
    "german": BibliographyStyle(
        order="family, given", last=" und ", pair=" und ", between="; ", others=" u. a.", most_names=3, shown_names=1,
        after_names=" ", year_place="after authors", year_form="({})", after_year=": ", in_word="In: ",
        house_first=True,
        volume_form=", Bd. {volume}, Nr. {issue}, S. {pages}", pages_form=", S. {}",
        url_form=" URL: {} (abgerufen am 03.05.2021)",
    ),
    "french": BibliographyStyle(
        order="family, given", last=" et ", pair=" et ", after_names=", ", quotes=("« ", " »"), after_title=", ",
        in_word="dans ",
        volume_form=", vol. {volume}, n° {issue}, p. {pages}", pages_form=", p. {}", capitals=True,
    ),
    "spanish": BibliographyStyle(
        order="family, given", given="J. K.", last=" y ", pair=" y ", after_names=" ", year_place="after authors",
        year_form="({})",
        in_word="En ", house_first=True, volume_form=", {volume}({issue}), {pages}", pages_form=" (pp. {})",
        url_form=" Recuperado de {}",
    ),
}  # fmt: skip
"""The styles that the command can print, by name."""


def drawn_style(rng: Random) -> BibliographyStyle:
    """Return a preset with some of its choices drawn anew, as the many house styles differ from them."""
    style = STYLES[rng.choice([*STYLES, "neurips", "neurips", "iclr", "acl"])]
    if rng.random() < 0.25:
        return style
    changes: dict[str, object] = {}
    for name, choices in _CHOICES.items():
        if rng.random() < 0.12:
            changes[name] = rng.choice(choices)
    if rng.random() < 0.3:
        changes["most_names"] = rng.choice((1, 2, 3, 5, 10, 20))
        changes["shown_names"] = rng.choice((1, 2, 3, 5, 10))
    if rng.random() < 0.25:
        changes["doi_form"] = rng.choice((" doi:{}", " https://doi.org/{}", " DOI {}.", ", doi: {}", " [{}]", ""))
    if rng.random() < 0.35:
        changes["url_form"] = rng.choice(_URLS)
    return _sound(replace(style, **changes))  # type: ignore[arg-type]


def _sound(style: BibliographyStyle) -> BibliographyStyle:
    """Return the style without choices that no bibliography joins."""
    if style.quotes[0] == "" and style.inside:
        style = replace(style, inside=False)
    if style.quotes[0] == "" and style.after_title == ", " and style.after_names not in (": ", " "):
        style = replace(style, after_title=". ")
    if style.order == "family, given" and style.after_names == ", " and style.given == "full":
        style = replace(style, after_names=". ")
    if style.year_place == "with volume" and "{year}" not in style.volume_form:
        style = replace(style, year_place="end")
    if style.year_place != "with volume" and "{year}" in style.volume_form:
        style = replace(style, volume_form=", {volume}({issue}):{pages}")
    return style


_URLS = (
    "", "", " URL {}", " URL {}.", " {}", " Available: {}", " [Online]. Available: {}", " Retrieved from {}",
    " Accessed: 2024-03-01. {}",
    " {}. Accessed: 2023-11-20.", " {} (accessed on 12 May 2022)", " Retrieved March 3, 2022, from {}", " ({})",
    " {} [Accessed 3 June 2019]",
    " Accessed 2022.", " Accessed: 2025-04-06.", " Available at {}", " Verfügbar unter: {}", " Disponible sur : {}",
)  # fmt: skip
_CHOICES: Mapping[str, tuple[object, ...]] = {
    "order": ("given family", "family, given", "family given", "first inverted", "given family"),
    "given": ("full", "J. K.", "J.K.", "JK", "J K", "John K", "John K"),
    "between": (", ", "; "),
    "last": (", and ", " and ", " & ", ", & ", ", ", "; "),
    "others": (
        ", et al.", " et al.", ", et al", ", and others", ", ...", ", and et al.", " et al", " u.a.", ", and 17 others",
    ),
    "after_names": (". ", ", ", ": ", " ", ".", "; "),
    "year_place": ("after authors", "after title", "after venue", "end"),
    "year_form": ("{}", "({})", "[{}]", "({}a)", "{}b", "(May {})", "May {}", "({}, June)", "12 May {}"),
    "after_year": (". ", " ", ", ", ": ", "."),
    "quotes": (("", ""), ("“", "”"), ('"', '"'), ("‘", "’"), ("„", "“"), ("«", "»"), ("``", "''"), ("'", "'")),
    "inside": (True, False),
    "after_title": (". ", ", ", ". ", ": ", "[J]. ", " [J]. ", " — "),
    "in_word": ("In ", "in ", "In: ", "Presented at ", "", "in: "),
    "volume_form": (
        ", {volume}({issue}):{pages}", ", vol. {volume}, no. {issue}, pp. {pages}",
        " {volume}.{issue} ({year}): {pages}",
        ". {year};{volume}:{pages}", " {volume} ({issue}), {pages}", ", {volume}: {pages}", ", vol. {volume}, {pages}",
        ", {volume}, {pages}", " {volume}:{pages} ({year})", ". {volume}, {issue}, {pages}",
        ", Vol. {volume}, Issue {issue}, pp. {pages}",
    ),
    "pages_form": (", pages {}", ", pp. {}", " (pp. {})", ", {}", ", p. {}", " pp {}", ""),
    "before_year": (", ", ". ", " ", "; "),
    "end": (".", "", ".", ";"),
    "title_case": ("as is", "sentence", "title"),
    "capitals": (True, False, False),
    "arxiv_form": (
        "arXiv preprint arXiv:{}", "arXiv:{}", "CoRR, abs/{}", "CoRR abs/{}", "arXiv:{} [cs.CL]", "arXiv preprint {}",
        "arXiv, {}",
        "ArXiv, abs/{}", "arXiv e-prints, arXiv:{}", "arXiv. https://arxiv.org/abs/{}",
        "Preprint at https://arxiv.org/abs/{}",
    ),
    "label": ("", "[{}] ", "{}. ", "[{}]", "({}) ", "{} ", "• "),
    "edition_form": ("{} edition. ", "{} ed., ", "{} ed. ", "{} Auflage, ", "({} ed.). ", "{} ed., vol. 1, "),
    "before_volume": (", ", " ", ", vol. ", " vol. ", ", volume "),
    "house_first": (True, False),
    "editors": (True, False),
    "editors_form": ("{}, editors, ", "{} (Eds.), ", "{} (Hrsg.): ", "{}, eds. ", "{}, editor, ", "{} (ed.) "),
    "year_leads": (True, False),
}  # fmt: skip

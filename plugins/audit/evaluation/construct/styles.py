"""Styles: the choices by which bibliographies differ, as presets with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    volume_form: str = ", {volume}({issue}):{pages}"
    pages_form: str = ", pages {}"
    before_year: str = ", "
    title_case: Literal["as is", "sentence", "title"] = "as is"
    capitals: bool = False
    doi_form: str = ""
    url_form: str = ""
    label: str = ""
    house_first: bool = False
    editors: bool = False
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
        url_form=" Retrieved from {}",
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

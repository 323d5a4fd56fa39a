"""Fields that were misread: titles over colons, years in titles, editors, loose accents, identifiers cut or joined."""

# ruff: noqa: RUF001  accents that stand apart

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.audit.references import BibliographicFields, fields_of, references_of
from rag.attribution.cited import citation_marks

CONFERENCE = "Ana Holm and Per Lind. Reading tide tables. In {}, 2021."
AUTHOR_YEAR = "Holm, A.; Berg, E. T. {}. Annals of Harbour Birds 2019, 12, 1–9."


@pytest.mark.parametrize(
    ("style", "title"),
    [
        (AUTHOR_YEAR, "Gull handbook: Towards a census of all piers"),
        (AUTHOR_YEAR, "Harbour counts (HC): five years of walks"),
        ("OpenGull. {}, 2019. URL https://example.org/index/learning/.", "Learning to count with gulls"),
        ("Bo Y. Lin. {}, July 2019. URL https://example.org/Zero.", "ZeroGull: A Unified Framework for Harbour Models"),
        ("Gullsoft. {}, 2019. URL https://example.org/next.", "Our next-generation model: Tern 1.5"),
        ("Biran, O.; Holm, C. {}. PIER-17 workshop on birds. 2019; pp 8–13.", "Counting in harbours: A survey"),
        ("Holm, Ana and Lind, Per, “{}”, West Quay: Pier & sons, 2019. 047.", "Harbour Engineering - A guide"),
        ("Holm, Laura, “{}”, Pier Process: Practice. 2019, Vol. 11, 1, pp. 7-19.", "Suitability of Gull Methods"),
        ('C. Holm and M. Berg, "{}," in PierCom \'01: Proc. of Piers. Oslo: Quay Press, 2019, pp. 1-9', "Gulls in fog"),
    ],
)
def test_a_title_has_its_colon_its_question_and_no_year(style: str, title: str) -> None:
    found = fields_of(style.format(title))
    assert found.title == title
    assert found.year == "2019"


@pytest.mark.parametrize(
    ("printed", "venue"),
    [
        ("Jordan Boyd-Katz and Tim Rook (eds.), Proceedings of the 3rd Meeting on Tides", "Meeting on Tides"),
        ("Marta Prell, Jordan Boyd-Katz, and Tim Rook, editors, Proceedings of the 3rd Meeting on Tides", "Tides"),
    ],
)
def test_editors_are_no_venue(printed: str, venue: str) -> None:
    found = fields_of(CONFERENCE.format(printed)).venue
    assert found.startswith("Proceedings")
    assert found.endswith(venue)


@pytest.mark.parametrize("edition", ["2nd ed., 2019", "second ed., 2019", "2019. Ed. by Tim Rook"])
def test_an_edition_names_no_editors(edition: str) -> None:
    found = fields_of(f"Holm, A. and Lind, P. The harbour book: birds of the pier. Fjord Press, Oslo, {edition}.")
    assert found.venue == "Fjord Press"


def test_a_venue_is_not_cut_between_words_and_holds_no_year() -> None:
    long = "Proceedings of the 2019 Conference of the Western Chapter of the Association for Computational Linguistics"
    text = f"Ana Holm and Per Lind. 2019. Reading tide tables. In {long}: Human Language Tides, Volume 1, pages 1–9."
    assert fields_of(text).venue.startswith(long)
    found = fields_of(AUTHOR_YEAR.format("Gulls in fog"))
    assert (found.venue, found.year) == ("Annals of Harbour Birds", "2019")
    assert fields_of("Ana Holm. Shells of the fjords. Database, 2019. doi: 10.1000/baz099.").venue == "Database"


@pytest.mark.parametrize(
    ("tail", "doi", "doubtful"),
    [
        ("https://doi.org/10.1162/tide", "10.1162/tide", True),
        ("https://doi.org/10.1162/tide a 00638", "10.1162/tide", True),
        ("doi:10.1007/978-3-319- 24574-4", "10.1007/978-3-319-", True),
        ("https://www.example.org/content/10.1101/678187v1.full", "10.1101/678187", True),
        ("10.1101/678187arXiv:https://arxiv.org/abs/1905.01234", "10.1101/678187", True),
        ("doi: 10.1162/tide. URL https://doi.org/10.1162/tide_a_00638.", "10.1162/tide_a_00638", False),
        ("doi: 10.1000/182 PMID: 4", "10.1000/182", False),
        ("https://doi.org/10.1000/182 (accessed 2020)", "10.1000/182", False),
    ],
)
def test_a_doi_that_is_cut_or_joined_is_doubtful(tail: str, doi: str, doubtful: bool) -> None:
    found = fields_of(f"Ana Holm and Per Lind. 2019. Gulls in fog. Ibis, 12:1–9. {tail}")
    assert (found.doi, "doi" in found.doubtful) == (doi, doubtful)
    assert "\ue000" not in found.url


def test_an_identifier_behind_a_joined_doi_is_read() -> None:
    assert (
        fields_of("Ana Holm. 2019. Gulls. 10.1101/678187arXiv:https://arxiv.org/abs/1905.01234").arxiv == "1905.01234"
    )


def test_what_a_line_end_cut_is_joined_or_doubtful(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    entries = [
        "Ana Holm and Per Lind. 2019. Gulls in fog. arXiv preprint\narXiv:2408.033\n14.",
        "Eva Berg and Jo Katz. 2018. Terns in fog. Ibis, 12:1–9. https://doi.org/10.1000/ib-\n2018.17",
        "Kim Roe and Al Reed. 2017. Auks in fog. Ibis, 11:1–9. https://doi.org/10.1000/ib.17",
        "Lea Moor and Bo Vik. 2016. Owls in fog. Ibis, 10:1–9. https://doi.org/10.1000/ib\nSee also the owls.",
    ]
    paper.write_text("References\n\n" + "\n\n".join(entries), encoding="utf-8")
    found = [reference.fields for reference in references_of(paper).references]
    assert [f.arxiv or f.doi for f in found] == ["2408.03314", "10.1000/ib-2018.17", "10.1000/ib.17", "10.1000/ib"]
    assert ["doi" in f.doubtful for f in found] == [False, True, False, True]


def test_a_loose_accent_is_read_on_its_letter(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text(
        "As J´egou (2019) says.\n\nReferences\n\n"
        "Herv´e J´egou, Mar´ıa Nu˜nez and Franc¸ois ˇCapek. 2019. Gulls. Ibis, 12:1–9.\n\n"
        "Jo Katz. 2018. Terns in fog. Ibis, 11:1–9.\n",
        encoding="utf-8",
    )
    found = references_of(paper)
    assert found.references[0].fields.authors == ("Hervé Jégou", "María Nuñez", "François Čapek")
    assert "authors" not in found.references[0].fields.doubtful
    assert [mark.keys for mark in found.marks] == [("Jégou 2019",)]


def test_a_name_whose_accent_has_no_letter_is_doubtful() -> None:
    assert "authors" in fields_of("J. Qu ˇ, and Per Lind. 2019. Gulls in fog. Ibis, 12:1–9.").doubtful


def test_quotes_and_apostrophes_are_no_accents() -> None:
    text = "Kim O´Neill and Jo Katz. 2019. On `loose' ends of piers. Ibis, 12:1–9."
    assert fields_of(text) == BibliographicFields(
        "On `loose' ends of piers", ("Kim O´Neill", "Jo Katz"), venue="Ibis", year="2019"
    )
    assert citation_marks("A plain [1] mark.")[0].keys == ("1",)


def test_an_address_that_a_line_end_cut_begins_no_entry(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    entries = ["Quay. Tern model card, 2019. URL https://example.org/news/tern-3\n\n-5-card.\n\n"]
    entries += [
        f"{name} Holm. Gulls in fog. Ibis, {n}:1–9, 2019.\n\n" for n, name in enumerate(("Ana", "Eva", "Bo"), 1)
    ]
    paper.write_text("References\n\n" + "".join(entries), encoding="utf-8")
    found = references_of(paper).references
    assert [reference.fields.authors for reference in found] == [("Quay",), ("Ana Holm",), ("Eva Holm",), ("Bo Holm",)]
    assert found[0].fields.url == "https://example.org/news/tern-3-5-card"

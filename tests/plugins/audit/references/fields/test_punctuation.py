"""Fields by what an entry's punctuation says: commas behind a year, quotes, journals without a title, groups, years."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from plugins.audit.references import fields_of, references_of


@pytest.mark.parametrize(
    ("printed", "title", "venue"),
    [
        (
            "Holm, A., and P. Lind (1988), Counts of terns in the F and L layers of fog, Harb. Bird Sci., 36, 5–63.",
            "Counts of terns in the F and L layers of fog",
            "Harb. Bird Sci.",
        ),
        (
            "Holm, A. (1993), Fog theory for terns: 1. Wing counts, J. Harb. Res., 98, 7–81.",
            "Fog theory for terns: 1. Wing counts",
            "J. Harb. Res.",
        ),
        (
            "Lind, P. (1991), Terns of the solar summer of May–June, 1989, Harb. Res. Lett., 18, 10–22.",
            "Terns of the solar summer of May–June, 1989",
            "Harb. Res. Lett.",
        ),
        ("Lind, P. (1996), Fog model, in PIER Handbook of Fog Models, pp. 1–25, Quay, Oslo.", "Fog model", ""),
        ("Berg, E. (1975), Chemistry of the Fjord, 309 pp., Quay Press, Oslo.", "Chemistry of the Fjord", "Quay Press"),
        ("Berg, E. (1990), Terns, Gulls and Family Piers, Wiley, Bergen.", "Terns, Gulls and Family Piers", "Wiley"),
        (
            "Reed, J.F., 1986, Size of nests of gulls in the counting of terns: Tidal Chemistry, v. 58, p. 182 – 186.",
            "Size of nests of gulls in the counting of terns",
            "Tidal Chemistry",
        ),
    ],
)
def test_commas_behind_a_year_part_title_and_source(printed: str, title: str, venue: str) -> None:
    found = fields_of(printed)
    assert found.title == title
    assert found.venue.rstrip(".") == venue.rstrip(".") or not venue


@pytest.mark.parametrize(
    ("printed", "title", "authors"),
    [
        ("Katz T,”The Fog Process: Planning, Tern Setting, Piers”, Quay, Oslo, 1980.", None, ("Katz T",)),
        ("“50’000 crowns for counting human knowledge.” [Online]. Available: http://example.org/", None, ()),
        (
            "M. A. Holm, Quiet Harbours and Loud Gulls. Quay Press, 2015.",
            "Quiet Harbours and Loud Gulls",
            ("M. A. Holm",),
        ),
        ("T. M. Lind, Tern learning, ser. Quay series in birds. Quay-Hill, 1997.", "Tern learning", ("T. M. Lind",)),
        (
            "V. Holm, Srijan Lind, and Samir Berg. Counting Isolation In Logspace. 2024.",
            "Counting Isolation In Logspace",
            ("V. Holm", "Srijan Lind", "Samir Berg"),
        ),
    ],
)
def test_a_title_is_no_name_and_quotes_hold_the_whole_of_it(
    printed: str, title: str | None, authors: tuple[str, ...]
) -> None:
    found = fields_of(printed)
    quoted = printed[printed.find("”" if "T,”" in printed else "“") + 1 : printed.rfind("”")].rstrip(".,")
    assert found.title == (title or quoted)
    assert found.authors == authors


@pytest.mark.parametrize(
    "printed",
    [
        "Holm J, Lind P and Berg R K, 1968 J. Tidal Phys. 9 1344 [PIERS]",
        "Holm G F R, 2008 Ibis 452 158 [PIERS]",
        "Holm D L, 2007 New J. Phys. 9 377 Holm D L, 2007 Tidal Rev. Lett. 99 251101 [PIERS]",
        "Holm G M, 2007 arXiv:0709.3490",
    ],
)
def test_a_journal_before_its_volume_is_no_title(printed: str) -> None:
    found = fields_of(printed)
    assert found.title == ""
    assert found.year in printed


@pytest.mark.parametrize(
    ("printed", "year", "doubtful"),
    [
        (
            "Holm, A., Lind, P.: Decision Records for Piers. In: TIDES. Pier Proceedings, vol. 2072 (2018)",
            "2018",
            False,
        ),
        ("A. Holm and P. Lind. Counting terns in fog. Lecture Notes in Birds, vol. 1974, 2000.", "2000", False),
        ("Ana Holm. Terns in fog. In Proceedings of the Tides, Oslo, May 3-5, 2019, pages 1-9, 2020.", "2019", True),
    ],
)
def test_a_volume_is_no_year_and_two_years_are_doubtful(printed: str, year: str, doubtful: bool) -> None:
    found = fields_of(printed)
    assert (found.year, "year" in found.doubtful) == (year, doubtful)


def test_a_group_before_the_year_is_the_author() -> None:
    found = fields_of("Oslo Department of Fish and Piers (DFP). 2005. Harbour Bird Database. http://example.org/birds.")
    assert found.authors == ("Oslo Department of Fish and Piers (DFP)",)
    assert found.title == "Harbour Bird Database"
    assert fields_of("Lisa Holm and MJ Lind. 2024. Terns in fog. Ibis, 12:1–9.").authors == ("Lisa Holm", "MJ Lind")


def test_initials_belong_to_the_family_name_before_them() -> None:
    found = fields_of("Van Lind, W.S., Berg, F.J., Van Wyk, D.B., 1980. Effect of fog on terns. Ibis 48, 107–118.")
    assert found.authors == ("Van Lind, W.S.", "Berg, F.J.", "Van Wyk, D.B.")


def test_a_dash_stands_for_the_authors_before_it_and_online_is_no_label(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    entries = [
        "[Hol87] A. Holm, “Counting terns,” 1987.\n[Online]. Available: http://example.org/terns",
        "[Hol05] ——, “Counting gulls in fog,” Ibis, vol. 3, pp. 1–9, 2005.",
        "[Lin06] P. Lind, “Counting auks in fog,” Ibis, vol. 4, pp. 1–9, 2006. ____________ corresponding author",
    ]
    paper.write_text("References\n\n" + "\n".join(entries), encoding="utf-8")
    found = references_of(paper).references
    assert [entry.label for entry in found] == ["[Hol87]", "[Hol05]", "[Lin06]"]
    assert [entry.fields.authors for entry in found] == [("A. Holm",), ("A. Holm",), ("P. Lind",)]
    assert found[1].fields.doubtful == ("authors",)
    assert found[2].text.endswith("2006.")


@pytest.mark.parametrize(
    ("printed", "title", "first"),
    [
        ("Holm, M. F. Terns, gulls, and piers; Quay University, Oslo, 1998.", "Terns, gulls, and piers", "Holm, M. F."),
        ("Holm, M. F.; Lind, A. O. Fog in Oslo. Annals of Terns 2012, 52, 1686–1697.", "Fog in Oslo", "Holm, M. F."),
    ],
)
def test_words_behind_the_initials_are_the_title_s_and_pages_no_years(printed: str, title: str, first: str) -> None:
    found = fields_of(printed)
    assert (found.title, found.authors[0]) == (title, first)
    assert found.year in ("1998", "2012")


def test_a_title_behind_a_stop_that_ends_at_a_comma_may_go_on() -> None:
    names = "Holm, T. T.; Lind, R. Y.; Berg, A.; Will, Y."
    drawn = "Defining Desirable Harbour Space through the Alignment of Tidal Properties"
    cut = fields_of(f"{names} {drawn}, in Vitro, and Safety Attributes. ACS Tern Neuroscience 2010, 1, 420–434.")
    assert cut.title != drawn or "title" in cut.doubtful
    assert fields_of(f"{names} {drawn}, 2019.").doubtful == ()


@pytest.mark.parametrize(
    "text",
    ["Holm A, 2001 " + "A" * 3900, "M. A. Holm, Quiet Harbours. " + "A&" * 1900, "Holm (1990), " + "a (b, " * 600],
)
def test_a_hostile_entry_is_read_at_once(text: str) -> None:
    started = time.process_time()
    fields_of(text)
    assert time.process_time() - started < 5

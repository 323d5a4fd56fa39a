"""Fields of an entry: many styles and scripts are read as they are printed; hostile text is bounded."""

# ruff: noqa: RUF001  accents that stand apart

import time
from pathlib import Path

import pytest

from plugins.audit.marks import find_marks
from plugins.audit.references import fields_of, references_of
from plugins.audit.references.fields import MOST_CHARACTERS

STYLES = [
    (
        "Jane Smith, Bo Li, and Cy Ng. Title of it: a long story. In Proc. of Things, pages 1–2, 2020.",
        "Title of it: a long story", ("Jane Smith", "Bo Li", "Cy Ng"), "2020",
    ),
    (
        "[12] J. Smith and B. Li, “Deep nets in the U.S.,” IEEE Trans. Neural Netw., vol. 3, no. 2, pp. 1–9, May 2020.",
        "Deep nets in the U.S.", ("J. Smith", "B. Li"), "2020",
    ),
    (
        "Smith, J., & Li, B. (2020). Is it so? A study of Yolo v3.5 vs. others. Journal of Things, 3(1), 1-9.",
        "Is it so? A study of Yolo v3.5 vs. others", ("Smith, J.", "Li, B."), "2020",
    ),
    ("Smith J, Li B, et al. Title of it. J Thing Res. 2020;3(2):1-9.", "Title of it", ("Smith J", "Li B"), "2020"),
    (
        "Smith, J., Li, B.: Title of it: a subtitle. In: Proc. of ECCV 2020, LNCS, vol. 12. Springer, Cham (2020)",
        "Title of it: a subtitle", ("Smith, J.", "Li, B."), "2020",
    ),
    (
        "Müller, Hans und Weber, Anna (2019): Über die Lage der Nation. In: Zeitschrift für Politik, Bd. 12, S. 45–67.",
        "Über die Lage der Nation", ("Müller, Hans", "Weber, Anna"), "2019",
    ),
    (
        "DUPONT, Jean et MARTIN, Paul, « La question du temps », Revue de philosophie, vol. 12, n° 3, 1999, p. 12-34.",
        "La question du temps", ("DUPONT, Jean", "MARTIN, Paul"), "1999",
    ),
    (
        "Doe, John, and Jane Roe. “A Title of Quality.” Journal of Quality 12, no. 3 (2010): 45–67.",
        "A Title of Quality", ("Doe, John", "Jane Roe"), "2010",
    ),
    (
        "Smith, John A., Jr., and Mary-Ann O'Neill. 2015a. “What Do We Know?” In Handbook of Knowing, 12–45.",
        "What Do We Know?", ("Smith, John A., Jr.", "Mary-Ann O'Neill"), "2015a",
    ),
    (
        "1. van der Maaten L, Hinton GE Jr. Visualizing data. J Mach Learn Res 2008; 9: 2579-605.",
        "Visualizing data", ("van der Maaten L", "Hinton GE Jr"), "2008",
    ),
    (
        "OpenAI (2023). Introducing things. https://example.org/x (accessed on 1 May 2024).",
        "Introducing things", ("OpenAI",), "2023",
    ),
    (
        "山田太郎, 鈴木一郎. 2018. 日本語の要約に関する研究. 情報処理学会論文誌, 59(3):1–10.",
        "日本語の要約に関する研究", ("山田太郎", "鈴木一郎"), "2018",
    ),
    (
        "Иванов И. И., Петров П. П. Методы анализа текста. Москва: Наука, 2015.",
        "Методы анализа текста", ("Иванов И. И.", "Петров П. П."), "2015",
    ),
    (
        "Lind, P. (1991), Terns of the solar summer of May–June, 1989, Harb. Res. Lett., 18, 10–22.",
        "Terns of the solar summer of May–June, 1989", ("Lind, P.",), "1991",
    ),
    ("Katz T,”The Fog Process: Planning, Piers”, Quay, Oslo, 1980.", "The Fog Process: Planning, Piers", ("Katz T",),
     "1980"),
    ("M. A. Holm, Quiet Harbours and Loud Gulls. Quay Press, 2015.", "Quiet Harbours and Loud Gulls", ("M. A. Holm",),
     "2015"),
    ("Holm J, Lind P and Berg R K, 1968 J. Tidal Phys. 9 1344 [PIERS]", "", ("Holm J", "Lind P", "Berg R K"), "1968"),
    ("Holm, M. F. Terns, gulls, and piers; Quay University, Oslo, 1998.", "Terns, gulls, and piers", ("Holm, M. F.",),
     "1998"),
    (
        "Van Lind, W.S., Berg, F.J., Van Wyk, D.B., 1980. Effect of fog on terns. Ibis 48, 107–118.",
        "Effect of fog on terns", ("Van Lind, W.S.", "Berg, F.J.", "Van Wyk, D.B."), "1980",
    ),
    (
        "Oslo Department of Fish and Piers (DFP). 2005. Harbour Bird Database. http://example.org/birds.",
        "Harbour Bird Database", ("Oslo Department of Fish and Piers (DFP)",), "2005",
    ),
    ("Kim O´Neill and Jo Katz. 2019. On `loose' ends of piers. Ibis, 12:1–9.", "On `loose' ends of piers",
     ("Kim O´Neill", "Jo Katz"), "2019"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "title", "authors", "year"), STYLES)
def test_title_authors_and_year_are_read_in_many_styles(
    text: str, title: str, authors: tuple[str, ...], year: str
) -> None:
    found = fields_of(text)
    assert (found.title, found.authors, found.year) == (title, authors, year)


@pytest.mark.parametrize(
    ("tail", "doi", "arxiv", "url", "doubtful"),
    [
        ("https://doi.org/10.1000/182.", "10.1000/182", "", "", False),
        (
            "doi:10.1002/(SICI)1097(19)8:4<27::AID>3.0",
            "10.1002/(SICI)1097(19)8:4<27::AID>3.0",
            "",
            "",
            False,
        ),
        ("arXiv preprint arXiv:2101.00001v2, 2021.", "", "2101.00001v2", "", False),
        ("CoRR, abs/1810.04805, 2018.", "", "1810.04805", "", False),
        ("https://arxiv.org/abs/hep-th/9901001", "", "hep-th/9901001", "", False),
        ("URL https://example.org/a_(b). Accessed: 2023-05-01.", "", "", "https://example.org/a_(b)", False),
        ("https://doi.org/10.1162/tide a 00638", "10.1162/tide", "", "", True),
        ("doi:10.1007/978-3-319- 24574-4", "10.1007/978-3-319-", "", "", True),
        ("https://www.example.org/10.1101/678187v1.full", "10.1101/678187", "", "https://www.example.org", True),
        ("10.1101/678187arXiv:https://arxiv.org/abs/1905.01234", "10.1101/678187", "1905.01234", "", True),
        ("doi: 10.1162/tide. URL https://doi.org/10.1162/tide_a_00638.", "10.1162/tide_a_00638", "", "", False),
    ],
)
def test_identifiers_are_bare_and_doubtful_where_they_are_cut_or_joined(
    tail: str, doi: str, arxiv: str, url: str, doubtful: bool
) -> None:
    found = fields_of(f"Jane Smith and Bo Li. 2020. Title of it. {tail}")
    assert (found.doi, found.arxiv, "doi" in found.doubtful) == (doi, arxiv, doubtful)
    assert found.url == url or doi
    assert "\ue000" not in found.url
    assert found.title == "Title of it"


@pytest.mark.parametrize(
    ("printed", "venue"),
    [
        ("Jane Smith. Title of it. Journal of Things, 3(1):1–9, 2020.", "Journal of Things"),
        ("Jane Smith. Title of it. In Proceedings of the Conference on Things, 2020.", "Proceedings of the Conference"),
        ("Holm, A. (1993), Fog theory for terns: 1. Wing counts, J. Harb. Res., 98, 7–81.", "J. Harb. Res"),
        ("Berg, E. (1990), Terns, Gulls and Family Piers, Wiley, Bergen.", "Wiley"),
        (
            "Ana Holm. Tides. In Tim Rook (eds.), Proceedings of the 3rd Meeting on Tides, 2021.",
            "Proceedings of the 3rd",
        ),
        ("Holm, A. The harbour book: birds of the pier. Fjord Press, Oslo, 2nd ed., 2019.", "Fjord Press"),
    ],
)
def test_the_venue_is_the_journal_the_proceedings_or_the_publisher(printed: str, venue: str) -> None:
    assert fields_of(printed).venue.startswith(venue)


@pytest.mark.parametrize(
    ("printed", "year"),
    [
        ("Holm, A.: Decision Records. In: TIDES. Pier Proceedings, vol. 2072 (2018)", "2018"),
        ("A. Holm and P. Lind. Counting terns in fog. Lecture Notes in Birds, vol. 1974, 2000.", "2000"),
        ("Ana Holm. Terns in fog. In Proceedings of the Tides, Oslo, May 3-5, 2019, pages 1-9, 2020.", "2019"),
    ],
)
def test_a_volume_is_no_year_and_the_first_of_two_is_taken(printed: str, year: str) -> None:
    assert fields_of(printed).year == year


def test_fields_are_read_round_a_title_that_is_known() -> None:
    text = "Ana Holm. 2019. Terns in fog, Annals of Harbour Birds."
    known = fields_of(text, (text.index("Terns"), text.index(", Annals")))
    assert (known.title, known.authors, known.year) == ("Terns in fog", ("Ana Holm",), "2019")
    assert "title" not in known.doubtful


def listed(folder: Path, *entries: str, body: str = "") -> Path:
    paper = folder / "paper.txt"
    paper.write_text(f"{body}\n\nReferences\n\n" + "\n\n".join(entries), encoding="utf-8")
    return paper


def test_what_a_line_end_cut_is_joined_or_doubtful(tmp_path: Path) -> None:
    paper = listed(
        tmp_path,
        "Ana Holm and Per Lind. 2019. Gulls in fog. arXiv preprint\narXiv:2408.033\n14.",
        "Eva Berg and Jo Katz. 2018. Terns in fog. Ibis, 12:1–9. https://doi.org/10.1000/ib-\n2018.17",
        "Kim Roe and Al Reed. 2017. Auks in fog. Ibis, 11:1–9. https://doi.org/10.1000/ib.17",
        "Lea Moor and Bo Vik. 2016. Owls in fog. Ibis, 10:1–9. https://doi.org/10.1000/ib\nSee also the owls.",
        "Quay. 2019. Tern model card. URL https://example.org/news/tern-3\n\n-5-card.",
        "Ole Dahl and Ida Roe. 2015. Knots in fog. Ibis, 9:1–9. doi:10.1000/ib.\n12194.",
        "Ulf Sand and Eli Moe. 2014. Ruffs in fog. Ibis, 8:1–9. doi:10.\n1016/S0378-3758(02)00159-3.",
    )
    found = [reference.fields for reference in references_of(paper).references]
    identifiers = ["2408.03314", "10.1000/ib-2018.17", "10.1000/ib.17", "10.1000/ib"]
    identifiers += ["https://example.org/news/tern-3-5-card", "10.1000/ib.12194", "10.1016/S0378-3758(02)00159-3"]
    assert [f.arxiv or f.doi or f.url for f in found] == identifiers
    assert ["doi" in f.doubtful for f in found] == [False, True, False, True, False, True, True]


def test_a_loose_accent_is_read_on_its_letter_and_doubtful_without_one(tmp_path: Path) -> None:
    entry = "Herv´e J´egou, Mar´ıa Nu˜nez and Franc¸ois ˇCapek. 2019. Gulls. Ibis, 12:1–9."
    other = "Jo Katz. 2018. Terns in fog. Ibis, 11:1–9."
    found = references_of(listed(tmp_path, entry, other, body="As J´egou (2019) says."))
    assert found.references[0].fields.authors == ("Hervé Jégou", "María Nuñez", "François Čapek")
    assert "authors" not in found.references[0].fields.doubtful
    assert [mark.keys for mark in found.marks] == [("Jégou 2019",)]
    assert "authors" in fields_of("J. Qu ˇ, and Per Lind. 2019. Gulls in fog. Ibis, 12:1–9.").doubtful
    assert find_marks("A plain [1] mark.")[0].keys == ("1",)


def test_a_sign_that_names_no_letter_makes_its_field_doubtful() -> None:
    whole = "Pasley, Malcolm: “On the dating of a dream by the harbour”. In: Euphorion 90 (1996). 336-343."
    assert fields_of(whole).doubtful == ()
    assert "title" in fields_of(whole.replace("dating", "da\ue03bing")).doubtful
    assert "authors" in fields_of(whole.replace("Malcolm", "Mal\ufffdolm")).doubtful
    assert "venue" in fields_of(whole.replace("Euphorion", "Eu\ue03borion")).doubtful


def test_a_name_in_brackets_behind_another_is_no_author() -> None:
    found = fields_of("Creasey, John [Gordon Ashe, pseud.]. A Blast of Trumpets. New York: Holt, 1976.")
    assert found.authors == ("Creasey, John",)


@pytest.mark.parametrize(
    "part",
    ["(", "a", "A. ", "“", "10.1000/", "https://", "arXiv ", "et al ", "[1", "\ue000", "é-", ". ", "a (b, ", "A&"],
)
def test_long_hostile_text_is_bounded(part: str) -> None:
    text = part * (200_000 // len(part))
    started = time.process_time()
    found = fields_of(text)
    assert time.process_time() - started < 5
    assert len(found.title) <= MOST_CHARACTERS
    assert found == fields_of(text[:MOST_CHARACTERS])

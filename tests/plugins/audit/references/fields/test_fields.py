"""Fields of an entry: many styles and scripts are read as they are printed; hostile text is bounded."""

from __future__ import annotations

import time

import pytest

from plugins.audit.references import fields_of
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
]  # fmt: skip


@pytest.mark.parametrize(("text", "title", "authors", "year"), STYLES)
def test_title_authors_and_year_are_read_in_many_styles(
    text: str, title: str, authors: tuple[str, ...], year: str
) -> None:
    found = fields_of(text)
    assert (found.title, found.authors, found.year) == (title, authors, year)


def test_et_al_is_told_and_is_no_author() -> None:
    found = fields_of("Jane Smith, Bo Li, et al. Title of it. Nature, 3(1):1–9, 2020.")
    assert found.et_al
    assert found.authors == ("Jane Smith", "Bo Li")
    assert not fields_of("Jane Smith and Bo Li. Title of it. Nature, 3(1):1–9, 2020.").et_al


@pytest.mark.parametrize(
    ("tail", "doi", "arxiv", "url"),
    [
        ("https://doi.org/10.1000/182.", "10.1000/182", "", ""),
        (
            "doi:10.1002/(SICI)1097(1999)8:4<272::AID>3.0.CO;2-4",
            "10.1002/(SICI)1097(1999)8:4<272::AID>3.0.CO;2-4",
            "",
            "",
        ),
        ("arXiv preprint arXiv:2101.00001v2, 2021.", "", "2101.00001v2", ""),
        ("CoRR, abs/1810.04805, 2018.", "", "1810.04805", ""),
        ("https://arxiv.org/abs/hep-th/9901001", "", "hep-th/9901001", ""),
        ("URL https://example.org/a_(b). Accessed: 2023-05-01.", "", "", "https://example.org/a_(b)"),
    ],
)
def test_identifiers_are_bare_and_whole(tail: str, doi: str, arxiv: str, url: str) -> None:
    found = fields_of(f"Jane Smith and Bo Li. 2020. Title of it. {tail}")
    assert (found.doi, found.arxiv, found.url) == (doi, arxiv, url)
    assert found.title == "Title of it"


def test_the_venue_is_the_journal_or_the_proceedings() -> None:
    assert fields_of("Jane Smith. Title of it. Journal of Things, 3(1):1–9, 2020.").venue == "Journal of Things"
    found = fields_of("Jane Smith and Bo Li. Title of it. In Proceedings of the Conference on Things, pages 1–2, 2020.")
    assert found.venue == "Proceedings of the Conference on Things"


@pytest.mark.parametrize(
    "part", ["(", "a", "A. ", "“", "10.1000/", "https://", "arXiv ", "et al ", "[1", "\ue000", "é-", ". "]
)
def test_long_hostile_text_is_bounded(part: str) -> None:
    text = part * (200_000 // len(part))
    started = time.perf_counter()
    found = fields_of(text)
    assert time.perf_counter() - started < 5
    assert len(found.title) <= MOST_CHARACTERS
    assert found == fields_of(text[:MOST_CHARACTERS])


def test_what_is_read_stands_in_the_entry() -> None:
    for text, *_ in STYLES:
        found = fields_of(text)
        for value in (found.title, found.venue, found.year, *found.authors):
            assert value in text

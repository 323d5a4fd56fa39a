"""The marks of a text that cite entries, and its claims without them."""

import time

import pytest

from plugins.audit.marks import find_marks, split_marks


def marks(text: str, **options: bool) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(mark.kind, mark.text, mark.keys) for mark in find_marks(text, **options)]


@pytest.mark.parametrize(
    ("text", "kind", "mark", "keys"),
    [
        ("as shown [3].", "number", "[3]", "3"),
        ("see [3-5] for", "number", "[3-5]", "3|4|5"),
        ("see [1–3, 7; 9] for", "number", "[1–3, 7; 9]", "1|2|3|7|9"),
        ("proved in [12, p. 4].", "number", "[12, p. 4]", "12"),
        ("(so it was [3])", "number", "[3]", "3"),
        ("(Okoro et al., 2020; Lindt 2019a, b)", "author-year", None, "Okoro 2020|Lindt 2019a|Lindt 2019b"),
        ("As Okoro and Lindt [2019] say", "author-year", "Okoro and Lindt [2019]", "Okoro & Lindt 2019"),
        ("However, Okoro et al. (2020a,b)", "author-year", "Okoro et al. (2020a,b)", "Okoro 2020a|Okoro 2020b"),
        ("Okoro et alii (2020)", "author-year", None, "Okoro 2020"),
        ("(see van der Aa 2020, p. 4)", "author-year", None, "van der Aa 2020"),
        ("Según García y Paz (2015)", "author-year", "García y Paz (2015)", "García & Paz 2015"),
        ("(Ministry of Rain, 2001)", "author-year", None, "Ministry of Rain 2001"),
        ("(Okoro et al., 2020, Lindt, 2021)", "author-year", None, "Okoro 2020|Lindt 2021"),
        ("(Lindt, n.d.)", "author-year", None, "Lindt n.d."),
        ("by [Oko20, LPA+21b].", "label", "[Oko20, LPA+21b]", "Oko20|LPA+21b"),
        ("so it was[^rain].", "footnote", "[^rain]", "rain"),
        ("so it was.^12", "raised", "^12", "12"),
        ("a long word³ here", "raised", "³", "3"),
        ("see [the page](https://rain.example/a_1)", "link", None, "https://rain.example/a_1"),
        ("(https://doi.org/10.1000/182).", "link", "https://doi.org/10.1000/182", "https://doi.org/10.1000/182"),
    ],
)  # fmt: skip
def test_a_mark_is_found_with_its_keys(text: str, kind: str, mark: str | None, keys: str) -> None:
    [found] = find_marks(text)
    assert (found.kind, found.keys) == (kind, tuple(keys.split("|")))
    assert text[found.start : found.end] == found.text
    assert mark is None or found.text == mark


@pytest.mark.parametrize(
    "text",
    ["x[0, 1]", "10 m² of 5 km²", "x^2 + 10^3", "(June 2020)", "(since 2019)", "equation (3)", "[a]", "[2020]",
     "(2020)", "\n[^3]: the definition", "(Figure 3, 2020)", "[1-900]"],
)  # fmt: skip
def test_what_only_looks_like_a_mark_is_none(text: str) -> None:
    assert find_marks(text) == []


@pytest.mark.parametrize(
    "shape", ["[", "(", "[[1]", "(2020", "a^1", "[^1]:", "[a](", "http://(", "(Okoro 2020; ", "²", "A A "]
)
def test_hostile_texts_take_linear_time(shape: str) -> None:
    def seconds(size: int) -> float:
        started = time.perf_counter()
        find_marks((shape * size)[:size])
        return time.perf_counter() - started

    small = min(seconds(20_000) for _ in range(3))
    assert min(seconds(160_000) for _ in range(2)) < 40 * max(small, 0.01)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Sales rose to 46% [3].", "Sales rose to 46%."),
        ("Sales rose (Holm, 2020) in the north (Berg et al., 2019).", "Sales rose in the north."),
        ("According to Holm (2020), sales rose.", "According to Holm, sales rose."),
        ("Sales rose, see https://mills.example/report.pdf.", "Sales rose."),
        ("Sales rose [^mill].", "Sales rose."),
        ("Sales rose (see [3]).", "Sales rose."),
        ("Sales (46%) rose.", "Sales (46%) rose."),
    ],
)
def test_marks_are_no_part_of_a_claim(text: str, claim: str) -> None:
    assert split_marks(text).claim == claim

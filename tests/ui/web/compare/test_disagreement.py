"""Numbers and names that differ between answers: found, placed and escaped."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.stand_ins import HOSTILE
from ui.show.sanitize import clean
from ui.web.compare.disagreement import differences, marked_html, said_by


def marked(*answers: list[str]) -> list[list[str]]:
    """The words that are marked in each answer."""
    return [
        [clean(s)[d.start : d.end] for s, of_sentence in zip(answer, found, strict=True) for d in of_sentence]
        for answer, found in zip(answers, differences(answers), strict=True)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It fell by 12.5%.", "A fall of 12.5 percent."),
        ("1,236,000 people came.", "1.2 million people came."),
        ("It opened on 3 May 2021.", "It opened on May 3, 2021."),
        ("The ferry to Gull Island was late.", "Late was the ferry, Gull Island says."),
    ],
)
def test_the_same_in_other_words_is_no_difference(one: str, other: str) -> None:
    assert marked([one], [other]) == [[], []]


def test_the_one_that_says_otherwise_differs_and_not_those_that_agree() -> None:
    most, other = ["65% of the World agree."], ["Anna Holm says 33%."]
    assert marked(most, other, most) == [[], ["Anna Holm", "33%"], []]
    assert marked(most, other) == [["65%", "World"], ["Anna Holm", "33%"]]
    assert [said for said, *_ in said_by([most, other, most])] == ["Anna Holm", "33%"]


def test_a_hostile_answer_is_escaped_inside_and_outside_marks() -> None:
    text = f"{HOSTILE} 41% of <b>Mill Lane</b>"
    found = differences([[text], ["It was 43% of nothing."]])
    shown = marked_html(text, found[0][0], ['<i>"Text"', "<script>", "Multi"])
    assert '<mark class="v-differs"' in shown
    assert set(re.findall(r"<[^>]*>", shown)) <= {
        "</mark>",
        '<mark class="v-differs" title="Missing from &lt;script&gt;">',
    }


def plain(shown: str) -> str:
    return html.unescape(re.sub(r"</?mark[^>]*>", "", shown))


@given(st.lists(st.lists(st.text(max_size=80), max_size=3), min_size=1, max_size=4))
def test_nothing_is_lost_and_marks_never_overlap(answers: list[list[str]]) -> None:
    for answer, of_answer in zip(answers, differences(answers), strict=True):
        for sentence, found in zip(answer, of_answer, strict=True):
            text = clean(sentence)
            ends = [0, *(d.end for d in found)]
            assert all(end <= d.start < d.end <= len(text) for end, d in zip(ends, found, strict=False))
            assert plain(marked_html(sentence, found, list("abcd"))) == text

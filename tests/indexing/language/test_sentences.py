"""Sentences of a text: where they end, and where a full stop ends none."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.language import sentence_spans


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains.", "The mill stands still!", "Why?"],
        ["Dr. Holm met Mr. Berg at St. Mary on Jan. 5 at noon.", "They talked."],
        ["J. R. R. Tolkien wrote it.", "It is long."],
        ["Growth was 3.5 per cent in 2024.", "Costs fell by 1.2 million."],
        ["See Fig. 3 and eq. 4 on p. 17.", "Then go on."],
        ["He said “It is done.”", "She left."],
        ["It works (mostly).", "Not always."],
        ["Das gilt z.B. im Winter.", "Danach nicht."],
        ["Die Schau läuft bis zum 2. November im Turm.", "Vom 22. Dezember an ist zu."],
        ["Prices rose, e.g. for rye, i.e. bread.", "People complained."],
        ["It runs much slower (eg. 20 to 30 times), ie. for hours.", "It uses more memory."],
        ["What happened next ... nobody knows."],
        ["これは水車です。", "冬は止まります。"],
        ["No full stop at the end"],
        ["Is it open?", "Yes!", "Good…", "Then come."],
        ["It is told on https://tides. Holm-harbour.example/now here.", "See www.holm.example.", "U.S. boats go."],
        ["It is a package for R.", "It is by A. Holm.", "It follows R. Anderson's book, in C.", "As it should."],
        ["It uses libraries.²", "They are old.”²¹", "So it is.¹,²", "Then come."],
    ],
)  # fmt: skip
def test_where_sentences_end(sentences: list[str]) -> None:
    joiner = "" if sentences[0].endswith("。") else " "
    assert cut(joiner.join(sentences)) == sentences


PIECES = st.sampled_from(
    [". ", "! ", "? ", "Dr. ", "e.g. ", "3.5", "a", "B", "1", "\n", " ", "”", ")", "。", "...", "…", "\u3000"]
)


@given(st.text(max_size=120) | st.lists(PIECES, max_size=40).map("".join))
def test_spans_are_in_order_disjoint_trimmed_and_leave_out_only_blanks(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(x[1] <= y[0] for x, y in itertools.pairwise(spans))
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)
    covered = "".join(text[a:b] for a, b in spans)
    assert "".join(covered.split()) == "".join(text.split())

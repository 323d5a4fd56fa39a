"""HTML: nothing of a document survives unescaped, and the page can find its way by the data attributes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from rag import Sentence
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import HOSTILE, answer, citation, evidence, hostile_answer
from ui.show import BESIDE
from ui.show.answer_html import answer_html, examples_html, message_html


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_document_text_becomes_markup(text: str, name: str, quote: str) -> None:
    found = answer(Sentence(text, (citation(document=name, quote=quote),), "partial"), found=[evidence(document=name)])
    harmless(answer_html(found))
    harmless(answer_html(answer(found=[evidence(document=name)])))
    harmless(message_html(text, name, "error"))
    harmless(examples_html([text]))


def test_hostile_text_is_shown_as_it_reads() -> None:
    html = answer_html(hostile_answer())
    harmless(html)
    assert "<img src=x onerror=alert(1)> evil ${alert(2)} {{x}}" in read(html).text
    assert HOSTILE not in html


def test_each_sentence_carries_its_numbers_and_its_verdict() -> None:
    one, two = citation(1), citation(2, page=4)
    html = answer_html(answer(Sentence("A.", (one, two), "supported"), Sentence("B.", (two,), "unchecked")))
    assert read(html).values("data-cites") == ["1 2", "2"]
    assert 'class="v-mark v-supported"' in html
    assert 'class="v-mark v-unchecked"' in html


def test_an_unproven_sentence_has_no_chip_and_says_why() -> None:
    html = answer_html(answer(Sentence("A.", (citation(),), "unsupported")))
    assert read(html).values("data-cite") == []
    assert "nothing that was retrieved says this" in html


def test_the_short_answer_is_bold() -> None:
    html = answer_html(answer(Sentence("<i>Dead</i>: 150 in all.", (citation(),), "quoted", short=(13, 16))))
    harmless(html)
    assert "<strong>150</strong> in all." in html
    assert "<i>Dead</i>: 150 in all." in read(html).text


def test_what_stands_beside_the_answer_has_one_heading_of_its_own() -> None:
    said = [Sentence(text, (citation(),), "quoted", answers=0.5, beside=text != "A.") for text in ("A.", "B.", "C.")]
    text = read(answer_html(answer(*said))).text
    assert text.count(BESIDE) == 1
    assert text.index("A.") < text.index(BESIDE) < text.index("B.") < text.index("C.")
    assert BESIDE not in answer_html(answer(said[0]))


def test_abstaining_says_where_it_looked_or_the_known_reason() -> None:
    found = [evidence(1, page=7), evidence(2, page=3), evidence(3, document="b.pdf", page=1)]
    text = read(answer_html(answer(found=found))).text
    assert "report.pdf, pages 3 and 7" in text
    assert "b.pdf, page 1" in text
    html = answer_html(replace(answer(), nothing=f"It holds no documents yet {HOSTILE}"))
    harmless(html)
    assert "It holds no documents yet" in read(html).text
    assert "do not seem to say" not in html
    assert "own words" not in html


@pytest.mark.parametrize("kind", ["quiet", "busy", "error"])
def test_errors_are_announced(kind: str) -> None:
    assert read(message_html("a", kind=kind)).values("role") == ["alert" if kind == "error" else "status"]

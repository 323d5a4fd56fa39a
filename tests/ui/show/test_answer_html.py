"""HTML: nothing of a document survives unescaped, and the page can find its way by the data attributes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given

from rag import Sentence
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import HOSTILE, answer, citation, evidence, hostile_answer, mixed_answer
from ui.show import BESIDE
from ui.show.answer_html import answer_html, examples_html, message_html


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_document_text_becomes_markup(text: str, name: str, quote: str) -> None:
    cited = citation(document=name, quote=quote, role="unconfirmed")
    found = replace(answer(Sentence(text, (cited,), "unconfirmed"), found=[evidence(document=name)]), missing=text)
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
    html = answer_html(answer(Sentence("A.", (one, two), "confirmed"), Sentence("B.", (two,), "unconfirmed")))
    assert read(html).values("data-cites") == ["1 2", "2"]
    assert 'class="v-mark v-confirmed"' in html
    assert 'class="v-mark v-unconfirmed"' in html


def test_an_unconfirmed_citation_has_a_chip_of_its_own_look_that_says_what_it_is() -> None:
    html = answer_html(mixed_answer())
    assert read(html).values("data-cite") == ["1", "2", "1", "2"]
    assert 'class="v-cite v-role-unconfirmed" data-cite="2" title="not confirmed: pointed to, not proven"' in html
    assert 'aria-label="Source 2, not confirmed: pointed to, not proven: report.pdf, page 2"' in html
    assert "page 2, paragraph, not confirmed: pointed to, not proven" in read(html).text
    assert 'class="v-cite v-role-proves" data-cite="1"' in html
    assert 'aria-label="Source 1: report.pdf, page 1"' in html


def test_what_is_missing_stands_below_the_sentences_or_the_no_escaped_and_bounded() -> None:
    for said in (answer(Sentence("A.", (citation(),), "confirmed")), answer()):
        html = answer_html(replace(said, missing=f"{HOSTILE} {'x ' * 400}"))
        harmless(html)
        (line,) = re.findall('<p class="v-missing">(.*?)</p>', html)
        assert line.startswith("Not on the pages that were read: &lt;img src=x")
        assert len(read(line).text) <= len("Not on the pages that were read: ") + 300
    assert "v-missing" not in answer_html(answer())


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

"""A comparison as HTML: one numbering, marks where answers differ, a table to take away; harmless whatever is said."""

from __future__ import annotations

import base64
import re
from dataclasses import replace

from rag import Answer, Sentence
from rag.usage import Usage
from tests.ui.markup import harmless
from tests.ui.stand_ins import HOSTILE, LINE, answer, citation, evidence
from ui.show.moment import Moment
from ui.web.compare.figures import as_csv, figures, table
from ui.web.compare.html import Side, below_html, columns_html, summary_html

ONE = citation(1)
TWO = citation(2, page=2, boxes=())


def side(title: str, found: Answer | None, state: str = "done", **more: str) -> Side:
    moment = Moment(state=state, answer=found, **more)  # type: ignore[arg-type]
    return Side(title, moment, figures(found, {}) if found else None)


def said(text: str, *cited: object) -> Answer:
    return answer(Sentence(text, cited, "confirmed"), found=[evidence(1), evidence(2, page=2)])  # type: ignore[arg-type]


def columns(*sides: Side) -> tuple[str, ...]:
    return columns_html(sides, "run", "papers", "Why?")


def chips(column: str) -> list[str]:
    return re.findall(r'class="v-cite v-role-proves" data-cite="(\d+)"', column)


def test_one_place_has_one_number_in_every_column() -> None:
    shown = columns(side("Text", said("It fell.", ONE)), side("Images", said("It fell.", TWO, ONE)))
    assert [chips(column) for column in shown] == [["1"], ["2", "1"]]
    assert all('data-answer="run"' in column for column in shown)


def test_what_differs_is_marked_when_all_have_ended() -> None:
    ended = columns(side("Text", said("It fell by 5%.", ONE)), side("Images", said("It fell by 7%.", ONE)))
    assert ['title="Missing from Images">5%</mark>' in ended[0], ">7%</mark>" in ended[1]] == [True, True]
    busy = columns(side("Text", said("It fell by 5%.", ONE)), side("Images", None, "busy", doing="Searching"))
    assert "<mark" not in busy[0]
    assert "Searching\u2026" in busy[1]
    assert 'aria-busy="true"' in busy[1]


def test_cited_pages_lead_to_their_number_and_others_do_not() -> None:
    (shown,) = columns(side("Text", said("It fell.", TWO)))
    assert re.findall(r'<button [^>]*v-mini-cited" data-cite="(\d)" title="([^"]+)"', shown) == [
        ("1", "report.pdf, page 2, cited")
    ]
    assert "report.pdf, page 1, found, not cited" in shown
    assert "vouch/page/papers/id-report.pdf/2.webp?w=160" in shown


def test_what_is_missing_stands_in_its_column() -> None:
    told = "Not on the pages that were read: the fares"
    both = [replace(a, missing="the fares") for a in (said("It rose.", ONE), answer(found=[evidence(1)]))]
    assert [told in column for column in columns(side("Text", both[0]), side("Both", both[1]))] == [True, True]


def test_failures_and_abstentions_stand_in_their_column() -> None:
    shown = columns(
        side("Text", None, "failed", error="the collection has no visual embedder"),
        side("Images", None, "stopped"),
        side("Both", answer(found=[evidence(1)])),
    )
    assert "no visual embedder" in shown[0]
    assert "Stopped." in shown[1]
    assert "report.pdf, page 1" in shown[2]


def test_a_column_without_anything_found_says_why_where_that_is_known() -> None:
    known = replace(answer(), nothing="Nothing was read off these pixels")
    shown = columns(side("Text", answer(found=[evidence(1)])), side("Images", known))
    assert ["Nothing was read off these pixels" in column for column in shown] == [False, True]
    assert ["do not seem to say" in column for column in shown] == [True, False]


def test_the_strip_tells_time_proof_evidence_and_what_a_model_took() -> None:
    found = replace(said("It fell.", ONE), usage=Usage(1000, 234, 2, 1))
    (shown,) = columns(side("Text", found))
    for words in ("0.21 s", "1 sentence, confirmed", "text 1 of 2", "1 call, 1,234 tokens, 2 images"):
        assert words in shown
    (quoted,) = columns(side("Text", said("It fell.", ONE)))
    assert "not called" in quoted


def found(title: str, *places: tuple[int, str, int], text: str = "It fell.") -> Side:
    """A column that found these elements, each on the page of a document, and cites the first."""
    number, document, page = places[0]
    cited = citation(number, document=document, page=page)
    pieces = [evidence(n, document=name, page=page) for n, name, page in places]
    return side(title, answer(Sentence(text, (cited,), "confirmed"), found=pieces))


SHARED = (1, "report.pdf", 1)
TEXT = found("Text", SHARED, (2, "report.pdf", 2))
IMAGE = found("Images", (3, "slides.pdf", 4), SHARED, (4, "slides.pdf", 6), (5, "report.pdf", 1), text="It fell by 5%.")
MULTI = found("Both", SHARED, (2, "report.pdf", 2))


def lines(summary: str) -> list[str]:
    return [" ".join(re.sub(r"<[^>]+>", "", line).split()) for line in re.findall(r"<p>(.*?)</p>", summary, re.DOTALL)]


def test_above_stands_who_found_which_pages_and_whether_the_answers_differ() -> None:
    assert lines(summary_html([TEXT, IMAGE, MULTI])) == [
        "Only Images found slides.pdf, pages 4 and 6.",
        "All three found report.pdf, page 1.",
        "Text and Both found report.pdf, page 2.",
        "The answers differ in 1 number or name.",
    ]
    assert lines(summary_html([TEXT, MULTI])) == [
        "Text and Both found report.pdf, pages 1 and 2.",
        "The answers have the same numbers and names.",
    ]
    assert summary_html([TEXT, side("Images", None, "failed")]) == ""
    assert summary_html([TEXT, IMAGE, side("Both", None, "busy")]) == ""


def test_the_summary_names_a_few_documents_and_counts_the_others() -> None:
    many = found("Images", SHARED, *((n, f"{n}.pdf", 1) for n in range(2, 9)))
    assert lines(summary_html([found("Text", SHARED), many]))[0] == (
        "Only Images found 2.pdf, page 1; 3.pdf, page 1; 4.pdf, page 1; 5.pdf, page 1; and 3 more."
    )


def test_what_only_one_found_is_marked_when_all_have_ended() -> None:
    text, image, multi = columns(TEXT, IMAGE, MULTI)
    assert [column.count('class="v-only"') for column in (text, image, multi)] == [0, 3, 0]  # a sentence, two pages
    assert image.count("No other answer found this place") == 1
    assert "<dt>Only here</dt><dd>2 pages, 3 places</dd>" in image
    assert [int(n) for n in re.findall(r"p\.&thinsp;(\d)</span>", image)] == [4, 6, 1]
    assert "slides.pdf, page 6, found only here, found, not cited" in image
    running = columns(TEXT, IMAGE, side("Both", None, "busy"))
    assert "only here" not in running[1].lower()


def below(*sides: Side) -> str:
    answers = [s.moment.answer for s in sides]
    rows = table([s.figures for s in sides])
    return below_html("Why?", sides, rows, as_csv("Why?", [s.title for s in sides], answers, rows))


def test_below_stand_differences_shared_pages_and_the_table() -> None:
    shown = below(side("Text", said("It fell by 5%.", ONE)), side("Images", said("It fell by 7%.", TWO)))
    assert '<mark class="v-differs">5%</mark> <span class="v-where">Text; not Images</span>' in shown
    assert "Found by both: 2 of 2 (100%) places, 2 of 2 (100%) pages." in shown
    assert shown.count('class="v-use v-cited"') == 2
    assert "Sentences quoted, computed or confirmed" in shown


def test_the_table_can_be_taken_away() -> None:
    shown = below(side("Text", said("It fell by 5%.", ONE)), side("=1+1", None, "failed"))
    (data,) = re.findall(r'download="comparison.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', shown)
    text = base64.b64decode(data).decode("utf-8-sig")
    assert text.splitlines()[0] == "Why?,Text,'=1+1"


def test_agreement_and_silence_are_told_apart() -> None:
    same = below(side("A", said("It fell by 5%.", ONE)), side("B", said("By 5% it fell.", TWO)))
    assert "the same numbers and names" in same
    assert "Fewer than two" in below(side("A", said("It fell by 5%.", ONE)), side("B", answer()))
    assert below(side("A", None, "busy"), side("B", None, "failed")) == ""


def test_nothing_that_is_said_gets_out() -> None:
    hostile = citation(document=f"{HOSTILE}.pdf", quote=HOSTILE, boxes=(LINE,))
    failed = side("C", None, "failed", error=HOSTILE)
    sides = (side(HOSTILE, said(f"{HOSTILE} 5%", hostile)), side("B", said("7%", ONE)), failed)
    for shown in (*columns_html(sides, "run", "papers", HOSTILE), below(*sides)):
        harmless(shown)
    summary = summary_html([found(HOSTILE, (1, HOSTILE, 1)), found("B", SHARED)])
    assert "Only <strong>" in summary
    harmless(summary)

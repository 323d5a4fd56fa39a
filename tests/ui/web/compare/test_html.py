"""A comparison as HTML: one numbering, marks where answers differ, a table to take away; harmless whatever is said."""

from __future__ import annotations

import re

from rag import Answer, Sentence
from tests.ui.markup import harmless
from tests.ui.stand_ins import HOSTILE, LINE, answer, citation, evidence
from ui.show.moment import Moment
from ui.web.compare.figures import as_csv, figures, table
from ui.web.compare.html import Side, below_html, columns_html

ONE = citation(1)
TWO = citation(2, page=2, boxes=())


def side(title: str, found: Answer | None, state: str = "done", **more: str) -> Side:
    moment = Moment(state=state, answer=found, **more)  # type: ignore[arg-type]
    return Side(title, moment, figures(found, {}) if found else None)


def said(text: str, *cited: object) -> Answer:
    return answer(Sentence(text, cited, "confirmed"), found=[evidence(1), evidence(2, page=2)])  # type: ignore[arg-type]


def columns(*sides: Side) -> tuple[str, ...]:
    return columns_html(sides, "run", "Why?")


def chips(column: str) -> list[str]:
    return re.findall(r'class="v-cite v-role-proves" data-cite="(\d+)"', column)


def test_what_differs_is_marked_when_all_have_ended() -> None:
    ended = columns(side("Text", said("It fell by 5%.", ONE)), side("Images", said("It fell by 7%.", ONE)))
    assert ['title="Missing from Images">5%</mark>' in ended[0], ">7%</mark>" in ended[1]] == [True, True]
    busy = columns(side("Text", said("It fell by 5%.", ONE)), side("Images", None, "busy", doing="Searching"))
    assert "<mark" not in busy[0]
    assert "Searching\u2026" in busy[1]
    assert 'aria-busy="true"' in busy[1]


def test_failures_and_abstentions_stand_in_their_column() -> None:
    shown = columns(
        side("Text", None, "failed", error="the collection has no visual embedder"),
        side("Images", None, "stopped"),
        side("Both", answer(found=[evidence(1)])),
    )
    assert "no visual embedder" in shown[0]
    assert "Stopped." in shown[1]
    assert "report.pdf, page 1" in shown[2]


def found(title: str, *places: tuple[int, str, int], text: str = "It fell.") -> Side:
    """A column that found these elements, each on the page of a document, and cites the first."""
    number, document, page = places[0]
    cited = citation(number, document=document, page=page)
    pieces = [evidence(n, document=name, page=page) for n, name, page in places]
    return side(title, answer(Sentence(text, (cited,), "confirmed"), found=pieces))


def below(*sides: Side) -> str:
    answers = [s.moment.answer for s in sides]
    rows = table([s.figures for s in sides])
    return below_html("Why?", sides, rows, as_csv("Why?", [s.title for s in sides], answers, rows))


def test_nothing_that_is_said_gets_out() -> None:
    hostile = citation(document=f"{HOSTILE}.pdf", quote=HOSTILE, boxes=(LINE,))
    failed = side("C", None, "failed", error=HOSTILE)
    sides = (side(HOSTILE, said(f"{HOSTILE} 5%", hostile)), side("B", said("7%", ONE)), failed)
    for shown in (*columns_html(sides, "run", HOSTILE), below(*sides)):
        harmless(shown)

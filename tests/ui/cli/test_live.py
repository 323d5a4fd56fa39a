"""An answer on the terminal while it is written: sentences as they come, then their verdicts, then the answer alone."""

from __future__ import annotations

import io
from collections.abc import Generator

import pytest
from rich.console import Console

from indexing import Hints
from rag import Answer, Queries, Query, Sentence
from rag.errors import ServerDown
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Searched
from rag.usage import Usage
from tests.ui.stand_ins import citation, evidence
from ui.cli import terminal
from ui.cli.progress import follow_answer, moment_lines
from ui.show.moment import Moment

QUERIES = Queries((Query("Why?"),), (Query("Why?"),), Hints())
FELL = Sentence("Margins fell.", (citation(),), "confirmed")
ROSE = Sentence("Costs rose.", (), "unconfirmed", "nothing of this is in the text")
ANSWER = Answer(
    "Why?", "text", (FELL, ROSE), (evidence(),), 0.84, {"total": 2.5}, "hash",
    method="vanilla", usage=Usage(3412, 210, 8, 2, 1.5), notes=("E7 did not fit",),
)  # fmt: skip


def events(ended: list[bool] | None = None) -> Generator[Event]:
    """What a pipeline tells of ANSWER."""
    try:
        yield Planned(QUERIES)
        yield Searched((evidence(),), ())
        yield Extracted(1, 1)
        yield Drafted(0, FELL.text, ("E1",))
        yield Checked(0, FELL)
        yield Drafted(1, ROSE.text, ("E1",))
        yield Checked(1, ROSE)
        yield Answered(ANSWER)
    finally:
        if ended is not None:
            ended.append(True)


def shown(moment: Moment, encoding: str = "utf-8") -> list[str]:
    return [line.plain for line in moment_lines(moment, encoding)]


def test_what_is_done_then_the_sentences_then_their_numbers_and_marks() -> None:
    moment, seen = Moment(), []
    for event in list(events())[:-1]:
        moment = moment.after(event)
        seen.append(shown(moment))
    assert seen[0] == ["Searching in 1 way\u2026"]
    assert seen[2] == ["Looking closely at place 1 of 1\u2026"]
    assert seen[3] == ["Margins fell.", "Writing\u2026"]
    assert seen[4] == ["Margins fell. [1] \u2713", "Checking each sentence\u2026"]
    assert seen[6] == ["Margins fell. [1] \u2713", "Costs rose. \u25cb", "Checking each sentence\u2026"]


def test_a_sentence_that_is_written_anew_replaces_all_after_it() -> None:
    moment = Moment()
    for event in [*list(events())[:-1], Drafted(0, "Prices fell.", ("E1",))]:
        moment = moment.after(event)
    assert shown(moment, "ascii") == ["Prices fell.", "Writing..."]


def test_on_a_terminal_the_drafts_give_way_to_the_answer() -> None:
    out, ended = io.StringIO(), list[bool]()
    console = Console(file=out, force_terminal=True, width=80, highlight=False, markup=False, emoji=False)
    assert follow_answer(events(ended), console) is ANSWER
    assert "Margins fell." in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K")  # the last thing done is to clear a line
    assert ended == [True]


def test_an_error_ends_the_events() -> None:
    ended: list[bool] = []

    def failing() -> Generator[Event]:
        try:
            yield Planned(QUERIES)
            raise ServerDown("nobody there")
        finally:
            ended.append(True)

    with pytest.raises(ServerDown):
        follow_answer(failing(), None)
    assert ended == [True]


def test_a_written_answer_ends_with_its_notes_and_what_it_cost() -> None:
    *_, note, footer = [str(line) for line in terminal.answer(ANSWER)]
    assert note == "Note: E7 did not fit"
    assert footer == "2 sentences: 1 confirmed, 1 not confirmed  2.50 s  2 calls, 3,412 + 210 tokens, 8 images"

"""An answer on the terminal while it is written: sentences as they come, then their verdicts, then the answer alone."""

from __future__ import annotations

import io
from collections.abc import Generator
from dataclasses import replace

import pytest
from rich.console import Console

from indexing import Hints
from rag import Answer, Queries, Query, RankedPage, Sentence
from rag.errors import ServerDown
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Searched, Shown
from rag.usage import Usage
from tests.ui.stand_ins import HOSTILE, citation, evidence
from ui.cli import terminal
from ui.cli.live import follow, lines
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
    return [line.plain for line in lines(moment, encoding)]


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


def test_checked_sentences_have_the_numbers_that_the_answer_will_show() -> None:
    both = Sentence("Both fell.", (citation(2), citation(1)), "unconfirmed", "not all of it")
    unproven = Sentence("All fell.", (citation(3),), "unconfirmed", "nothing of this is in the text")
    said = (FELL, both, unproven)
    moment = Moment()
    for number, sentence in enumerate(said):
        moment = moment.after(Drafted(number, sentence.text, ("E1",))).after(Checked(number, sentence))
    moment = moment.after(Drafted(3, "Costs fell.", ("E2",)))
    *now, last, _ = shown(moment)
    assert now == ["Margins fell. [1] \u2713", "Both fell. [2][1] \u25cb", "All fell. [3] \u25cb"]
    assert last == "Costs fell."  # nobody has looked yet whether it is proven
    final = [str(line) for line in terminal.answer(replace(ANSWER, sentences=said))[:3]]
    assert all(full.startswith(part) for part, full in zip(now, final, strict=True))


def test_a_sentence_that_is_written_anew_replaces_all_after_it() -> None:
    moment = Moment()
    for event in [*list(events())[:-1], Drafted(0, "Prices fell.", ("E1",))]:
        moment = moment.after(event)
    assert shown(moment, "ascii") == ["Prices fell.", "Writing..."]


def test_it_says_which_pages_are_read_and_what_is_looked_for_again() -> None:
    pages = [RankedPage("d", "report.pdf", number, 1.0) for number in (12, 3, 7)]
    moment = Moment().after(Shown((*pages, RankedPage("b", f"{HOSTILE}.pdf", 2, 1.0))))
    assert moment.doing.startswith("Reading pages 3, 7 and 12 of report.pdf; page 2 of ")
    assert not {"\x1b", "\x07", "\u202e"} & set(moment.doing)
    again = Moment().after(Shown((pages[0],), 2, f"the fares {'x' * 400}")).doing
    assert again.startswith("Looking again for: the fares")
    assert again.endswith("\u2026, reading page 12 of report.pdf")
    assert len(again) < 400


def test_hostile_drafts_are_disarmed() -> None:
    moment = Moment().after(Drafted(0, HOSTILE, ("E1",)))
    assert not {"\x1b", "\x07", "\u202e"} & set("".join(shown(moment)))


def test_on_a_terminal_the_drafts_give_way_to_the_answer() -> None:
    out, ended = io.StringIO(), list[bool]()
    console = Console(file=out, force_terminal=True, width=80, highlight=False, markup=False, emoji=False)
    assert follow(events(ended), console) is ANSWER
    assert "Margins fell." in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K")  # the last thing done is to clear a line
    assert ended == [True]


def test_elsewhere_nothing_is_shown() -> None:
    assert follow(events(), None) is ANSWER


def test_an_error_ends_the_events() -> None:
    ended: list[bool] = []

    def failing() -> Generator[Event]:
        try:
            yield Planned(QUERIES)
            raise ServerDown("nobody there")
        finally:
            ended.append(True)

    with pytest.raises(ServerDown):
        follow(failing(), None)
    assert ended == [True]


def test_a_written_answer_ends_with_its_notes_and_what_it_cost() -> None:
    *_, note, footer = [str(line) for line in terminal.answer(ANSWER)]
    assert note == "Note: E7 did not fit"
    assert footer == "2 sentences: 1 confirmed, 1 not confirmed  2.50 s  2 calls, 3,412 + 210 tokens, 8 images"

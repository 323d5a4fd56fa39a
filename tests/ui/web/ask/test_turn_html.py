"""A turn as it is shown: each state says what is going on, an answer can be taken away, and nothing is markup."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from indexing import Hints
from rag import Queries, RagError, Sentence
from rag.events import Answered, Checked, Drafted, Event, Planned
from rag.types import Query
from rag.usage import Usage
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import answer, citation, evidence
from ui.web.ask.turn_html import bars_html, found_html, turn_html
from ui.web.ask.turns import AskRequest, Turn

PROVEN = Sentence("It fell.", (citation(),), "confirmed", "it says so")
ASKED = AskRequest.of("samples", "Why?")


def shown(*events: Event, asked: AskRequest = ASKED, latest: bool = True) -> str:
    turn = Turn(asked)
    for event in events:
        turn.tell(turn.now.after(event))
    return turn_html(turn, turn.now, latest=latest)


@given(ANY_TEXT, ANY_TEXT)
def test_no_text_becomes_markup(text: str, other: str) -> None:
    asked = AskRequest.of("samples", text, earlier=(other, text))
    found = answer(Sentence(text, (citation(document=other, quote=text),), "unconfirmed", other), found=[evidence()])
    found = replace(
        found, queries=(text,), notes=(other,), evidence=(replace(evidence(), knowledge=text, document=other),)
    )
    harmless(shown(Answered(found), asked=asked))
    harmless(found_html(asked, replace(found, mode="multi"), (other,)))
    harmless(shown(Drafted(0, text, (other,)), asked=asked, latest=False))
    turn = Turn(asked)
    turn.run(_raises(text))
    harmless(turn_html(turn, turn.now))


def _raises(text: str) -> object:  # type: ignore[misc]
    raise RagError(text)
    yield  # a generator


def test_a_draft_wears_no_number_yet() -> None:
    html = shown(Drafted(0, "It fell.", ("E1",)))
    assert "v-unconfirmed" in html
    assert read(html).values("data-cite") == []
    assert read(shown(Drafted(0, "It fell.", ("E1",)), Checked(0, PROVEN))).values("data-cite") == ["1"]


def test_what_is_busy_says_so_to_everybody() -> None:
    assert read(shown()).values("aria-busy") == ["true"]


def test_an_answer_can_be_taken_away() -> None:
    reader = read(shown(Answered(answer(PROVEN))))
    forms = ["html", "markdown", "pdf", "json", "bibtex", "ris"]
    assert [str(href).rsplit("/", 1)[1] for href in reader.values("href")] == forms
    without = read(shown(Answered(answer()))).text
    assert [without.count(form) for form in ("PDF with highlights", "BibTeX", "RIS")] == [0, 0, 0]


def test_after_a_stop_what_was_there_stays() -> None:
    turn = Turn(ASKED)
    turn.tell(turn.now.after(Checked(0, PROVEN)))
    turn.stop()
    text = read(turn_html(turn, turn.now)).text
    assert "It fell." in text
    assert "Stopped." in text


def test_what_a_reader_should_know_stands_under_the_answer() -> None:
    html = shown(Answered(replace(answer(PROVEN), notes=("one piece did not fit", "a second note"))))
    assert html.index("v-answer") < html.index("one piece did not fit") < html.index("a second note")
    assert html.index("a second note") < html.index("How this was found")


def test_the_account_names_queries_hits_reasons_cost_and_time() -> None:
    found = replace(
        answer(PROVEN, found=[replace(evidence(1), found_by=(1,), knowledge="a table of fares"), evidence(2)]),
        queries=("why", "why not"),
        usage=Usage(1200, 80, 3, 2, 1.5),
        timings={"retrieve": 0.2, "answer": 0.05, "total": 0.25},
    )
    text = read(found_html(AskRequest.of("samples", "Why?", earlier=["And before?"]), found)).text
    for told in (
        "2 hits",
        "0 hits",
        "And before?",
        "a table of fares",
        "2 calls: 1,200 tokens",
        "it says so",
    ):
        assert told in text
    assert "0.25 s in total" in text
    later = AskRequest.of("samples", "Why?", earlier=("And before?",))
    assert "Asked of samples, as a follow-up." in read(shown(Answered(found), asked=later)).text
    assert "follow-up" not in shown(Answered(found))


def test_the_account_shows_what_each_view_says_of_a_hit() -> None:
    both = replace(evidence(1), by_view=(("text", 0.71), ("visual", 0.52)))
    one = replace(evidence(2), by_view=(("text", 0.4),))
    html = found_html(ASKED, answer(found=(both, one)))
    for told in ("By text", "By page image", "0.710", "0.520", "0.400"):
        assert told in html
    assert "visual" not in found_html(ASKED, answer(found=(one,)))


def test_the_account_shows_what_pages_were_compared_with_where_they_were() -> None:
    planned = Planned(Queries((Query("Which chart shows fares?"),), (Query("shows fares"),), Hints()))
    found = replace(answer(PROVEN), queries=("Which chart shows fares?",))
    multi = read(shown(planned, Answered(replace(found, mode="multi")))).text
    assert "Compared with page imagesHits used1Which chart shows fares?shows fares0 hits" in multi
    assert "Compared with page images" not in read(shown(planned, Answered(replace(found, mode="text")))).text


def test_bars_have_one_scale() -> None:
    html = bars_html({"retrieve": 0.4, "answer": 0.1, "total": 0.5})
    assert "width:100.0%" in html
    assert "width:25.0%" in html
    assert "width:0.0%" in bars_html({"retrieve": 0.0})


def test_who_wrote_it_is_said_and_is_no_markup() -> None:
    written = replace(answer(PROVEN), method="vanilla", model="<b>big</b>")
    html = shown(Answered(written))
    assert "the answer is written by &lt;b&gt;big&lt;/b&gt;." in html
    assert "The answer was written by &lt;b&gt;big&lt;/b&gt;." in html
    assert "word for word." in shown(Answered(answer(PROVEN)))

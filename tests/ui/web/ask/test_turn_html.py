"""The markup of turns and conversations: what they show, and that no text becomes markup."""

from dataclasses import replace

from hypothesis import given

from rag import RagError, Sentence
from rag.events import Answered, Drafted, Event
from rag.usage import Usage
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import answer, citation, evidence
from ui.state import Conversation, Feedback
from ui.web.ask.page import conversations_html, found_html, turn_html
from ui.web.ask.turns import AskRequest, Keeping, Turn

PROVEN = Sentence("It fell.", (citation(),), "confirmed", "it says so")
ASKED = AskRequest.of("samples", "Why?")


def shown(*events: Event, asked: AskRequest = ASKED, latest: bool = True) -> str:
    turn = Turn(asked)
    for event in events:
        turn.set_moment(turn.now.after(event))
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


def test_the_table_of_claims_says_how_each_was_checked() -> None:
    judged = replace(PROVEN, checked_by="judge")
    html = shown(Answered(answer(judged, Sentence("Maybe.", (), "unconfirmed"))))
    table = html[html.index("<tbody>") : html.index("</tbody>")]
    rows = [read(row).text for row in table.split("</tr>")[:-1]]
    assert "by a judge, a model that saw the cited place: it says so" in rows[0]
    assert read(table).values("data-cite") == ["1"]
    assert "not confirmed" in rows[1]
    assert rows[1].rstrip().endswith("none")


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
    ):
        assert told in text
    assert "0.25 s in total" in text
    later = AskRequest.of("samples", "Why?", earlier=("And before?",))
    assert "Asked of samples, as a follow-up." in read(shown(Answered(found), asked=later)).text
    assert "follow-up" not in shown(Answered(found))


FELL, ROSE = (Sentence(text, (citation(n),), "quoted") for n, text in enumerate(("It fell.", "It rose."), 1))


def kept(keeping: Keeping | None) -> str:
    turn = Turn(AskRequest.of("samples", "Why?"))
    turn.run(iter([Answered(answer(FELL, ROSE))]))
    turn.keeping = keeping
    return turn_html(turn, turn.now)


@given(ANY_TEXT)
def test_no_text_becomes_markup_of_conversations_html(text: str) -> None:
    harmless(conversations_html([Conversation("c" * 32, text, "2026-01-01T00:00:00", 2)], "", text))
    harmless(kept(Keeping("x", {1: Feedback("wrong", text)})))


def test_the_open_conversation_is_marked_and_can_be_taken_away() -> None:
    found = [Conversation(name * 32, name, "2026-01-01T00:00:00", 1) for name in "ab"]
    html = read(conversations_html(found, "b" * 32))
    assert html.values("aria-current") == ["true"]
    assert html.values("href") == [f"vouch/export/{name * 32}/{form}" for name in "ab" for form in ("markdown", "json")]
    assert "No conversation contains these words" in conversations_html([], "", "mill")
    assert "appear here" in conversations_html([], "", None)


def test_each_sentence_has_buttons_that_say_which_it_is_about() -> None:
    html = read(kept(Keeping(feedback={2: Feedback("wrong place", "a line up")})))
    pressed = dict(zip(html.values("data-judge"), html.values("aria-pressed"), strict=False))
    assert html.values("data-judge") == ["right", "wrong", "wrong place"] * 2
    assert html.values("aria-pressed") == ["false"] * 5 + ["true"]
    assert pressed["wrong place"] == "true"
    assert "Sentence 2: wrong place" in html.values("aria-label")
    assert html.values("data-act") == ["share"]

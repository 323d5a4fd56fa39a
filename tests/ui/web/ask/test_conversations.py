"""Conversations of the page: still there after a restart, apart, boxed where the words stand now, shared and judged."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from plugins.team.access import TeamAccess
from rag import Answer, Profile, RagSettings
from tests.support import fakes
from ui.access import Identity, acting
from ui.settings import UiSettings
from ui.state import Feedback, StateStore, open_state
from ui.web.ask.asking import Asking
from ui.web.ask.conversations import ReviewQueue
from ui.web.ask.page import review_view
from ui.web.ask.turns import AskRequest, Turn
from ui.web.open_collections import OpenCollections

BUILT = "When was the mill built by Anna Holm?"
FIRST = ["The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar."]
SECOND = ["The roof was mended in 1931 after the great storm."]
ME, YOU = "m" * 32, "y" * 32


class House:
    """A home with one collection, and the server over it, which can be started anew."""

    def __init__(self, home: Path, embedder: MiniLM) -> None:
        self.home = home
        self.collection: Collection = fakes.collection(home, embedder, "mills")
        self.index([FIRST, SECOND])
        self.start()

    def index(self, pages: fakes.Pages) -> None:
        fakes.index(self.collection, {"mill.pdf": pages})

    def start(self) -> None:
        self.state: StateStore = open_state(self.home)
        profile = Profile(rag=RagSettings(min_confidence=0))
        self.asking = Asking(OpenCollections(profile, self.home), self.state)
        self.conversations = self.asking.conversations

    def stop(self) -> None:
        self.asking.open_collections.close()
        self.state.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    def ask(self, visitor: str, question: str = BUILT, conversation: str = "") -> Turn:
        turn = self.asking.start(visitor, AskRequest.of("mills", question, mode="text"), conversation)
        assert list(turn.follow())[-1].state == "done", turn.now.error
        return turn

    def answer(self, turn: Turn) -> Answer:
        """The answer as it is shown now, out of the state."""
        shown = self.conversations.turn(ME, turn.id)
        assert shown is not None
        assert shown.now.answer is not None
        return shown.now.answer


@pytest.fixture
def house(tmp_path: Path, embedder: MiniLM) -> Iterator[House]:
    made = House(tmp_path, embedder)
    yield made
    made.stop()


def test_a_conversation_goes_on_after_a_restart(house: House) -> None:
    first = house.ask(ME)
    house.restart()
    conversation = house.conversations.latest(ME)
    assert conversation == first.conversation
    (again,) = house.conversations.turns(ME, conversation)
    assert (again.id, again.now.answer, again.request) == (first.id, first.now.answer, first.request)
    later = house.ask(ME, "And its roof?", conversation)
    assert later.request.question.earlier == (BUILT,)
    assert [t.id for t in house.conversations.turns(ME, conversation)] == [first.id, later.id]
    other = house.ask(ME, "And its roof?")
    assert (other.request.question.earlier, other.conversation != conversation) == ((), True)
    assert [one.answers for one in house.conversations.search(ME)] == [1, 2]
    assert [one.name for one in house.conversations.search(ME, "anna")] == [BUILT]


def test_a_visitor_gets_no_turn_export_or_conversation_of_another(house: House) -> None:
    mine = house.ask(ME)
    yours = house.ask(YOU, BUILT, mine.conversation)
    assert yours.conversation != mine.conversation
    house.restart()
    for export in (mine.id, mine.conversation):
        assert house.asking.export(ME, export, "json") is not None
        assert house.asking.export(YOU, export, "json") is None
        assert house.asking.export("", export, "json") is None
    assert house.conversations.turn(YOU, mine.id) is None
    assert house.conversations.turns(YOU, mine.conversation) == ()
    house.conversations.delete(YOU, mine.conversation)
    house.conversations.rename(YOU, mine.conversation, "stolen")
    house.conversations.share(YOU, mine.id)
    assert not house.conversations.judge(YOU, mine.id, 1, Feedback("wrong"))
    (kept,) = house.conversations.turns(ME, mine.conversation)
    assert kept.keeping is not None
    assert (kept.keeping.link, dict(kept.keeping.feedback)) == ("", {})
    assert [one.name for one in house.conversations.search(ME)] == [BUILT]


def test_who_lost_a_collection_reads_no_kept_answer_of_it(house: House) -> None:
    turn = house.ask(ME)
    house.stop()
    house.state = open_state(house.home)
    access = TeamAccess(house.state, UiSettings())
    house.asking = Asking(OpenCollections(Profile(), house.home, access=access), house.state)
    house.conversations = house.asking.conversations
    with acting(Identity("ada", 1, roles={"mills": "reader"})):
        assert house.answer(turn) == turn.now.answer
        assert house.conversations.review_queue(ME, "mills").total > 0
    with acting(Identity("ada", 1, roles={"other": "owner"})):
        assert house.conversations.review_queue(ME, "mills") == ReviewQueue()
        kept = house.conversations.turn(ME, turn.id)
        assert kept is not None
        assert (kept.now.state, kept.now.answer) == ("failed", None)
        exported = house.conversations.export(ME, turn.conversation, "markdown")
        assert exported is not None
        assert b"1887" not in exported[1]


def test_what_is_left_to_review_comes_from_all_conversations_of_a_visitor(house: House) -> None:
    """Accepting the last sentence of the newest answer takes it out; a judgement that is withdrawn brings it back."""
    first, second = house.ask(ME), house.ask(ME, "When was the roof mended?")
    house.ask(YOU)
    assert first.conversation != second.conversation

    def queue() -> tuple[list[str], int, int]:
        left = house.conversations.review_queue(ME, "mills")
        return [turn.id for turn in left.turns], left.total, left.reviewed

    numbers = [n for n, s in enumerate(house.answer(second).sentences, 1) if s.citations]
    total = len(numbers) + sum(bool(s.citations) for s in house.answer(first).sentences)
    assert queue() == ([second.id, first.id], total, 0)
    for number in numbers:
        assert house.conversations.judge(ME, second.id, number, Feedback("right"))
    assert queue() == ([first.id], total, len(numbers))
    house.conversations.judge(ME, second.id, numbers[0], None)
    assert queue() == ([second.id, first.id], total, len(numbers) - 1)
    house.conversations.delete(ME, first.conversation)
    assert queue()[1] == len(numbers)
    view = review_view(house.asking, ME, "mills", second.conversation)
    assert f'data-total="{len(numbers)}" data-reviewed="{len(numbers) - 1}"' in view.current
    assert "Nothing to review yet" in review_view(house.asking, ME, "other", "").current


def test_a_box_moves_along_with_its_words(house: House) -> None:
    """The document is replaced by one with a page more in front: only the anchor knows the place."""
    turn = house.ask(ME)
    before = house.answer(turn).citations[0]
    house.collection.remove("mill.pdf")
    house.index([["A preface of no weight."], FIRST, SECOND])
    answer = house.answer(turn)
    after = answer.citations[0]
    assert (before.page, after.page, after.quote) == (1, 2, before.quote)
    assert after.doc_id != before.doc_id
    assert after.boxes == before.boxes
    assert any("the same words stand on page 2" in note for note in answer.notes)
    assert [page.page for page in house.asking.open_collections.pages("mills", answer)][:1] == [2]
    assert json.loads(house.asking.export(ME, turn.id, "json")[1])["sentences"][0]["citations"][0]["page"] == 2  # type: ignore[index]


def test_deleting_stops_what_runs_and_forgets_what_was_answered(house: House) -> None:
    turn = house.ask(ME)
    running = Turn(AskRequest.of("mills", "Still?"), turn.conversation)
    house.asking.history.add(ME, running)
    assert house.conversations.turns(ME, turn.conversation)[-1] is running
    house.conversations.delete(ME, turn.conversation)
    assert running.now.state == "stopped"
    assert house.conversations.turns(ME, turn.conversation) == ()
    assert house.asking.export(ME, turn.id, "json") is None

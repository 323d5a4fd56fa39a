"""Asking on the page: the model that is chosen, follow-ups, chips, turns and stops."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexing import Document, Metadata
from indexing.embed.minilm import MiniLM
from rag import Profile, RagSettings, Sentence
from rag.events import Checked, Event
from rag.llm.settings import ModelSettings
from tests.support import fakes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.writers import Writer, said
from tests.ui.asking_over import asking_over
from tests.ui.stand_ins import citation
from ui.errors import BadRequest, Interrupted
from ui.show.moment import Moment
from ui.web.ask.asking import AT_ONCE, Asking, Interruptible
from ui.web.ask.page import Options, asked_of, chips_of
from ui.web.ask.turns import AskRequest, Turn, followed_by

PAGES = {
    "mill.pdf": [
        ["The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar."],
        ["The roof was mended in 1931 after the great storm."],
    ]
}


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Asking:
    home = tmp_path_factory.mktemp("home")
    fakes.index(fakes.collection(home, embedder, "mills"), PAGES)
    return asking_over(home, Profile(rag=RagSettings(min_confidence=0)))


def written(home: Path, embedder: MiniLM, server: ScriptedServer) -> Asking:
    """Answers that the server's model writes."""
    fakes.index(fakes.collection(home, embedder, "mills"), PAGES)
    model = ModelSettings(base_url=server.url, name="scripted", retries=0)
    return asking_over(home, Profile(rag=RagSettings(min_confidence=0, judge="rules", model=model)))


def ended(turn: Turn) -> Moment:
    return list(turn.follow())[-1]


def test_who_waits_is_told_so_and_can_stop(
    tmp_path: Path, embedder: MiniLM, serve: Callable[..., ScriptedServer]
) -> None:
    gate = threading.Semaphore(0)
    server = serve(lambda _: says(said(("The mill was built in 1887.", ["E1"])), gate=gate))
    asking = written(tmp_path, embedder, server)
    wanted = AskRequest.of("mills", "When was the mill built by Anna Holm?", mode="text", method="vanilla")
    answered = [asking.start("", wanted) for _ in range(AT_ONCE)]
    for turn in answered:
        assert any(moment.doing != Moment().doing for moment in turn.follow())
    late, later = asking.start("", wanted), asking.start("", wanted)
    assert (late.now.state, late.now.doing) == ("busy", "Waiting for its turn")
    late.stop()
    assert ended(late).state == "stopped"
    for thread in threading.enumerate():
        if late.id in thread.name:
            thread.join(10)
            assert not thread.is_alive()
    assert len(server.asked) <= AT_ONCE
    assert later.now.doing == "Waiting for its turn"
    for _ in range(AT_ONCE + 1):
        gate.release()
    assert [ended(turn).state for turn in (*answered, later)] == ["done"] * (AT_ONCE + 1)
    assert server.most_at_once <= AT_ONCE


def test_the_chosen_model_answers(tmp_path: Path, embedder: MiniLM, serve: Callable[..., ScriptedServer]) -> None:
    script = says(said(("The mill was built in 1887 by Anna Holm.", ["E1"])))
    first, second = serve(script), serve(script)
    fakes.index(fakes.collection(tmp_path, embedder, "mills"), PAGES)
    model, other = (ModelSettings(base_url=s.url, name="scripted", retries=0) for s in (first, second))
    rag = RagSettings(judge="rules", model=model, models={"other": other})
    page = asking_over(tmp_path, Profile(rag=rag))

    def asked(name: str | None) -> Moment:
        question = "When was the mill built?"
        return ended(page.start("me", AskRequest.of("mills", question, method="vanilla", mode="text", model=name)))

    chosen = asked("other").answer
    assert chosen is not None
    assert (chosen.model, len(first.asked), len(second.asked)) == ("other", 0, 1)
    default = asked(None).answer
    assert default is not None
    assert (default.model, len(first.asked), len(second.asked)) == ("scripted", 1, 1)
    refused = asked(second.url)
    assert (refused.state, "it has scripted, other" in refused.error) == ("failed", True)
    assert (len(first.asked), len(second.asked)) == (1, 1)
    with pytest.raises(BadRequest):
        asked(["other"])  # type: ignore[arg-type]


@pytest.mark.parametrize(("chosen", "meant"), [("small", "small"), ("", None), (None, None)])
def test_the_model_that_was_chosen_is_asked_by_its_name(chosen: str | None, meant: str | None) -> None:
    options = Options("text", "cot", 4, 8, True, True, chosen, None, ["mill.pdf"], ["tag=a", "date=2024", "tag=b"])
    question = asked_of("mills", " Why? ", options).question
    assert (question.text, question.model, question.extract, question.every_page) == ("Why?", meant, True, True)
    assert (question.image, question.documents) == (None, ("mill.pdf",))
    assert question.where == '(tag="a" or tag="b") and (date="2024")'


def document(name: str, *tags: str, date: str = "") -> Document:
    return Document(name, name, "", 1, "", metadata=Metadata(date, tags=tags))


SHELF = (
    document("a.pdf", "all", 'say "no"', date="2024-05"),
    document("b.pdf", "all", "it's", "or", date="2023"),
    document("c.png", "all", "x" * 60, "both \" and '"),
)


def test_a_chip_is_a_value_that_some_documents_have() -> None:
    assert chips_of(SHELF) == [
        ("it's (1)", "tag=it's"),
        ("or (1)", "tag=or"),
        ('say "no" (1)', 'tag=say "no"'),
        (f"{'x' * 23}… (1)", f"tag={'x' * 60}"),
        ("2024 (1)", "date=2024"),
        ("2023 (1)", "date=2023"),
        ("pdf (2)", "kind=pdf"),
        ("png (1)", "kind=png"),
    ]
    assert chips_of(()) == chips_of(SHELF[:1]) == []


@pytest.mark.parametrize(
    ("last", "previous", "about"),
    [
        ("Who built the mill?", (), ("Who built the mill?",)),
        ("And when?", ("Who built the mill?",), ("Who built the mill?",)),
        ("Tell me more", ("Who built the mill?", "And its roof?"), ("Who built the mill?", "And its roof?")),
        ("And its roof?", ("Who built the mill?",), ("Who built the mill?", "And its roof?")),
        ("And in 1931?", ("Who built the mill?", "And its roof?"), ("Who built the mill?", "And in 1931?")),
    ],
)
def test_a_chain_goes_back_to_what_stood_alone(last: str, previous: tuple[str, ...], about: tuple[str, ...]) -> None:
    assert followed_by(AskRequest.of("mills", last, earlier=previous)) == about


def test_a_stream_is_closed_between_two_pieces() -> None:
    writer, stopped = Writer("It fell, and then it rose again."), [False]
    pieces = Interruptible(writer, lambda: stopped[0]).stream([])
    next(pieces)
    stopped[0] = True
    with pytest.raises(Interrupted):
        next(pieces)
    assert writer.hung_up
    assert writer.told == 2


ASKED = AskRequest.of("samples", "Why?")
PROVEN = Sentence("It fell.", (citation(),), "confirmed", "it says so")


def failing(error: Exception) -> Iterator[Event]:
    yield Checked(0, PROVEN)
    raise error


def test_a_bug_is_told_without_its_secrets(caplog: pytest.LogCaptureFixture) -> None:
    turn = Turn(ASKED)
    turn.run(failing(ZeroDivisionError("a secret")))
    assert "secret" not in turn.now.error
    assert "a secret" in caplog.text


class Source:
    """Events that come when they are let through, and that know whether they were closed."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.closed = threading.Event()

    def events(self) -> Iterator[Event]:
        try:
            for n in range(10):
                assert self.gate.acquire(timeout=20)
                yield Checked(n, PROVEN)
        finally:
            self.closed.set()


def test_a_stop_holds_at_once_and_closes_the_events_with_the_next_one() -> None:
    source, turn = Source(), Turn(ASKED)
    work = threading.Thread(target=turn.run, args=(source.events(),))
    work.start()
    following = turn.follow()
    next(following)
    source.gate.release()
    assert len(next(following).sentences) == 1
    turn.stop()
    assert next(following).state == "stopped"
    assert list(following) == []
    assert not source.closed.is_set()
    source.gate.release()
    work.join(20)
    assert source.closed.is_set()
    assert len(turn.now.sentences) == 1

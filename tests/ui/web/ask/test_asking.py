"""Asking: a turn of a visitor, follow-ups that say what they are, and exports that only the visitor gets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import Profile, RagSettings
from rag.llm.settings import ModelSettings
from tests.support import fakes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.writers import said
from tests.ui.asking_over import asking_over
from ui.errors import BadRequest
from ui.show.moment import Moment
from ui.web.ask.asking import AT_ONCE, Asking
from ui.web.ask.turns import AskRequest, Turn

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


def test_who_asks_while_others_are_answered_is_told_to_wait_and_can_stop(
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


def test_the_model_that_is_chosen_by_name_answers(
    tmp_path: Path, embedder: MiniLM, serve: Callable[..., ScriptedServer]
) -> None:
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

"""Sources to choose from: letters out of those shown, orders drawn from a seed, choices kept, nothing guessed."""

from __future__ import annotations

import doctest
import json
import string
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from evaluation import cli as command
from evaluation.errors import RunRefused
from evaluation.harness import identify as choosing
from evaluation.harness.identify import Choices, Chooser, Chosen, Identifier, identify, read
from evaluation.harness.judge import rubric_prompt
from evaluation.tasks import mcitebench
from evaluation.tasks.items import Choice, SourceItem, shuffled
from rag import Profile
from rag.llm.client import ServedModel
from rag.llm.settings import ModelSettings
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked as Request
from tests.support.scripts import Script, cut_off, fails, says

ITEMS = (
    SourceItem("x", "text", "Nine sacks.\nIgnore this."),
    SourceItem("y", "figure"),
    SourceItem("z", "text", "Forty barrels."),
)
ONE = Choice("How many?", ITEMS)


def chooser_at(server: ScriptedServer, images: int = 8) -> Chooser:
    model = ServedModel(ModelSettings(base_url=server.url, name="m", images=images))
    return Chooser(model, lambda _: Image.new("RGB", (64, 64), "red"), 5)


def test_the_worked_example_is_right() -> None:
    done = doctest.testmod(choosing)
    assert (done.attempted, done.failed) == (2, 0)


def test_a_model_is_shown_all_items_under_letters(serve: Callable[..., ScriptedServer]) -> None:
    server = serve(says({"reason": "It says nine.", "source": "A"}))
    found = chooser_at(server).choose(ONE)
    version = rubric_prompt("mcite_source").version
    assert found == Chosen("m", 5, ("x", "y", "z"), ("x",), "It says nine.", "mcite_source", version)
    asked = server.asked[0]
    assert len(asked.images) == 1
    assert asked.text.index("A\n| Nine sacks.\n| Ignore this.") < asked.text.index("B\nC\n| Forty barrels.")
    assert "Question: How many?" in asked.text
    assert asked.schema is not None
    assert asked.schema["properties"]["source"]["enum"] == ["A", "B", "C"]


def test_the_question_alone_is_shown_and_never_its_answer(serve: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    """RQ1, table 11: "based solely on the question", of explanation questions with a single source."""
    both = data_sets.mcite_row("c3", evidence_contents=[data_sets.MILL[0], data_sets.VAULT[0]], distractor_contents=[])
    other = data_sets.mcite_row("c4", question_type="locating")
    gold = mcitebench.load(data_sets.mcitebench(tmp_path, both, other), None, tmp_path / "material", None)
    choices = {q.qid: mcitebench.choice(q, 0) for q in gold.questions}
    assert [qid for qid, choice in choices.items() if choice is not None] == ["c1"]
    (question,) = (q for q in gold.questions if q.qid == "c1")
    assert choices["c1"] is not None
    server = serve(says({"reason": "It says nine.", "source": "A"}))
    chooser_at(server).choose(choices["c1"])
    assert f"Question: {question.text}" in server.asked[0].text
    assert question.answer == "Nine sacks."
    assert "Nine sacks." not in server.asked[0].text


def test_a_letter_that_was_not_shown_is_asked_for_again_and_then_not_guessed(
    serve: Callable[..., ScriptedServer],
) -> None:
    stranger = says({"reason": "x", "source": "D"})
    assert chooser_at(serve(stranger, says({"reason": "y", "source": "C"}))).choose(ONE).chosen == ("z",)
    found = chooser_at(serve(stranger, stranger)).choose(ONE)
    assert found.chosen is None
    assert "'D' is not one of the sources (A, B, C)" in found.reason


def test_what_the_model_cannot_see_it_is_not_asked_about(serve: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    server = serve()
    found = chooser_at(server, images=0).choose(ONE)
    assert found.chosen is None
    assert "the prompt has 1 images, and m takes 0" in found.reason
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n")
    found = Chooser(chooser_at(server)._model, lambda _: choosing.picture(tmp_path / "torn.png")).choose(ONE)
    many = chooser_at(server).choose(replace(ONE, items=tuple(SourceItem(str(n), "text", "x") for n in range(27))))
    assert (many.chosen, many.reason) == (None, "not asked: 27 items are more than there are letters")
    assert (found.chosen, found.reason[:47]) == (None, "not asked: torn.png cannot be read as an image ")
    assert server.asked == []


def test_a_reply_that_does_not_come_is_no_choice_and_ends_nothing(serve: Callable[..., ScriptedServer]) -> None:
    server = serve(cut_off("{"), cut_off("{"), fails(), says({"reason": "It says nine.", "source": "A"}))
    settings = ModelSettings(base_url=server.url, name="m", retries=0)
    chooser = Chooser(ServedModel(settings), lambda _: Image.new("RGB", (64, 64), "red"))
    chosen = [chooser.choose(ONE) for _ in range(3)]
    assert [made.chosen for made in chosen] == [None, None, ("x",)]
    assert all(made.reason.startswith("no choice: ") for made in chosen[:2])
    assert "something broke" in chosen[1].reason


@pytest.mark.parametrize("text", ["", "A", '{"source": "A"}', '{"reason": "x", "source": ["A"]}', "[]"])
def test_what_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|not one of the sources"):
        read(text, ONE)


@given(st.text(max_size=30))
def test_only_what_was_shown_is_ever_chosen(text: str) -> None:
    reply = json.dumps({"reason": "x", "source": text})
    try:
        letter, _ = read(reply, ONE)
    except ValueError:
        assert text not in set(ONE.letters)
    else:
        assert letter == text
        assert text in set(string.ascii_uppercase[:3])


@given(st.permutations(ITEMS), st.integers(0, 5))
def test_the_order_depends_on_question_and_seed_alone(items: list[SourceItem], seed: int) -> None:
    assert shuffled(items, "q", seed) == shuffled(ITEMS, "q", seed)
    assert set(shuffled(items, "q", seed)) == set(ITEMS)


def test_the_gold_item_stands_everywhere() -> None:
    """Over questions and over seeds each place is taken about as often: no letter is a good guess."""
    for orders in ([shuffled(ITEMS, str(n), 0) for n in range(300)], [shuffled(ITEMS, "q", n) for n in range(300)]):
        places = [order.index(ITEMS[0]) for order in orders]
        assert min(places.count(place) for place in range(3)) > 70


def test_choices_are_kept_and_a_line_cut_off_is_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "choices.jsonl"
    first = Chosen("m", 0, ("x", "y"), ("y",), "because", "mcite_source", "v1")
    kept = Choices(file)
    kept.add("q", first)
    kept.add("q", first)
    kept.add("q2", Chosen("m", 0, ("x", "y"), None, "no choice", "mcite_source", "v1"))
    kept.add("q", Chosen("other", 0, ("x", "y"), ("x",), "", "mcite_source", "v1"))
    with file.open("a") as more:
        more.write('{"qid": "q3"')
    again = Choices(file)
    assert again.made == kept.made
    assert again.counted(None) == ("m", 0)
    assert (again.of("m", 0), again.of("other", 0)) == ({"q": ("y",), "q2": None}, {"q": ("x",)})
    assert len(file.read_text().splitlines()) == 3
    again.add("q", replace(first, version="v2", chosen=("x",)))
    assert (again.of("m", 0)["q"], again.of("m", 1)) == (("x",), {})
    file.write_text('{"qid": 1}\n')
    with pytest.raises(RunRefused, match="line 1: it is not a choice"):
        Choices(file)


def test_a_choice_of_the_gold_item_is_right(tmp_path: Path) -> None:
    gold = mcitebench.load(data_sets.mcitebench(tmp_path), None, tmp_path / "material", None)
    (question,) = (q for q in gold.questions if q.qid == "c1")
    choice = mcitebench.choice(question, 0)
    assert choice is not None
    assert {item.document for item in choice.items} == set(question.documents)
    (right,) = question.more["gold"]
    for item in choice.items:
        assert mcitebench.figures(question, {"identified": (item.document,)})["Identified"] == (item.document == right)
    assert mcitebench.figures(question, {})["Identified"] is None


# ---- in a run ------------------------------------------------------------------------------------------------------


PICTURE = data_sets.mcite_row(
    "c3",
    question="When does the ferry leave?",
    evidence_contents=["images/ferry.png"],
    evidence_modal=["figure"],
    distractor_contents=[data_sets.MILL[0], data_sets.VAULT[1]],
)


def points_at_the_picture(asked: Request) -> Script:
    """Chooses the letter that stands alone: what follows it is a picture."""
    letter = next(part["text"] for part in asked.parts if part["type"] == "text" and len(part["text"]) == 1)
    return says({"reason": "It is the picture.", "source": letter})


def test_many_runs_ask_once(serve: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    server = serve(points_at_the_picture)
    profile = Profile.model_validate({"rag": {"model": {"base_url": server.url, "name": "m"}}})
    gold = mcitebench.load(data_sets.mcitebench(tmp_path, PICTURE), None, tmp_path / "material", None)
    choices = {q.qid: choice for q in gold.questions if (choice := mcitebench.choice(q, 0)) is not None}
    first, second = (Choices(tmp_path / name) for name in ("one.jsonl", "two.jsonl"))
    identify(Identifier("p", profile), {"c1": choices["c1"]}, gold.files, [first])
    identify(Identifier("p", profile), choices, gold.files, [first, second])
    assert len(server.asked) == 2
    assert Choices(tmp_path / "one.jsonl").made == Choices(tmp_path / "two.jsonl").made == second.made
    identify(Identifier("p", profile, seed=1), choices, gold.files, [second])
    assert len(server.asked) == 4
    assert {made.seed for made in second.made.values()} == {0, 1}


def test_vouch_eval_identifies_sources(
    serve: Callable[..., ScriptedServer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By modality and by number of sources; kept with reasons, asked once, in the summary and in the report.

    The locating question c2 is not asked about.
    """
    data = data_sets.mcitebench(tmp_path / "data", PICTURE)
    server = serve(points_at_the_picture)
    profile, out = tmp_path / "p.yaml", tmp_path / "run"
    profile.write_text(f"rag: {{model: {{base_url: '{server.url}', name: m}}}}\n")
    said = [{"qid": qid, "ranked_pages": [], "answer": "Nine.", "sentences": []} for qid in ("c1", "c2", "c3")]
    words = ["--data", str(data), "--predictions", str(data_sets.lines(tmp_path / "said.jsonl", *said))]
    words += ["--out", str(out), "--home", str(tmp_path / "home")]
    assert command.main(["mcitebench", *words]) == 0
    first = json.loads((out / "summary.json").read_text())
    assert "Identified" not in first["figures"]["all"]
    assert command.main(["mcitebench", *words, "--resume", "--identify", str(profile)]) == 0
    summary = json.loads((out / "summary.json").read_text())
    assert summary["identified_by"] == ["m", 0]
    values = {n: group["Identified"]["value"] for n, group in summary["figures"].items() if "Identified" in group}
    assert summary["figures"]["all"]["Identified"]["n"] == 2
    assert (values["all"], values["modality: text"], values["modality: figure"]) == (50, 0, 100)
    assert values["sources: single"] == 50
    kept = [json.loads(line) for line in (out / "choices.jsonl").read_text().splitlines()]
    assert [(row["qid"], row["reason"]) for row in kept] == [("c1", "It is the picture."), ("c3", "It is the picture.")]
    assert command.main(["mcitebench", *words, "--resume", "--identify", str(profile)]) == 0
    assert len(server.asked) == 2
    assert command.main(["report", str(out), "--out", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "| modality | Citation F1 | Source F1 | Source EM | Acc | Identified | n |" in report
    assert "(run: by m, order of seed 0)" in report
    (tmp_path / "none.yaml").write_text("rag: {top_k: 3}\n")
    assert command.main(["mcitebench", *words, "--resume", "--identify", str(tmp_path / "none.yaml")]) == 2
    assert "names no model" in capsys.readouterr().err

"""Benchmark data made from documents of one's own: what is kept, what is left out and why, and that it can be read."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from evaluation import cli as command
from evaluation.tasks.registry import TASKS
from indexing import BBox, Collection, IndexingSettings, build_index
from plugins.research.construct import sft
from plugins.research.construct import visa as construct_visa
from rag.attribution.localize.drawn import box_of
from rag.llm.client import ServedModel
from rag.llm.settings import ModelSettings
from tests.support import documents
from tests.support.asking import Client
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, fails, says

MILL = "The mill at Harrow grinds nine sacks of barley every day, and its keeper is called Agnes Tull since the war."
VAULT = "The vault under the town hall holds forty barrels of cider, which were bought in the year 1844 from Merrow."


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Two documents of a page each, indexed from real files."""
    folder = tmp_path_factory.mktemp("construct")
    for name, text in (("mill.pdf", MILL), ("vault.pdf", VAULT)):
        documents.pdf(folder / name, [text], size=(800, 300))
    made = Collection.create("town", folder / "home", IndexingSettings(workers=1, visual="none"))
    build_index(made, [folder / "mill.pdf", folder / "vault.pdf"])
    return made


def model_at(server: ScriptedServer) -> ServedModel:
    return ServedModel(ModelSettings(base_url=server.url, name="writer"))


def asks(asked: Asked) -> Script:
    """A model that asks for the number in what it is shown."""
    number = "nine" if "nine" in asked.text else "forty"
    return says({"question": f"How many of {number} are there?", "answer": number})


@pytest.mark.slow
@pytest.mark.gate
def test_visa_data_is_made_read_and_exported(
    town: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer]
) -> None:
    server = serve(asks)
    recipe = construct_visa.Recipe(count=2, candidates=2, without_answer=0.0, cropped=0.0)
    made = construct_visa.construct(town, model_at(server), tmp_path, recipe)
    assert {row["short_answer"] for row in made.rows} == {"nine", "forty"}
    assert all(len(asked.images) == 1 for asked in server.asked)
    gold = TASKS["visa"].load(tmp_path, None, tmp_path, None)
    assert (gold.problems, len(gold.questions)) == ((), 2)
    for question, row in zip(gold.questions, made.rows, strict=True):
        element = next(
            e
            for e in town.page_elements(row["source"]["document"], row["source"]["page"])
            if e.id == row["source"]["element"]
        )
        assert BBox(*question.boxes[0].bbox).iou(element.bbox) > 0.95
        assert len(question.documents) == 2
    assert sft.export(gold, tmp_path / "sft.jsonl") == 2
    lines = [json.loads(line) for line in (tmp_path / "sft.jsonl").read_text().splitlines()]
    said = json.loads(lines[0]["messages"][1]["content"][0]["text"])
    assert (said["answerable"], said["answer"]) == (True, gold.questions[0].answer)
    back = box_of(said["box"], "relative_1000", (1, 1))
    assert back is not None
    assert back.iou(BBox(*gold.questions[0].boxes[0].bbox)) > 0.9
    assert [part["type"] for part in lines[0]["messages"][0]["content"]] == ["text", "image", "text", "image", "text"]


@pytest.mark.slow
def test_a_share_has_no_answer_and_what_cannot_be_used_is_counted(
    town: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer]
) -> None:
    """Two pages are too few to put one in the place of the oracle beside another: no question is made, and told so."""
    recipe = construct_visa.Recipe(count=1, candidates=2, without_answer=1.0)
    made = construct_visa.construct(town, model_at(serve(asks)), tmp_path / "none", recipe)
    assert (made.rows, made.skipped) == ([], {"retrieval ranks too few other pages": 2})
    lone = construct_visa.Recipe(count=1, candidates=1, without_answer=1.0)
    (row,) = construct_visa.construct(town, model_at(serve(asks)), tmp_path / "one", lone).rows
    assert (row["oracle"], len(row["candidates"])) == (0, 1)
    invents = serve(says({"question": "Who?", "answer": "Napoleon"}), says({"question": "", "answer": ""}))
    made = construct_visa.construct(town, model_at(invents), tmp_path / "bad", construct_visa.Recipe(count=2))
    assert made.rows == []
    assert made.skipped == {"the answer does not stand in the box": 1, "nothing to ask about": 1}


@given(st.floats(0, 0.8), st.floats(0, 0.8), st.floats(0.05, 0.2), st.integers(0, 99))
def test_a_crop_holds_the_box_where_it_was(x: float, y: float, size: float, seed: int) -> None:
    """The pixels inside the box are those of the page."""
    box = BBox(x, y, x + size, y + size)
    page = Image.linear_gradient("L").resize((400, 300)).convert("RGB")
    (crop,), moved = construct_visa.alike([page], box, random.Random(seed), crop=True)
    inside = box.to_page(*page.size)
    after = moved.to_page(*crop.size)
    assert after[2] - after[0] == pytest.approx(inside[2] - inside[0], abs=0.01)
    middle = (int((inside[0] + inside[2]) / 2), int((inside[1] + inside[3]) / 2))
    again = (int((after[0] + after[2]) / 2), int((after[1] + after[3]) / 2))
    assert crop.getpixel(again) == pytest.approx(page.getpixel(middle), abs=3)


@pytest.mark.parametrize("boxes", ["relative_1000", "absolute_pixels", "relative_1000_yx"])
def test_targets_are_what_method_visa_reads(tmp_path: Path, boxes: Any) -> None:
    from tests.evaluation import data_sets

    gold = TASKS["visa"].load(data_sets.visa(tmp_path), None, tmp_path, None)
    for question in gold.questions:
        said = sft.target(question, [(900, 600)] * len(question.documents), boxes)
        if not question.boxes:
            assert said == {"answerable": False, "answer": "", "page": 0, "box": [0, 0, 0, 0]}
            continue
        found = box_of(said["box"], boxes, (900, 600))
        assert found is not None
        assert found.iou(BBox(*question.boxes[0].bbox)) > 0.95
        assert said["page"] == question.boxes[0].doc


@pytest.mark.slow
def test_a_reply_that_does_not_come_is_counted_and_the_next_page_is_asked_about(
    town: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer], client: Callable[..., Client]
) -> None:
    server = serve(fails(), says({"question": "How many of nine?", "answer": "of"}))
    made = construct_visa.construct(town, client(server, retries=0), tmp_path, construct_visa.Recipe(candidates=1))
    assert (len(made.rows), made.skipped) == (1, {"no reply (ServerFailed)": 1})


@pytest.mark.slow
def test_the_command_makes_data_and_conversations(
    town: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(f"indexing: {{visual: none}}\nrag: {{model: {{base_url: '{serve(asks).url}', name: writer}}}}\n")
    words = ["construct", "visa", "--collection", "town", "--home", str(town.path.parent), "--profile", str(profile)]
    more = [
        "--out",
        str(tmp_path / "data"),
        "--count",
        "1",
        "--candidates",
        "1",
        "--sft",
        str(tmp_path / "new" / "sft.jsonl"),
    ]
    assert command.main([*words, *more]) == 0
    assert "1 questions" in capsys.readouterr().out
    assert len((tmp_path / "new" / "sft.jsonl").read_text().splitlines()) == 1


def test_options_of_another_form_and_counts_that_are_none_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["construct", "citevqa", "--collection", "town", "--profile", "default", "--out", str(tmp_path / "data")]
    visa = ["construct", "visa", *words[2:]]
    mavis, mcitebench = (["construct", form, *words[2:]] for form in ("mavis", "mcitebench"))
    for asked, said in (
        ([*visa, "--posts", "p.jsonl"], "there is no option --posts"),
        ([*visa, "--reviews", "x"], "there is no option --reviews"),
        (mavis, "required: --posts"),
        (mcitebench, "required: --reviews"),
        ([*words, "--candidates", "2"], "there is no option --candidates; see vouch eval construct citevqa --help"),
        ([*visa, "--examples", str(tmp_path / "examples.jsonl")], "there is no option --examples"),
        ([*words, "--count", "-1"], "'-1' is not a number from 1 on"),
    ):
        with pytest.raises(SystemExit):
            command.main(asked)
        assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

"""What fine-tuning trains on: method visa's own prompts, replies that it reads, and lines that are left out by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from evaluation.tasks.registry import TASKS
from indexing import BBox
from plugins.research.construct import sft
from plugins.research.errors import CannotTrain
from plugins.research.finetune.data import read, split
from rag.attribution.localize.drawn import CONVENTIONS, box_of
from rag.llm.client import ServedModel
from rag.llm.images import fit_image
from rag.llm.settings import Boxes, ModelSettings
from rag.methods.visa.boxes import Candidate, visa_answer
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says

QWEN25 = {"boxes": "absolute_pixels", "patch": 28, "max_pixels": 200_000}
QWEN3 = {"boxes": "relative_1000", "patch": 32, "max_pixels": 200_000}


def settings(url: str = "http://127.0.0.1:8000/v1", **keys: Any) -> ModelSettings:
    return ModelSettings.model_validate({"base_url": url, "name": "tuned", **keys})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """VISA data: a page with the answer, two of which one has it, one without."""
    return data_sets.visa(tmp_path / "data")


def exported(data: Path, **keys: Any) -> Path:
    gold = TASKS["visa"].load(data, None, data, None)
    assert sft.export(gold, data / "sft.jsonl", settings(**keys)) == 3
    return data / "sft.jsonl"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("keys", [QWEN25, QWEN3, {"boxes": "relative_1000_yx"}])
def test_a_line_is_what_method_visa_sends_and_reads(
    data: Path, serve: Callable[..., ScriptedServer], keys: dict[str, Any]
) -> None:
    """Over the wire: the real client sends the prompt of the line, and the real parser finds gold in its reply."""
    lines = rows(exported(data, **keys))
    gold = TASKS["visa"].load(data, None, data, None)
    server = serve(*(says(line["messages"][1]["content"][0]["text"]) for line in lines))
    own = settings(server.url, **keys)
    model = ServedModel(own)
    for line, question, example in zip(lines, gold.questions, read(data / "sft.jsonl").examples, strict=True):
        pages = [Candidate(str(n), n, Image.open(data / name)) for n, name in enumerate(line["images"], 1)]
        pointed = visa_answer(model, question.text, pages, own.boxes, partial(fit_image, settings=own))
        sent = server.asked[-1]
        content = line["messages"][0]["content"]
        assert [p["type"].removesuffix("_url") for p in sent.parts] == [p["type"] for p in content]
        assert [p["text"] for p in sent.parts if "text" in p] == [p["text"] for p in content if "text" in p]
        assert [list(image.size) for image in sent.images] == line["sizes"]
        trained = example.asked(own)
        assert [p for p in trained.parts if isinstance(p, str)] == [p["text"] for p in sent.parts if "text" in p]
        shown = [p for p in trained.parts if not isinstance(p, str)]
        assert [image.tobytes() for image in shown] == [image.tobytes() for image in sent.images]
        assert example.reply(own) == line["messages"][1]["content"][0]["text"]
        if not question.boxes:
            assert (pointed.text, pointed.page) == ("", None)
            continue
        assert (pointed.text, pointed.page) == (question.answer, pages[question.boxes[0].doc - 1])
        assert pointed.box is not None
        assert pointed.box.iou(BBox(*question.boxes[0].bbox)) > 0.95
    model.close()


@given(
    st.tuples(*[st.floats(0, 1)] * 4).filter(lambda v: v[0] < v[2] and v[1] < v[3]),
    st.sampled_from(sorted(CONVENTIONS)),
    st.tuples(st.integers(28, 4000), st.integers(28, 4000)),
)
def test_every_box_can_be_read_again(values: tuple[float, ...], boxes: Boxes, size: tuple[int, int]) -> None:
    """However small it is; and no corner is off by more than a unit."""
    found = box_of(sft.corners(values, size, boxes), boxes, size)
    assert found is not None
    width, height = size if boxes == "absolute_pixels" else (1000, 1000)
    for here, there, length in zip(found.as_tuple(), values, (width, height) * 2, strict=True):
        assert abs(here - there) <= 1 / length + 1e-9


def test_lines_for_another_model_are_rewritten(data: Path) -> None:
    (first, *_) = read(exported(data, **QWEN3)).examples
    own = settings(**QWEN25)
    said = json.loads(first.reply(own))
    assert said["box"] == pytest.approx(BBox(40 / 900, 200 / 600, 880 / 900, 290 / 600).to_page(532, 364), abs=1)
    assert CONVENTIONS["absolute_pixels"] in str(first.asked(own).parts[-1])


def test_replies_are_bare_json_and_no_token_of_a_template() -> None:
    said = sft.said("caf\u00e9 <|im_end|> \ud800", 1, (0.1, 0.2, 0.3, 0.4), [(10, 10)], "relative_1000")
    text = sft.reply(said)
    assert text == (
        '{"answerable":true,"answer":"caf\u00e9 \\u003c|im_end|> ?","page":1,"box":[100,200,300,400]}'
    )  # fmt: skip
    assert json.loads(text)["answer"] == "caf\u00e9 <|im_end|> ?"


def test_what_cannot_be_answered_with_is_not_exported(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data_sets.visa(
        data,
        data_sets.visa_row("long", short_answer="x" * 601),
        data_sets.visa_row("odd", question="\ud800?"),
    )
    gold = TASKS["visa"].load(data, None, data, None)
    (data / "apples.png").write_bytes(b"no image")
    assert sft.export(gold, data / "sft.jsonl") == 2
    said = capsys.readouterr().err
    assert "left out: long: its answer is longer than 600 characters" in said
    assert "left out: v2: cannot identify image file" in said
    assert [e.name for e in read(data / "sft.jsonl").examples] == ["v1", "odd"]


def test_files_are_named_from_the_folder_of_the_lines(data: Path, tmp_path: Path) -> None:
    assert rows(exported(data))[1]["images"] == ["apples.png", "ferry.png"]
    elsewhere = tmp_path / "elsewhere" / "sft.jsonl"
    elsewhere.parent.mkdir()
    sft.export(TASKS["visa"].load(data, None, data, None), elsewhere)
    assert rows(elsewhere)[0]["images"] == [str((data / "ferry.png").resolve())]
    assert len(read(elsewhere).examples) == 3
    moved = data.rename(tmp_path / "moved")
    assert len(read(moved / "sft.jsonl").examples) == 3


BROKEN: list[tuple[Any, str]] = [
    ("{", "is not JSON"),
    ({"question": None}, "'question' is null, expected a str"),
    ({"boxes": "furlongs"}, "its boxes are 'furlongs', none of relative_1000"),
    ({"sizes": []}, "has 0 sizes for 1 images"),
    ({"messages": []}, "it does not consist of one message of the user and one of the assistant"),
    ({"question": "Another?"}, "its prompt is not the one of method visa: export it again"),
    ({"reply": 7}, "its reply is not a single text"),
    ({"reply": "At noon."}, "its reply cannot be read: the model's reply is not JSON"),
    ({"reply": '{"answerable":true,"answer":"x","page":1}'}, "does not have the requested form: box"),
    ({"reply": '{"answerable":true,"answer":"x","page":2,"box":[0,0,9,9]}'}, "refers to page 2, but was shown 1"),
    ({"reply": '{"answerable":true,"answer":"x","page":1,"box":[9,9,0,0]}'}, "does not lie on that page"),
]


@pytest.mark.parametrize(("change", "named"), BROKEN)
def test_a_broken_line_is_named_and_left_out(data: Path, change: Any, named: str) -> None:
    path = exported(data)
    good, *_ = rows(path)
    if isinstance(change, dict) and "reply" in change:
        change = {"messages": [good["messages"][0], {"role": "assistant", "content": change["reply"]}]}
    data_sets.lines(path, good, good | change if isinstance(change, dict) else change)
    found = read(path)
    assert len(found.examples) == 1
    assert found.problems[0].startswith("sft.jsonl, line 2: ")
    assert named in found.problems[0]


def test_images_are_looked_at(data: Path) -> None:
    path = exported(data)
    (data / "apples.png").unlink()
    (data / "ferry.png").write_bytes((data / "ferry.png").read_bytes()[:400])
    with pytest.raises(CannotTrain, match="contains no conversation to train on") as told_of:
        read(path)
    assert "apples.png is missing" in str(told_of.value)
    assert "ferry.png cannot be read" in str(told_of.value)


def test_a_share_is_held_out(data: Path) -> None:
    lines = read(exported(data))
    kept, held_out = split(lines, 0.3, 0)
    assert (len(kept), len(held_out)) == (2, 1)
    assert {e.name for e in kept + held_out} == {"v1", "v2", "v3"}
    assert split(lines, 0.3, 0) == (kept, held_out)
    with pytest.raises(CannotTrain, match="leaves none of 3 conversations"):
        split(lines, 0.9, 0)

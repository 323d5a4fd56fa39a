"""CiteVQA data made of documents of one's own: the checks that a question passes, its masked evidence, what is kept."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from evaluation import cli as command
from evaluation.errors import RunRefused
from evaluation.tasks.registry import TASKS
from indexing import Collection, IndexingSettings, build_index
from plugins.research.construct import citevqa
from rag import read_citevqa
from tests.support import documents
from tests.support.asking import Client
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, cut_off, fails, says

MILL = "The mill at Harrow grinds nine sacks of barley every day, and its keeper is called Agnes Tull since the war."
VAULT = "The vault under the town hall holds forty barrels of cider, which were bought in the year 1844 from Merrow."
FIRST, SECOND = "How much do mill and vault hold?", "Mill and vault: what is in them?"
Model = Callable[[Asked], Script]


@pytest.fixture(scope="module")
def shire(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Two documents of two pages: a paragraph, then a paragraph and a picture with a red disc."""
    folder = tmp_path_factory.mktemp("citevqa")
    image = io.BytesIO()
    documents.picture(["OUTPUT", "NINE"]).save(image, "PNG")
    for name, texts in (("mill.pdf", (MILL, VAULT)), ("vault.pdf", (VAULT, MILL))):
        document = pymupdf.open()
        for text in texts:
            page = document.new_page(width=420, height=595)
            page.insert_textbox((40, 60, 380, 200), text, fontsize=11)
        page.insert_image((60, 250, 360, 450), stream=image.getvalue())
        document.save(folder / name)
    made = Collection.create("shire", folder / "home", IndexingSettings(workers=1, visual="none"))
    build_index(made, [folder / "mill.pdf", folder / "vault.pdf"])
    return made


def is_red(image: Image.Image) -> bool:
    """True for a screenshot that shows the disc."""
    colours = image.convert("RGB").resize((60, 60)).getcolors(3600) or []
    return any(r > 170 and g < 90 and b < 70 for _, (r, g, b) in colours)


def is_grey(image: Image.Image) -> bool:
    """True for a screenshot that is painted over."""
    return image.convert("RGB").getpixel((image.width // 2, image.height // 2)) == pytest.approx((128,) * 3, abs=3)


def asked_for(asked: Asked) -> frozenset[str]:
    """The keys of the form that the model is to fill in."""
    return frozenset((asked.schema or {}).get("properties", {}))


def sees(images: list[Image.Image]) -> bool:
    return any(map(is_red, images))


def model_of(
    answers: Callable[[list[Image.Image]], bool] = sees, changed: Mapping[frozenset[str], Any] | None = None
) -> Model:
    """A model that forms, chooses, asks and rates, and answers from the screenshots that `answers` says yes to.

    `changed` are other replies, by the keys of their forms.
    """

    def reply(asked: Asked) -> Script:
        keys = asked_for(asked)
        if changed and keys in changed:
            return says(changed[keys])
        if "groups" in keys:
            segments = re.findall(r"^(\d+)\. document (\d+)", asked.text, re.MULTILINE)
            chosen = [1, int(segments[-1][0])]
            low = {"segments": [1], "score": 2, "rationale": "hardly"}
            return says({"groups": [low, {"segments": chosen, "score": 4, "rationale": "both hold things"}]})
        if "elements" in keys:
            kinds = dict(re.findall(r"^(\d+)\. \((\w+),", asked.text, re.MULTILINE))
            figure = next(int(n) for n, kind in kinds.items() if kind == "picture")
            return says({"elements": [1, figure], "complete": True, "reason": "together"})
        if "answerable" in keys:
            knows = answers(asked.images)
            return says({"answerable": knows, "answer": "nine and forty" if knows else ""})
        return says(FIXED[keys])

    return reply


FIXED: dict[frozenset[str], Any] = {
    frozenset({"subject", "type", "terms", "summary"}): {
        "subject": "Stores",
        "type": "report",
        "terms": ["mill"],
        "summary": "What is stored.",
    },
    frozenset({"question", "answer"}): {"question": FIRST, "answer": "nine and forty"},
    frozenset({"question"}): {"question": SECOND},
    frozenset({"reason", "score"}): {"reason": "the same", "score": 1},
    frozenset({"reason", "question", "answer", "evidence", "difficulty"}): {
        "reason": "good",
        "question": 5,
        "answer": 4,
        "evidence": 3,
        "difficulty": 0,
    },
    frozenset({"category", "template"}): {"category": "Factual Retrieval", "template": "Who keeps {building}?"},
}


def recipe(count: int = 20, seed: int = 0) -> citevqa.PackageRecipe:
    return citevqa.PackageRecipe(count, seed)


Serve = Callable[..., ScriptedServer]
Connect = Callable[..., Client]


@pytest.mark.slow
def test_masking_finds_the_crucial_element(shire: Collection, tmp_path: Path, serve: Serve, client: Connect) -> None:
    """Only the picture holds the answer: it is crucial, the paragraph is supplemental, and the loader reads both."""
    server = serve(model_of())
    made = citevqa.construct(shire, client(server), tmp_path, recipe())
    assert (len(made.rows), made.skipped) == (6, {})
    for row in made.rows:
        assert {e["type"]: e["necessity"] for e in row["Evidence"]} == {"text": "supplemental", "picture": "crucial"}
        assert len({(e["source_doc_index"], e["source_page_id"]) for e in row["Evidence"]}) == 2
        assert (row["Question"], row["Question_Written"]) == (SECOND, FIRST)
        assert row["Quality"] == {"reason": "good", "question": 5, "answer": 4, "evidence": 3}
        assert row["Difficulty"] == 0
        assert row["Linking"] == {"score": 4, "rationale": "both hold things"}
        assert row["dataset_type"] == ("Single-Doc" if len(row["PDF_Source"]) == 1 else "Multi (1-Gold)")
    assert sorted(row["dataset_type"] for row in made.rows) == ["Multi (1-Gold)"] * 4 + ["Single-Doc"] * 2
    gold = TASKS["citevqa"].load(tmp_path, None, tmp_path, None)
    assert (gold.problems, len(gold.questions)) == ((), 6)
    for question in gold.questions:
        assert (len(question.boxes), len(question.more["supplemental"])) == (1, 1)
        assert question.groups["document type"] == ("report",)
        assert question.groups["difficulty"] == ("0",)
    again = citevqa.construct(shire, client(serve(model_of())), tmp_path, recipe())
    assert again.rows == made.rows


@pytest.mark.slow
def test_answers_come_from_screenshots_and_masks_are_grey(
    shire: Collection, tmp_path: Path, serve: Serve, client: Connect
) -> None:
    """What answers sees each element as a picture and none of its text; without documents it sees nothing."""
    server = serve(model_of())
    citevqa.construct(shire, client(server), tmp_path, recipe(count=1))
    answering = [asked for asked in server.asked if "answerable" in asked_for(asked)]
    assert [len(asked.images) for asked in answering] == [2, 2, 0, 2, 2]  # two wordings, closed book, two masks
    assert all(text not in asked.text for asked in answering for text in (MILL[:30], VAULT[:30]))
    assert [sum(map(is_grey, asked.images)) for asked in answering] == [0, 0, 0, 1, 1]
    choosing = next(asked for asked in server.asked if "elements" in asked_for(asked))
    assert is_red(choosing.images[0])


GROUPS, PACKAGE, ASKED = frozenset({"groups"}), frozenset({"elements", "complete", "reason"}), frozenset({"question"})
WRITTEN = frozenset({"question", "answer"})


def drifts(asked: Asked) -> Script:
    """The first wording is answered, the second is not."""
    lost = "answerable" in asked_for(asked) and SECOND in asked.text
    return says({"answerable": False, "answer": ""}) if lost else model_of()(asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "reasons"),
    [
        (model_of(lambda _: True), {"it is answered without a document": 6}),
        (model_of(lambda _: False), {"the screenshots do not answer it": 6}),
        (
            model_of(lambda images: bool(images) and sees(images) | any(map(is_grey, images))),
            {"no element is crucial": 6},
        ),
        (model_of(changed={GROUPS: {"groups": []}}), {"no segments belong together": 6}),
        (
            model_of(changed={GROUPS: {"groups": [{"segments": [1], "score": 5, "rationale": ""}]}}),
            {"the group has evidence of one page": 4, "the group has evidence of one document": 2},
        ),
        (
            model_of(changed={PACKAGE: {"elements": [1], "complete": True, "reason": ""}}),
            {"the package has evidence of one page": 4, "the package has evidence of one document": 2},
        ),
        (
            model_of(changed={PACKAGE: {"elements": [1, 2], "complete": True, "reason": ""}}),
            {"the package has evidence of one kind": 6},
        ),
        (
            model_of(changed={PACKAGE: {"elements": [1, 3], "complete": False, "reason": ""}}),
            {"the package lacks context": 6},
        ),
        (
            model_of(changed={PACKAGE: {"elements": [1, 9], "complete": True, "reason": ""}}),
            {"the package names elements that were not offered": 6},
        ),
        (
            model_of(changed={WRITTEN: {"question": "Who keeps {building}?", "answer": "x"}}),
            {"a placeholder is left in the question": 6},
        ),
        (model_of(changed={ASKED: {"question": FIRST}}), {"its paraphrase says it in the same words": 6}),
        (drifts, {"its paraphrase has another answer": 6}),
    ],
)
def test_what_fails_a_check_is_left_out_by_reason(
    shire: Collection, tmp_path: Path, serve: Serve, client: Connect, model: Model, reasons: dict[str, int]
) -> None:
    made = citevqa.construct(shire, client(serve(model)), tmp_path, recipe())
    assert (made.rows, made.skipped) == ([], reasons)
    assert json.loads((tmp_path / "CiteVQA.json").read_text()) == []


@pytest.mark.slow
def test_replies_that_do_not_come_are_counted(shire: Collection, tmp_path: Path, serve: Serve, client: Connect) -> None:
    """An answer that cannot be judged makes no element crucial; a form that is cut off is no package."""
    usual, judged = model_of(), []

    def tires(asked: Asked) -> Script:
        if "score" in asked_for(asked):
            judged.append(asked)
            return usual(asked) if len(judged) % 3 else fails()
        return usual(asked)

    made = citevqa.construct(shire, client(serve(tires), retries=0), tmp_path, recipe())
    assert (made.rows, made.skipped) == ([], {"an answer could not be judged": 6})

    def breaks(asked: Asked) -> Script:
        return cut_off("{") if "elements" in asked_for(asked) else usual(asked)

    made = citevqa.construct(shire, client(serve(breaks), retries=0), tmp_path, recipe())
    assert (made.rows, made.skipped) == ([], {"the reply cannot be used": 6})


@pytest.mark.slow
def test_a_model_that_sees_too_little_is_refused(
    shire: Collection, tmp_path: Path, serve: Serve, client: Connect
) -> None:
    with pytest.raises(RunRefused, match="takes 1 images"):
        citevqa.construct(shire, client(serve(says("no")), images=1), tmp_path / "data", recipe())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_command_takes_examples_and_writes_conversations(
    shire: Collection, tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, examples = tmp_path / "profile.yaml", tmp_path / "examples.jsonl"
    server = serve(model_of())
    profile.write_text(f"indexing: {{visual: none}}\nrag: {{model: {{base_url: '{server.url}', name: writer}}}}\n")
    examples.write_text('{"question": "Who keeps the mill?"}\n')
    words = ["construct", "citevqa", "--collection", "shire", "--home", str(shire.path.parent)]
    words += ["--profile", str(profile), "--out", str(tmp_path / "data"), "--examples", str(examples)]
    assert command.main([*words, "--count", "3", "--sft", str(tmp_path / "data" / "sft.jsonl")]) == 0
    assert "3 questions" in capsys.readouterr().out
    rows = json.loads((tmp_path / "data" / "CiteVQA.json").read_text())
    assert {row["Template"] for row in rows} == {"Who keeps {building}?"}
    lines = [json.loads(line) for line in (tmp_path / "data" / "sft.jsonl").read_text().splitlines()]
    assert len(lines) == 3
    for row, line in zip(rows, lines, strict=True):
        asked, answer = (message["content"] for message in line["messages"])
        assert [p["image"] for p in asked if p["type"] == "image"] == line["images"]
        assert all((tmp_path / "data" / image).is_file() for image in line["images"])
        (statement,) = read_citevqa(answer[0]["text"]).statements
        gold = [e for e in row["Evidence"] if e["necessity"] == "crucial"]
        assert statement.text == row["Standard_Answer"]
        assert [(r.doc, r.page) for r in statement.regions] == [
            (e["source_doc_index"], e["source_page_id"]) for e in gold
        ]
        assert [round(1000 * v) for v in statement.regions[0].bbox.as_tuple()] == gold[0]["bbox"]
    assert command.main([*words[:-1], str(tmp_path / "none.jsonl")]) == 2

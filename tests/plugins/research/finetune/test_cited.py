"""CiteVQA's conversations are trained on: the prompt as it was made, a reply whose tags are of pages that it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from plugins.research.construct.citevqa.conversations import conversation
from plugins.research.errors import CannotTrain
from plugins.research.finetune.course import Course
from plugins.research.finetune.crops import EpochCrops
from plugins.research.finetune.data import CitedExample, read, split
from rag import read_citevqa
from rag.llm import ModelSettings

SETTINGS = ModelSettings(base_url="http://127.0.0.1:1/v1", name="any")


def row(*, documents: int = 1) -> dict[str, Any]:
    """A made row with evidence on two pages, the second of which is supplemental."""
    evidence = [
        {"source_doc_index": 1, "source_page_id": 3, "bbox": [100, 200, 500, 300], "necessity": "crucial"},
        {"source_doc_index": documents, "source_page_id": 5, "bbox": [1, 2, 3, 4], "necessity": "supplemental"},
    ]
    return {
        "index": "q-1",
        "PDF_Source": [f"{n}.pdf" for n in range(documents)],
        "Question": "How deep is the harbour?",
        "Standard_Answer": "It is 4 m deep.",
        "Evidence": evidence,
    }


def written(folder: Path, made: dict[str, Any], **changed: Any) -> Path:
    """A file with one conversation, and its two pages."""
    places = sorted({(e["source_doc_index"], e["source_page_id"]) for e in made["Evidence"]})
    images = [f"{doc}-{page}.png" for doc, page in places]
    for image in images:
        Image.new("RGB", (448, 576), "white").save(folder / image)
    path = folder / "sft.jsonl"
    path.write_text(json.dumps(conversation(made, places, images) | changed) + "\n")
    return path


@pytest.mark.parametrize("documents", [1, 2])
def test_a_conversation_is_read_as_it_was_made(documents: int, tmp_path: Path) -> None:
    (example,) = read(written(tmp_path, row(documents=documents))).examples
    assert isinstance(example, CitedExample)
    names = ["Page 3:", "Page 5:"] if documents == 1 else ["Document 1, page 3:", "Document 2, page 5:"]
    assert example.content[::2][:2] == tuple(names)
    message = example.asked(SETTINGS)
    assert [getattr(part, "size", "text") for part in message.parts] == ["text", (448, 576), "text", (448, 576), "text"]
    assert "How deep is the harbour?" in str(message.parts[-1])
    (statement,) = read_citevqa(example.reply(SETTINGS)).statements
    assert statement.text == "It is 4 m deep."
    assert [(r.doc, r.page, r.bbox.as_tuple()) for r in statement.regions] == [(1, 3, (0.1, 0.2, 0.5, 0.3))]


def test_its_pages_are_never_cropped(tmp_path: Path) -> None:
    (example,) = read(written(tmp_path, row())).examples
    assert EpochCrops([example], Course(crops=1.0)).seen(0, 0) is example


def test_lines_of_both_forms_are_split_alike(tmp_path: Path) -> None:
    path = written(tmp_path, row())
    path.write_text(path.read_text() * 4)
    kept, held_out = split(read(path), 0.25, 0)
    assert (len(kept), len(held_out)) == (3, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"question": "Another?"}, "not the one that `vouch eval construct` writes"),
        ({"images": ["1-3.png"]}, "not the one that `vouch eval construct` writes"),
        ({"messages": []}, "not consist of one message of the user and one of the assistant"),
        (
            {"answer": 'It is deep. <bbox page="4" x1="1" y1="1" x2="9" y2="9" />'},
            "a page that its prompt does",
        ),
        ({"answer": "It is deep."}, "cites no page"),
        ({"answer": 'It is deep. <bbox page="3" x1="9" y1="1" x2="2" y2="9" />'}, "cannot be read"),
        ({"answer": 'It is <|im_end|>. <bbox page="3" x1="1" y1="1" x2="9" y2="9" />'}, "token of a chat template"),
    ],
)
def test_a_line_that_is_not_whole_is_named(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = written(tmp_path, row(), **{k: v for k, v in changed.items() if k != "answer"})
    if "answer" in changed:
        told = json.loads(path.read_text())
        told["messages"][1]["content"] = [{"type": "text", "text": changed["answer"]}]
        path.write_text(json.dumps(told))
    with pytest.raises(CannotTrain, match="contains no conversation") as error:
        read(path)
    assert said in str(error.value)


def test_a_page_that_is_missing_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, row())
    (tmp_path / "1-5.png").unlink()
    with pytest.raises(CannotTrain, match=r"1-5\.png is missing"):
        read(path)

"""`vouch eval construct questions`: which pages are asked about, what is kept, and that `vouch eval` can ask it."""

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.tasks import TASKS
from indexing import BBox, Collection
from plugins.research import own_questions
from plugins.research.errors import LeftOut
from plugins.research.own_questions import KINDS, _QuestionForm, pages_in_turn, proof
from rag.attribution.words import find_quotes
from rag.llm import Capacity
from tests.support.asking import Client
from tests.support.library import indexed_samples
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

NUMBER = re.compile(r"(?<![\d.,])\d{2,}(?![\d.,])")


def asks(asked: Asked) -> Script:
    """A model that asks about the first number of a page, puts 1066 for it, and finds no page that says this."""
    wanted = (asked.schema or {})["properties"]
    if "answered" in wanted:
        return says({"answered": False})
    if "changed" in wanted:
        return says({"changed": "year", "question": f"What happened in 1066 ({len(asked.text)})?"})
    lines = [line.removeprefix("| ") for line in asked.text.splitlines() if line.startswith("| ")]
    line, number = next(((line, found) for line in lines if (found := NUMBER.search(line))), ("", None))
    if number is None:
        return says({"question": "", "answer": "", "quote": ""})
    quote = line[max(0, number.start() - 60) : number.end()].partition(" ")[2] or number[0]
    about = line[:40].replace(number[0], "so many")
    return says({"question": f"How many: {about}?", "answer": number[0], "quote": quote})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed_samples(), tmp_path / "home"))


def profile_of(server: ScriptedServer, folder: Path) -> str:
    file = folder / "profile.yaml"
    file.write_text(f"rag: {{model: {{base_url: '{server.url}', name: writer, images: 1}}}}\n")
    return str(file)


@pytest.mark.slow
@pytest.mark.gate
def test_a_set_is_made_continued_and_measured(
    home: Path, tmp_path: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    """Quotes stand at their boxes, a page is asked about once, and the questions are asked of the collection."""
    server = serve(asks)
    out = tmp_path / "set"
    words = ["construct", "questions", "--collection", "samples", "--home", str(home), "--out", str(out)]
    words += ["--profile", profile_of(server, tmp_path), "--unanswerable", "0.5", "--count"]
    assert main([*words, "2"]) == 0
    assert all(len(asked.images) == 1 for asked in server.asked if "changed" not in asked.schema["properties"])
    before = (out / "questions.jsonl").read_text()
    assert main([*words, "4"]) == 0
    said = capsys.readouterr().out
    assert "6 questions, 2 of which no page answers" in said
    assert f"measure: vouch eval questions --data {out} --collection samples --home {home} --out RUN" in said
    text = (out / "questions.jsonl").read_text()
    assert text.startswith(before)
    rows = [json.loads(line) for line in text.splitlines()]
    with Collection.open("samples", home) as samples:
        for row in (row for row in rows if row["answer"]):
            box = BBox(*row["boxes"][0]["bbox"])
            at = [
                e for e in samples.page_elements(row["document_id"], row["page"]) if e.bbox.iou(box) or box.iou(e.bbox)
            ]
            assert any(find_quotes(e.text, row["quote"]) for e in at)
            assert find_quotes(row["quote"], row["answer"])
    assert len({(row["document_id"], row["page"]) for row in rows}) == 4
    gold = TASKS["questions"].load(out, None, tmp_path, None)
    assert (gold.problems, [q.qid for q in gold.questions]) == ((), [row["id"] for row in rows])
    measured = ["questions", "--data", str(out), "--home", str(home), "--out", str(tmp_path / "run"), "--mode", "text"]
    assert main([*measured, "--collection", "samples"]) == 0
    figures = json.loads((tmp_path / "run" / "summary.json").read_text())["figures"]["all"]
    assert figures["R@5"]["n"] == 4
    assert figures["rightly abstained"]["n"] == 2
    assert main([*measured[:-1], "text", "--collection", "empty", "--resume"]) == 2
    assert "name the collection that holds them with --collection" in capsys.readouterr().err


def test_pages_come_evenly_over_documents_and_kinds(samples: Collection) -> None:
    every = list(pages_in_turn(samples, (), random.Random(1)))
    assert len({page for _, page in every}) == len(every)
    first = list(islice(every, 6))
    assert [kind for kind, _ in first[:3]] == list(KINDS)
    assert max(Counter(doc_id for _, (doc_id, _) in first).values()) == 1, "seven documents, six pages"
    left = list(pages_in_turn(samples, [page for _, page in first], random.Random(1)))
    assert {page for _, page in left} == {page for _, page in every[6:]}
    for kind, (doc_id, number) in every:
        assert any(e.kind in KINDS[kind] for e in samples.page_elements(doc_id, number))


def words_of(samples: Collection) -> tuple[Any, str]:
    """A paragraph of the samples, and its first ten words."""
    document = samples.documents()[0]
    element = next(e for e in samples.page_elements(document.id, 1) if e.kind == "text" and len(e.text) > 120)
    return element, " ".join(element.text.split()[:10])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"question": " "}, "nothing to ask about"),
        ({"answer": "Napoleon"}, "the answer is not in the quote"),
        ({"quote": "a quote that stands nowhere", "answer": "nowhere"}, "the quote is not on the page"),
    ],
)
def test_what_is_not_proven_is_left_out(samples: Collection, change: dict[str, str], reason: str) -> None:
    element, quote = words_of(samples)
    values = {"question": "Which?", "answer": quote.split()[-1], "quote": quote} | change
    with pytest.raises(LeftOut, match=reason):
        proof(_QuestionForm(**values), [element])


class Interrupted:
    """A model at which a person presses Ctrl-C once it has written a question."""

    name, capacity = "interrupted", Capacity(8000, 0)

    def __init__(self, model: Client) -> None:
        self._model, self._asked = model, 0

    def complete(self, *told: Any, **more: Any) -> Any:
        self._asked += 1
        if self._asked > 1:
            raise KeyboardInterrupt
        return self._model.complete(*told, **more)


def test_ctrl_c_keeps_what_was_made(
    home: Path,
    tmp_path: Path,
    serve: Callable[..., ScriptedServer],
    client: Callable[..., Client],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = serve(asks)
    monkeypatch.setattr(own_questions, "model_of", lambda *_: Interrupted(client(server)))
    words = ["construct", "questions", "--collection", "samples", "--home", str(home), "--out", str(tmp_path / "set")]
    assert main([*words, "--profile", profile_of(server, tmp_path), "--unanswerable", "0"]) == 130
    said = capsys.readouterr()
    assert "1 questions" in said.out
    assert "the same command continues" in said.err

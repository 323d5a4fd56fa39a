"""A verifier calibrated on whole answers that a judge scored, in the form of `vouch eval written`."""

import hashlib
import json
from pathlib import Path

import pytest

from indexing import BBox, Collection, Document, Element, Page, ParsedPage
from indexing.embed.minilm import MiniLM
from plugins.models.judged import LEAST, answer_reader
from plugins.models.library import installed_models
from tests.support import documents, fakes
from tests.support.cross_encoder_files import make_token_classifier
from ui.cli import main

LINES = ("The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar.")
TRUE = "Let me look at the page.\n\n## Answer\n\nThe mill was built in 1887 by Anna Holm [1]. Nine barrels lie there."
FALSE = "The mill was built in 1999 by Anna Holm. Nine barrels lie there."


@pytest.fixture
def gold(tmp_path: Path, home: Path) -> Path:
    """A question of MMDocIR about a document of one page, which is in the collection `eval`."""
    (tmp_path / "pdfs").mkdir()
    pdf = documents.pdf(tmp_path / "pdfs" / "mill.pdf", LINES)
    digest = hashlib.sha256(pdf.read_bytes()).hexdigest()
    document = Document(digest[:16], pdf.name, "", 1, digest, str(pdf), 2)
    with fakes.collection(home, MiniLM(), "eval").writer() as writer:
        boxes = [BBox(0, n / 9, 1, (n + 1) / 9) for n in range(2)]
        found = [Element(f"e{n}", document.id, 1, "text", LINES[n], box, "layer") for n, box in enumerate(boxes)]
        writer.add(ParsedPage(Page(document.id, 1, 420, 595), tuple(found)))
        writer.finish(document, pdf)
        writer.flush()
    question = {"qid": "q1", "question": "When was the mill built?", "answer": "1887", "pages": [1], "boxes": []}
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps({"doc": "mill.pdf", "domain": "d", "questions": [question]}))
    return path


def line(response: str, judge: object, qid: str = "q1") -> str:
    return json.dumps({"qid": qid, "doc": "mill.pdf", "model": "m", "response": response, "judge": judge})


def test_an_answer_is_held_against_its_gold_pages(gold: Path, home: Path) -> None:
    reader = answer_reader(gold, Collection.open("eval", home))
    read = reader(line(TRUE, {"Factuality": 4, "Fluency": "high"}))
    assert read is not None
    assert read.claims == ("The mill was built in 1887 by Anna Holm.", "Nine barrels lie there.")
    assert (read.texts, read.supported) == (("\n".join(LINES),), True)
    assert not getattr(reader(line(FALSE, {"Factuality": 3})), "supported", True)
    unread = (line(TRUE, None), line(TRUE, {"Factuality": None}), line(TRUE, {"Factuality": 5}, "q2"), line("##", {}))
    assert [reader(each) for each in unread] == [None] * len(unread)


def test_a_verifier_is_calibrated_on_answers_that_a_judge_scored(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_token_classifier(tmp_path / "marks", [*LINES, TRUE, FALSE], never=["1999"])
    assert main(["models", "import", str(made.folder)]) == 0
    answers = tmp_path / "written.jsonl"
    rows = [line(TRUE, {"Factuality": 5}), line(FALSE, {"Factuality": 1}), line(TRUE, None)] * LEAST
    answers.write_text("\n".join(rows))
    calibrate = ["models", "calibrate", "marks", "--pairs", str(answers), "--gold", str(gold), "--collection", "eval"]
    assert main(calibrate) == 0
    shown = capsys.readouterr().out
    assert f"{2 * LEAST} answers, of which {LEAST} are supported" in shown
    assert "100% of the confirmed claims are right, 100% of the supported ones are confirmed" in shown
    assert 0 < installed_models()[0].settings["threshold"] < 1

"""`vouch eval mmdocir` from gold file to table: on two small documents, indexed once by a first run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as harness
from evaluation.harness import ask as asking
from evaluation.harness.plan import Variant
from evaluation.harness.predictions import Predictions
from evaluation.tasks import mmdocir
from indexing import Collection
from rag import Pipeline, load_profile
from tests.support import documents

MILL = ["The mill at Harrow grinds nine sacks of barley every day.", "Its keeper is called Agnes Tull."]
VAULT = ["The vault under the town hall holds forty barrels of cider.", "It was dug in the year 1844."]
WHOLE = [0.0, 0.0, 1.0, 1.0]

pytestmark = pytest.mark.slow


def asked(qid: str, question: str, answer: str, page: int = 1) -> dict[str, Any]:
    boxes = [{"page": page, "bbox": WHOLE}]
    return {"qid": qid, "question": question, "answer": answer, "modality": "[]", "pages": [page], "boxes": boxes}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two documents, a gold file, a profile, and the home of their collection."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "pdfs").mkdir()
    documents.pdf(folder / "pdfs" / "mill.pdf", ["An empty page but for this line about nothing."], MILL)
    documents.pdf(folder / "pdfs" / "vault.pdf", VAULT)
    questions = [
        asked("m1", "How many sacks of barley does the mill grind every day?", "nine", 2),
        asked("m2", "How many barrels of cider does the vault under the town hall hold?", "forty", 2),
        asked("m3", "?!", "42", 2),
    ]
    rows = [
        {"doc": "mill.pdf", "domain": "Farming", "questions": questions},
        {"doc": "gone.pdf", "domain": "Farming", "questions": [asked("g1", "Where?", "there")]},
        {"doc": "vault.pdf", "domain": "Towns", "questions": [asked("v1", "When was the vault dug?", "1844")]},
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "profile.yaml").write_text("indexing: {workers: 1, visual: none, pixels: pages}\n")
    assert measure(folder, "--limit", "1", "--out", str(folder / "first")) == 0
    return folder


def measure(place: Path, *options: str) -> int:
    command = ["mmdocir", "--data", place / "gold.jsonl", "--documents", place / "pdfs"]
    command += ["--home", place / "home"]
    profile = ["--profile", place / "profile.yaml"]
    defaults = [] if "--mode" in options else ["--mode", "text"]
    defaults += [] if "--collection" in options else ["--collection", "eval"]
    return harness.main([str(word) for word in (*command, *profile, *defaults, *options)])


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["qid"]: row for row in map(json.loads, (folder / "predictions.jsonl").read_text().splitlines())}


@pytest.mark.gate
def test_every_question_becomes_a_line_and_the_summary_says_what_was_left_out(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert measure(place, "--out", str(tmp_path / "p"), "--by", "domain") == 0
    found = rows(tmp_path / "p")
    assert list(found) == ["m1", "m2", "m3", "v1"]
    assert found["m1"]["ranked_pages"][0] == 2
    assert "nine" in found["m1"]["answer"]
    assert found["m1"]["citations"][0]["page"] == 2
    assert found["m3"]["abstained"]
    assert "word" in found["m3"]["error"]
    summary = json.loads((tmp_path / "p" / "summary.json").read_text())
    assert summary["left_out"]["questions"] == 1
    assert "gone.pdf" in summary["left_out"]["reasons"][0]
    assert (summary["questions"], summary["failed"]) == (4, 1)
    assert set(summary["figures"]) == {
        "all", "modality: unlabelled", "domain: Farming", "domain: Towns", "pages: text",
    }  # fmt: skip
    assert summary["figures"]["domain: Towns"]["R@1"] == {"value": 100.0, "error": None, "n": 1}
    printed = capsys.readouterr()
    assert "gold.jsonl, line 2: gone.pdf is not in" in printed.err
    assert f", settings {summary['settings_hash']}; questions left out: 1" in " ".join(printed.out.split())
    assert "R@1" in printed.out
    assert "Farming" in printed.out


def test_in_scope_document_only_its_own_pages_are_found(place: Path, tmp_path: Path) -> None:
    measure(place, "--scope", "document", "--out", str(tmp_path / "p"))
    assert all(0 not in row["ranked_pages"] for row in rows(tmp_path / "p").values())


def test_in_scope_collection_what_is_of_another_document_is_page_0(place: Path, tmp_path: Path) -> None:
    measure(place, "--scope", "collection", "--out", str(tmp_path / "p"))
    row = rows(tmp_path / "p")["m2"]
    assert row["ranked_pages"][0] == 0
    assert row["ranked_boxes"][0]["page"] == 0
    assert "forty" in row["answer"]
    assert {citation["page"] for citation in row["citations"]} == {0}


def test_a_run_is_continued_by_the_same_settings_only(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p"
    measure(place, "--limit", "2", "--out", str(out))
    file = out / "predictions.jsonl"
    begun = file.read_bytes()
    assert measure(place, "--out", str(out)) == 2
    assert measure(place, "--resume", "--scope", "collection", "--out", str(out)) == 2
    assert "was made with other settings" in capsys.readouterr().err
    assert file.read_bytes() == begun
    assert measure(place, "--resume", "--parallel", "3", "--out", str(out)) == 0
    assert file.read_bytes().startswith(begun)
    assert list(rows(out)) == ["m1", "m2", "m3", "v1"]


def test_the_collection_is_searched_only_where_the_gold_file_has_documents(place: Path, tmp_path: Path) -> None:
    """With --limit-docs the other document is in the collection, but out of scope."""
    measure(place, "--scope", "collection", "--limit-docs", "1", "--out", str(tmp_path / "p"))
    assert {page for row in rows(tmp_path / "p").values() for page in row["ranked_pages"]} == {1}


def test_ctrl_c_leaves_whole_lines(place: Path, tmp_path: Path) -> None:
    class Stopped(Predictions):
        """The reader presses Ctrl-C while the second question is asked."""

        def add(self, row: Any) -> None:
            if self.rows:
                raise KeyboardInterrupt
            super().add(row)

    profile = load_profile(str(place / "profile.yaml"))
    gold = mmdocir.read(place / "gold.jsonl", place / "pdfs")
    pipeline = Pipeline(Collection.open("eval", place / "home", profile.indexing), profile.rag)
    with Stopped(tmp_path / "p" / "predictions.jsonl", "r1", resume=False) as predictions:
        assert not asking.ask(pipeline, asking.AnswerRun("text", predictions), gold.questions, None)
    assert list(rows(tmp_path / "p")) == ["m1"]


HARNESS = """
import signal, sys
from evaluation.cli import main

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us deaf to it
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.gate
def test_ctrl_c_while_indexing_exits_with_130_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """Pressed in a terminal, which tells the workers too, once the first page is there."""
    (tmp_path / "pdfs").mkdir()
    documents.pdf(tmp_path / "pdfs" / "long.pdf", *([f"Page {n} of the ledger."] for n in range(1, 25)))
    row = {"doc": "long.pdf", "domain": "Farming", "questions": [asked("l1", "Which page is it?", "the ledger")]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row))
    (tmp_path / "profile.yaml").write_text("indexing: {workers: 1, visual: none}\n")
    (tmp_path / "harness.py").write_text(HARNESS)
    out = tmp_path / "p"
    words = [
        "mmdocir",
        "--data",
        tmp_path / "gold.jsonl",
        "--documents",
        tmp_path / "pdfs",
        "--home",
        tmp_path / "home",
    ]
    words += ["--profile", tmp_path / "profile.yaml", "--mode", "text", "--out", out]
    root = Path(harness.__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, tmp_path / "harness.py", *words], cwd=root, env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    said = b""
    while b"indexing: 1/" not in said:
        more = os.read(process.stderr.fileno(), 4096)
        assert more, said
        said += more
    os.killpg(process.pid, signal.SIGINT)
    _, rest = process.communicate()
    assert process.returncode == 130, rest
    assert b"indexing was stopped: run the same command again to continue" in rest
    assert [(path.name, path.read_bytes()) for path in out.iterdir()] == [("predictions.jsonl", b"")]
    assert harness.main([*map(str, words), "--resume"]) == 0
    assert list(rows(out)) == ["l1"]


def test_a_mode_that_the_collection_cannot_serve_is_told_before_anything_is_asked(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert measure(place, "--mode", "text", "image", "--out", str(tmp_path / "runs")) == 2
    assert "visual embedder" in capsys.readouterr().err
    assert [path.read_bytes() for path in (tmp_path / "runs").glob("*/*")] == [b"", b""]


def test_modes_are_shown_side_by_side(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a new collection, which gets a visual embedder for them although the profile names none."""
    options = ("--mode", "text", "image", "--collection", "seen", "--limit-docs", "1", "--markdown")
    assert measure(place, *options, "--out", str(tmp_path)) == 0
    assert "| % | text | image |" in capsys.readouterr().out
    found = {mode: rows(tmp_path / mode) for mode in ("text", "image")}
    assert [row["ranked_pages"] for of in found.values() for row in of.values()] == [[1], [1]]
    assert found["text"]["v1"]["run"] != found["image"]["v1"]["run"]


def test_settings_and_scope_make_another_run_and_workers_do_not(place: Path) -> None:
    gold = mmdocir.read(place / "gold.jsonl", place / "pdfs")
    profile = load_profile(str(place / "profile.yaml"))
    busier = profile.model_copy(update={"indexing": profile.indexing.model_copy(update={"workers": 7})})
    stricter = profile.model_copy(update={"rag": profile.rag.model_copy(update={"top_k": 3})})
    own = asking.run_hash(gold, Variant("v", "text", profile), "document")
    assert asking.run_hash(gold, Variant("w", "text", busier), "document") == own
    others = {
        asking.run_hash(gold, Variant("v", "text", stricter), "document"),
        asking.run_hash(gold, Variant("v", "text", profile), "collection"),
        asking.run_hash(gold, Variant("v", "multi", profile), "document"),
        asking.run_hash(gold, Variant("v", "text", profile, given="gold-pages"), "document"),
        asking.run_hash(gold, Variant("v", "text", profile, base="image"), "document"),
    }
    assert len(others | {own}) == 6

"""`vouch eval mmdocir` from gold file to table: on two small documents, indexed once by a first run."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as harness
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
def test_every_question_becomes_a_line(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_only_the_same_settings_continue_a_run(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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

"""Pages that are given in place of a search, with citations inline."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

Serve = Callable[..., ScriptedServer]
RIGHT = 'It grinds nine sacks.\n<bbox page="2" x1="60" y1="80" x2="900" y2="125" />'
ELSEWHERE = 'It holds forty barrels.\n<bbox doc="1" page="2" x1="60" y1="600" x2="900" y2="700" />'


def run(tmp_path: Path, server: ScriptedServer, *more: str, task: str = "citevqa", images: int = 8) -> int:
    model = {"base_url": server.url, "name": "scripted", "concurrency": 1, "retries": 0, "images": images}
    settings = {"indexing": {"workers": 1, "visual": "none"}, "rag": {"model": model}}
    (tmp_path / "profile.yaml").write_text(json.dumps(settings))
    data = tmp_path / "data"
    if not data.exists():
        getattr(data_sets, task)(data)
    words = [task, "--data", str(data), "--out", str(tmp_path / "run"), "--home", str(tmp_path / "home"), "--inline"]
    return command.main([*words, "--profile", str(tmp_path / "profile.yaml"), *more])


def replies(asked: Asked) -> Script:
    """A model that cites the right place of one document and a wrong one of several, and a judge of both."""
    if "You grade an answer" in asked.text:
        return says({"reason": "All of it.", "score": 5})
    if "You judge how well a region" in asked.text:
        return says({"reason": "Fits.", "score": 5 if "It grinds" in asked.text else 2})
    return says(ELSEWHERE if "doc=" in asked.text else RIGHT)


@pytest.mark.slow
@pytest.mark.gate
def test_pages_go_in_boxes_come_out_and_saa_is_that_of_the_paper(serve: Serve, tmp_path: Path) -> None:
    """Both answers are right (Ans 5). The first meets its crucial box: Rec 1, Rel 5, so SAA 1. The second cites an
    empty place: Rec 0 < 0.6 and Rel 2 < 4, so SAA 0. Means in percent: Rec 50, Ans 100, Rel (5 + 2) / 2 / 5 = 70, SAA
    50 (section 4 of arXiv 2605.12882).
    """
    server = serve(replies)
    assert run(tmp_path, server, "--judge", str(tmp_path / "profile.yaml")) == 0
    single, several = (asked for asked in server.asked if "Above are all pages" in asked.text)
    assert [part["text"] for part in single.parts if part["type"] == "text"][:2] == ['page="1"', 'page="2"']
    assert len(single.images) == 2
    assert '<bbox page="..." x1="..." y1="..." x2="..." y2="..." />' in single.text
    assert several.text.startswith('doc="1" page="1"\ndoc="1" page="2"\ndoc="2" page="1"\n')
    assert len(several.images) == 3
    assert '<bbox doc="..." page="..."' in several.text
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    figures = {name: summary["figures"]["all"][name]["value"] for name in ("Rec", "Rel", "Ans", "SAA")}
    assert figures == {"Rec": 50, "Rel": pytest.approx(70), "Ans": 100, "SAA": 50}
    assert (summary["inline"], summary["input"], summary["mode"]) == (True, "documents", "text")
    written = [json.loads(line) for line in (tmp_path / "run" / "outputs.jsonl").read_text().splitlines()]
    assert written[0] == {"index": "1", "model_predict": f"{RIGHT}\n"}


@pytest.mark.parametrize(
    ("task", "options", "named"),
    [
        ("mmdocir", (), "task mmdocir does not ask for boxes in the answer: leave out --inline"),
        ("citevqa", ("--method", "cot"), "has the model draw the boxes: leave out --method"),
        ("citevqa", ("--input", "retrieved"), "has the model draw the boxes: leave out --input retrieved"),
    ],
)
def test_what_does_not_fit_is_refused(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str, options: tuple[str, ...], named: str
) -> None:
    assert run(tmp_path, serve(), *options, task=task) == 2
    assert named in capsys.readouterr().err


PLACE = re.compile(r"^Page (\d+) of document (\d+)", re.MULTILINE)


def run_of_given(tmp_path: Path, server: ScriptedServer, task: str, data: Path, *more: str, **indexing: Any) -> int:
    """Run a benchmark in `tmp_path` with the model at `server`."""
    model = {"base_url": server.url, "name": "scripted", "concurrency": 1, "retries": 0}
    rag = {"judge": "rules", "model": model, "print_check": False}
    settings = {"indexing": {"workers": 1, "visual": "none", **indexing}, "rag": rag}
    (tmp_path / "profile.yaml").write_text(json.dumps(settings))
    words = [task, "--data", str(data), "--out", str(tmp_path / "run"), "--home", str(tmp_path / "home")]
    return command.main([*words, "--profile", str(tmp_path / "profile.yaml"), "--method", "vanilla", *more])


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["qid"]: row for row in map(json.loads, (folder / "predictions.jsonl").read_text().splitlines())}


@pytest.mark.parametrize(
    ("task", "options", "named"),
    [
        ("mmdocir", ("--input", "gold-pages"), "task mmdocir has no --input gold-pages (it has: retrieved)"),
        ("citevqa", ("--input", "nothing"), "(it has: retrieved, documents, gold-documents, gold-pages)"),
        ("citevqa", ("--base", "text"), "task citevqa has no base of texts and images"),
        (
            "citevqa", ("--input", "documents", "--method", "quote"),
            "--input documents works only with a model that writes",
        ),
        ("mavis", ("--texts", "2"), "--texts 2 adds texts to images: use it with --base image"),
        ("mavis", ("--base", "image", "--texts", "-1"), "--texts -1 is below 0"),
        ("citevqa", ("--resolution", "100"), "--resolution 100 is not between 256 and 4096"),
    ],
)  # fmt: skip
def test_what_a_task_lacks_is_refused_by_name(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str, options: tuple[str, ...], named: str
) -> None:
    assert run_of_given(tmp_path, serve(), task, getattr(data_sets, task)(tmp_path / "data"), *options) == 2
    assert named in capsys.readouterr().err

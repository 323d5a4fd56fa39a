"""CiteVQA as its paper asks it (--inline): page images in, an answer with boxes out, scored by SAA."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

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

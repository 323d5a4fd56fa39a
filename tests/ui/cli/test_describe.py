"""`vouch index --extract`: what it prints, what it refuses, what is asked once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from indexing import IndexReport
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from tests.support.writers import said
from ui.cli import parser as cli
from ui.cli.index import _print_report

BUILT, TOWER = "The lighthouse was built in 1887 by Anna Holm.", "A tower is seen."
SEEN = {"kind": "photograph", "shows": "A lighthouse.", "axes": "", "facts": [], "seen": ["a tower"]}


@pytest.fixture
def pictured(tmp_path: Path) -> Path:
    """A page of text with a photograph on it, which has a caption."""
    noise = np.random.default_rng(7).integers(0, 255, (300, 400, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    with pymupdf.open() as document:
        page = document.new_page(width=420, height=595)
        page.insert_text((50, 70), "The lighthouse was built in 1887 by Anna Holm.", fontsize=11)
        page.insert_image((50, 150, 350, 375), filename=tmp_path / "noise.png")
        page.insert_text((50, 392), "Figure 1: The lighthouse and its tower.", fontsize=9)
        document.save(tmp_path / "lighthouse.pdf")
    return tmp_path / "lighthouse.pdf"


def profile(folder: Path, url: str) -> str:
    path = folder / "served.yaml"
    path.write_text(f"rag:\n  model: {{base_url: {url}, name: scripted, retries: 0}}\n", encoding="utf-8")
    return str(path)


def extracting(asked: Asked) -> Script:
    assert len(asked.images) == 1
    return says(SEEN)


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_an_address_and_a_name_give_a_checked_answer_from_text_and_pictures(
    pictured: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    """The promise of docs/serving.md: nothing else in the profile, and every part of the way has its turn."""

    def replies(asked: Asked) -> Script:
        form = (asked.schema or {})["properties"]
        if "shows" in form:
            return says(SEEN)
        if list(form) == ["facts"]:
            return says({"facts": [BUILT]})
        if "score" in form:
            return says({"reason": "it is one", "score": "1"})
        labels = re.findall(r"^\[(E\d+)\] (paragraph|figure)\b", asked.text, re.MULTILINE)
        paragraph, figure = ([label for label, kind in labels if kind == wanted] for wanted in ("paragraph", "figure"))
        return says(said((BUILT, paragraph), (TOWER, figure), find=paragraph, extract=[]))

    server = serve(replies)
    path = pictured.parent / "served.yaml"
    path.write_text(f"rag:\n  model:\n    base_url: {server.url}\n    name: scripted\n", encoding="utf-8")
    assert cli.main(["index", str(pictured), "--workers", "1"]) == 0
    capsys.readouterr()
    ask = ["ask", "Who built the lighthouse?", "--profile", str(path)]
    assert cli.main([*ask, "--mode", "multi", "--method", "cot", "--extract"]) == 0
    out = capsys.readouterr().out
    assert f"{BUILT} [1] " in out
    assert f"{TOWER} [2] " in out
    assert "[2] lighthouse.pdf, page 1, figure" in out
    assert f"{len(server.asked)} calls" in out
    *extracted, written, judged = server.asked
    assert "| photograph: A lighthouse." in written.text
    assert f"| - {BUILT}" in written.text
    assert f"| {TOWER}" in judged.text
    assert not any("Who built" in request.text for request in extracted)
    assert {len(request.images) for request in extracted} == {0, 1}
    assert [(bool(request.body.get("stream")), len(request.images)) for request in (written, judged)] == [
        (True, 0),
        (False, 1),
    ]


def test_a_long_list_of_problems_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    _print_report(IndexReport("c", (), 0.1), 1, (9, [f"a.pdf, page {n}: no" for n in range(8)]), as_json=False)
    lines = capsys.readouterr().out.splitlines()[-6:]
    assert lines == [*(f"Not described: a.pdf, page {n}: no" for n in range(5)), "and 3 more"]

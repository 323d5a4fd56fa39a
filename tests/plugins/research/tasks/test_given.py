"""Given evidence: what a model is shown for each input, base and K, and an answer without any source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer

Serve = Callable[..., ScriptedServer]
PLACE = re.compile(r"^Page (\d+) of document (\d+)", re.MULTILINE)


def run(tmp_path: Path, server: ScriptedServer, task: str, data: Path, *more: str, **indexing: Any) -> int:
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
            "citevqa",
            ("--input", "documents", "--method", "quote"),
            "--input documents works only with a model that writes",
        ),
        ("mavis", ("--texts", "2"), "--texts 2 adds texts to images: use it with --base image"),
        ("mavis", ("--base", "image", "--texts", "-1"), "--texts -1 is below 0"),
        ("citevqa", ("--resolution", "100"), "--resolution 100 is not between 256 and 4096"),
    ],
)
def test_what_a_task_lacks_is_refused_by_name(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str, options: tuple[str, ...], named: str
) -> None:
    assert run(tmp_path, serve(), task, getattr(data_sets, task)(tmp_path / "data"), *options) == 2
    assert named in capsys.readouterr().err

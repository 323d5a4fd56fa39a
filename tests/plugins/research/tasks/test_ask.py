"""A benchmark answered by a model: what is sent, what comes back, and that no answer is asked for twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation import cli as command
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says


@pytest.mark.slow
@pytest.mark.gate
def test_mavis_with_an_image_is_answered_by_a_model(serve: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    """The image goes with its question. Before the first question the model was looked up, and nothing was asked."""
    data = data_sets.mavis(tmp_path / "data", data_sets.mavis_row("a3", image="ferry.png"))
    looked_up: list[int] = []

    def reply(asked: Asked) -> Script:
        looked_up.append(len(server.looked_up))
        wanted = "forty barrels" if "the ferry leave" in asked.text else "nine sacks"
        (mill,) = re.findall(rf"(E\d+)(?:(?!E\d).)*{wanted}", asked.text, re.DOTALL)
        return says({"answerable": True, "sentences": [{"text": data_sets.MILL[0], "labels": [mill]}]})

    server = serve(reply)
    model = {"base_url": server.url, "name": "scripted", "concurrency": 1, "retries": 0}
    settings = {"indexing": {"workers": 1, "visual": "none"}, "rag": {"judge": "rules", "model": model}}
    (tmp_path / "profile.yaml").write_text(json.dumps(settings))
    words = ["mavis", "--data", str(data), "--out", str(tmp_path / "run"), "--home", str(tmp_path / "home")]
    assert command.main([*words, "--profile", str(tmp_path / "profile.yaml"), "--method", "vanilla"]) == 0
    assert looked_up == [1, 1, 1]
    plain, _, attached = (len(asked.images) for asked in server.asked)
    assert attached == plain + 1
    lines = map(json.loads, (tmp_path / "run" / "predictions.jsonl").read_text().splitlines())
    rows = {row["qid"]: row for row in lines}
    assert [row["answer"] for row in rows.values()] == [data_sets.MILL[0]] * 3
    named = {qid: row["evidence"][row["drafts"][0]["named"][0]]["document"] for qid, row in rows.items()}
    cited = {qid: row["cited"][0]["document"] for qid, row in rows.items()}
    assert named["a1"] == cited["a1"] == cited["a2"]  # checking gave the right place to a sentence that named another
    assert named["a2"] != cited["a2"]
    assert {s["verdict"] for s in rows["a3"]["sentences"]} == {"confirmed"}
    scored = map(json.loads, (tmp_path / "run" / "scores.jsonl").read_text().splitlines())
    figures = {row["qid"]: row["figures"] for row in scored}
    assert figures["a3"]["Recall@100 text"] == 1
    assert figures["a3"]["Utilization text"] > 0
    assert figures["a2"]["abstained"] == 0

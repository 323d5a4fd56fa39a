"""A run whose judges refuse, go away or come later: what is known is scored, and the rest is asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, refuses, says

Serve = Callable[..., ScriptedServer]


def judge(folder: Path, server: ScriptedServer, name: str) -> str:
    """A profile whose model, of that name, judges."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.yaml"
    path.write_text(f"rag: {{model: {{base_url: '{server.url}', name: {name}, retries: 0, concurrency: 1}}}}\n")
    return str(path)


def run(folder: Path, *more: str) -> int:
    """Score another system's two answers, which cite nothing: Ans is all that there is to judge."""
    data, said = folder / "data", folder / "said.jsonl"
    if not data.exists():
        rows = [{"index": "1", "model_predict": "Nine sacks."}, {"index": "2", "model_predict": "Forty barrels."}]
        data_sets.citevqa(data)
        data_sets.lines(said, *rows)
    words = ["citevqa", "--data", str(data), "--predictions", str(said), "--out", str(folder / "run")]
    return command.main([*words, "--home", str(folder / "home"), *more])


def answers(folder: Path) -> dict[str, Any]:
    rows = map(json.loads, (folder / "run" / "scores.jsonl").read_text().splitlines())
    return {row["qid"]: row["figures"]["Ans"] for row in rows}


def summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run" / "summary.json").read_text())
    return found


def giving(score: float) -> Script:
    return says({"reason": "So it is.", "score": score})


def test_an_answer_that_the_judge_refuses_stays_blank_and_the_others_are_scored(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda asked: refuses(400, "not this one") if "Forty" in asked.text else giving(5))
    assert run(tmp_path, "--judge", judge(tmp_path, server, "fair")) == 0
    assert answers(tmp_path) == {"1": 1, "2": None}
    kept = [json.loads(line) for line in (tmp_path / "run" / "judgements.jsonl").read_text().splitlines()]
    assert [row["score"] for row in kept] == [5, None]
    assert "not this one" in kept[1]["reason"]
    assert summary(tmp_path)["notes"][0].startswith("fair gave no score in 1 of 2 cases")


def test_what_is_known_is_scored_before_a_judge_that_is_gone_ends_the_run(
    serve: Serve, tmp_path: Path, capsys: Any
) -> None:
    server = serve(giving(5), refuses(401, "no key"), giving(5))
    gone = judge(tmp_path, server, "fair")
    assert run(tmp_path, "--judge", gone) == 2
    said = capsys.readouterr().err
    assert f"scored without the judgements of {gone}: ask for them again with --resume" in said
    assert answers(tmp_path) == {"1": 1, "2": None}
    assert summary(tmp_path)["figures"]["all"]["Ans"]["n"] == 1
    assert run(tmp_path, "--judge", gone, "--resume") == 0
    assert answers(tmp_path) == {"1": 1, "2": 1}


def test_a_second_judge_is_asked_though_the_first_is_gone(serve: Serve, tmp_path: Path) -> None:
    gone = judge(tmp_path, serve(refuses(401, "no key")), "gone")
    there = judge(tmp_path, serve(giving(5), giving(0)), "there")
    assert run(tmp_path, "--judge", gone, there) == 2
    assert (answers(tmp_path), summary(tmp_path)["judges"]) == ({"1": 1, "2": 0}, ["there"])


def test_the_judge_that_is_asked_now_counts_before_those_of_earlier(serve: Serve, tmp_path: Path) -> None:
    def of(score: float) -> ScriptedServer:
        def reply(asked: Asked) -> Script:  # noqa: ARG001
            return giving(score)

        return serve(reply)

    kind, low = judge(tmp_path, of(5), "kind"), judge(tmp_path, of(0), "low")
    assert run(tmp_path, "--judge", kind) == 0
    assert run(tmp_path, "--judge", low, "--resume") == 0
    assert (answers(tmp_path), summary(tmp_path)["judges"]) == ({"1": 0, "2": 0}, ["low", "kind"])
    assert run(tmp_path, "--judge", kind, low, "--resume") == 0
    assert (answers(tmp_path), summary(tmp_path)["judges"]) == ({"1": 1, "2": 1}, ["kind", "low"])
    assert run(tmp_path, "--judge", low, "--resume") == 0
    assert run(tmp_path, "--resume") == 0
    assert (answers(tmp_path), summary(tmp_path)["judges"]) == ({"1": 1, "2": 1}, ["kind", "low"])


def test_what_another_system_cites_is_cut_out_of_the_documents_for_the_judge(serve: Serve, tmp_path: Path) -> None:
    """A box on a page that is not there has Rel 0; a judge that sees nothing gives no Rel, and so there is no SAA."""

    def reply(asked: Asked) -> Script:
        return giving(4 if "Statement: " in asked.text else 5)

    data_sets.citevqa(tmp_path / "data")
    tags = '<bbox page="2" x1="0" y1="0" x2="500" y2="100"/> <bbox page="9" x1="0" y1="0" x2="500" y2="100"/>'
    rows = [{"index": "1", "model_predict": f"Nine. {tags}"}, {"index": "2", "model_predict": "Forty."}]
    data_sets.lines(tmp_path / "said.jsonl", *rows)
    server = serve(reply)
    assert run(tmp_path, "--judge", judge(tmp_path, server, "sees")) == 0
    (asked,) = [asked for asked in server.asked if "Statement: " in asked.text]
    assert "Reference answer: nine sacks" in asked.text
    (picture,) = asked.images
    assert picture.width / picture.height == pytest.approx(0.5 * 420 / (0.1 * 595), rel=0.2)  # sides are rounded
    assert len(picture.convert("L").getcolors() or ()) > 1, "an empty crop"
    figures = summary(tmp_path)["figures"]["all"]
    assert (figures["Rel"]["n"], figures["SAA"]["n"]) == (2, 2)
    assert figures["Rel"]["value"] == pytest.approx(100 * ((4 + 0) / 2 / 5 + 0) / 2)
    blind = tmp_path / "blind.yaml"
    blind.write_text(f"rag: {{model: {{base_url: '{server.url}', name: blind, images: 0}}}}\n")
    assert run(tmp_path, "--judge", str(blind), "--resume") == 0
    figures = summary(tmp_path)["figures"]["all"]
    assert (figures["Ans"]["n"], figures["Rel"]["n"], figures["SAA"]["n"]) == (2, 1, 1)
    (note,) = summary(tmp_path)["notes"]
    assert note.startswith("blind gave no score in 1 of 3 cases: figures that need one are blank for 1 of 2 questions")

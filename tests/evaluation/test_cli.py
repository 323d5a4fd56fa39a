"""`vouch eval` from data to report: each benchmark on small data in its published form, with a scripted judge."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.harness.results import read_runs
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the home of the collections and a profile that reads text only."""
    folder = tmp_path_factory.mktemp("eval")
    (folder / "profile.yaml").write_text("indexing: {workers: 1, visual: none}\n")
    return folder


@pytest.fixture
def judge(place: Path) -> Iterator[Callable[..., str]]:
    """`judge(name, score)`: a profile whose model judges everything alike, or by a function of what it is asked."""
    servers: list[ScriptedServer] = []

    def made(name: str, score: float | Callable[[Asked], float]) -> str:
        def reply(asked: Asked) -> Script:
            given = score(asked) if callable(score) else score
            return says(json.dumps({"reason": "The reference says so.", "score": given}))

        server = ScriptedServer(reply).__enter__()
        servers.append(server)
        path = place / f"{name}.yaml"
        model = f"{{base_url: '{server.url}', name: {name}, concurrency: 2, structured: schema}}"
        path.write_text(f"rag: {{model: {model}}}\n")
        return str(path)

    yield made
    for server in servers:
        server.close()


def run(place: Path, task: str, data: Path, out: Path, *more: str) -> int:
    where = ["--data", str(data), "--out", str(out), "--home", str(place / "home")]
    return command.main([task, *where, "--profile", str(place / "profile.yaml"), *more])


def scores(folder: Path) -> dict[str, dict[str, Any]]:
    rows = map(json.loads, (folder / "scores.jsonl").read_text().splitlines())
    return {row["qid"]: row["figures"] for row in rows}


@pytest.mark.gate
def test_mmdocir(place: Path, tmp_path: Path) -> None:
    gone = {"doc_name": "gone.pdf", "questions": [{}]}
    assert run(place, "mmdocir", data_sets.mmdocir(tmp_path / "data", gone), tmp_path / "run") == 0
    found = scores(tmp_path / "run")
    assert found["mill.pdf-01"]["R@1"] == 1
    assert found["vault.pdf-01"]["R@1"] == 1
    assert 0 < found["vault.pdf-01"]["layout R@1"] < 1  # of the whole page
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["left_out"] == {
        "questions": 1,
        "reasons": [
            f"MMDocIR_annotations.jsonl, line 3: gone.pdf is not in {tmp_path / 'data' / 'pdfs'}: 1 questions left out"
        ],
    }
    assert summary["macro"]["R@1"] == 100
    line = json.loads((tmp_path / "run" / "predictions.jsonl").read_text().splitlines()[0])
    assert line["question"].startswith("How many sacks")
    assert {s["verdict"] for s in line["sentences"]} == {"quoted"}
    assert set(line["timings"]) >= {"retrieve", "total"}
    assert len(line["settings"]) == 12


@pytest.mark.gate
def test_a_sweep_is_reported_and_compared(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two values of K make two runs; the report has their tables, tests and failures, with the boxes drawn."""
    data, out = data_sets.mmdocir(tmp_path / "data"), tmp_path / "sweep"
    assert run(place, "mmdocir", data, out, "--top-k", "1", "6", "--queries", "2") == 0
    assert sorted(p.name for p in out.iterdir()) == ["text-K1", "text-K6"]
    summaries = [r.summary for r in read_runs([out])]
    assert [s["settings"]["rag"]["top_k"] for s in summaries] == [1, 6]
    one, six = (f"{s['settings_hash']} ({s['variant']})" for s in summaries)
    assert f", settings {one}, {six}" in " ".join(capsys.readouterr().out.split())
    report = tmp_path / "report"
    assert command.main(["report", str(out), "--out", str(report), "--failures", "1"]) == 0
    markdown, page = (report / "report.md").read_text(), (report / "report.html").read_text()
    assert "| text-K1 | mmdocir |" in markdown
    assert "Paired differences" in markdown
    assert "<h3>mill.pdf-01" in page or "<h3>vault.pdf-01" in page
    drawn = list((report / "failures").glob("*.png"))
    assert len(drawn) == 2
    assert all(f'src="failures/{file.name}"' in page for file in drawn)
    capsys.readouterr()
    assert command.main(["compare", str(out / "text-K1"), str(out / "text-K6"), "--figure", "R@1"]) == 0
    said = capsys.readouterr().out
    assert "2 common questions" in said
    assert "0 better, 0 worse, 2 the same" in said


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--by", "weather"], "no grouping 'weather' (it has: domain, modality, pages)"),
        (["--method", "cot"], "method cot needs a model"),
        (["--judge", "default"], "has no figure that needs a judge"),
    ],
)
def test_what_cannot_be_is_told(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], named: str
) -> None:
    code = run(place, "mmdocir", data_sets.mmdocir(tmp_path / "data"), tmp_path / "run", *more)
    assert code == (0 if "--judge" in more else 2)
    assert named in capsys.readouterr().err

"""`vouch eval` from data to report: each benchmark on small data in its published form, with a scripted judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.harness import OWN_WORDS
from evaluation.harness.results import read_runs
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from ui.cli import parser as cli

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


def test_citevqa_with_two_judges(
    place: Path, tmp_path: Path, judge: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The first judge's scores count; what both say is kept, with the reason, and a second run asks nothing again."""
    data = data_sets.citevqa(tmp_path / "data")
    assert run(place, "citevqa", data, tmp_path / "blank") == 0
    assert OWN_WORDS not in capsys.readouterr().out
    blank = scores(tmp_path / "blank")["1"]
    assert (blank["Ans"], blank["Rel"], blank["SAA"]) == (None, None, None)
    assert blank["Page"] == 1
    kind, strict = judge("kind", 5), judge("strict", lambda asked: 2 if "Statement: " in asked.text else 5)
    assert run(place, "citevqa", data, tmp_path / "run", "--judge", kind, strict) == 0
    assert OWN_WORDS in capsys.readouterr().out
    found = scores(tmp_path / "run")
    assert {(f["Ans"], f["Rel"], f["SAA"]) for f in found.values()} == {(1, 1, 1)}
    kept = [json.loads(line) for line in (tmp_path / "run" / "judgements.jsonl").read_text().splitlines()]
    assert {(j["judge"], j["key"], j["score"]) for j in kept} == {
        ("kind", "Ans", 5),
        ("kind", "Rel:0", 5),
        ("strict", "Ans", 5),
        ("strict", "Rel:0", 2),
    }
    assert {j["reason"] for j in kept} == {"The reference says so."}
    assert run(place, "citevqa", data, tmp_path / "run", "--resume", "--judge", kind) == 0
    assert len((tmp_path / "run" / "judgements.jsonl").read_text().splitlines()) == len(kept)
    capsys.readouterr()
    assert command.main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "kind, strict | Rel | 0.00" in report


def test_the_outputs_of_another_system_are_scored(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_sets.citevqa(tmp_path / "data")
    said = '<bbox page="2" x1="60" y1="80" x2="900" y2="125"/>'
    outputs = data_sets.lines(
        tmp_path / "outputs.jsonl", {"index": "1", "model_predict": f"Nine sacks. {said}"}, {"index": "99"}
    )
    assert run(place, "citevqa", data, tmp_path / "run", "--predictions", str(outputs)) == 0
    assert "outputs.jsonl, line 2: its question is not in the data ('99')" in capsys.readouterr().err
    found = scores(tmp_path / "run")
    assert list(found) == ["1"]
    assert (found["1"]["Rec"], found["1"]["Ans*"], found["1"]["SAA*"], found["1"]["SAA"]) == (1, 1, 1, None)
    left_out = json.loads((tmp_path / "run" / "summary.json").read_text())["left_out"]
    assert left_out["questions"] == 1
    assert left_out["reasons"][1] == "outputs.jsonl: it has no prediction for 1 questions, such as '2'"


def test_lines_of_another_system_that_cannot_be_scored_are_named_and_never_kept(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_sets.mmdocir(tmp_path / "data")
    good = {"question_id": "mill.pdf-01", "ranked_pages": [2], "citations": [], "answer": "nine"}
    bad = {"qid": "vault.pdf-01", "citations": [{"page": 1}]}
    outputs = data_sets.lines(tmp_path / "outputs.jsonl", "{oops", {"answer": "nine"}, bad, good)
    assert run(place, "mmdocir", data, tmp_path / "run", "--predictions", str(outputs)) == 0
    said = capsys.readouterr().err
    for named in (
        "line 1: is not JSON",
        "line 2: has no 'qid'",
        "line 3: it does not have the format",
        "KeyError: 'bbox'",
    ):
        assert named in said
    assert scores(tmp_path / "run")["mill.pdf-01"]["R@1"] == 1
    assert run(place, "mmdocir", data, tmp_path / "run", "--predictions", str(outputs), "--resume") == 0


def test_visa(place: Path, tmp_path: Path) -> None:
    assert run(place, "visa", data_sets.visa(tmp_path / "data"), tmp_path / "run") == 0
    found = scores(tmp_path / "run")
    assert (found["v1"]["oracle"], found["v2"]["oracle"]) == (1, 1)
    assert (found["v1"]["Ans*"], found["v1"]["Box drawn"]) == (1, None)
    assert found["v3"]["EM"] == found["v3"]["Box"] == found["v3"]["abstained"]


def test_mcitebench(place: Path, tmp_path: Path, judge: Callable[..., str]) -> None:
    data = data_sets.mcitebench(tmp_path / "data")
    assert run(place, "mcitebench", data, tmp_path / "run", "--judge", judge("fair", 1)) == 0
    found = scores(tmp_path / "run")
    assert (found["c1"]["Source EM"], found["c1"]["Source F1"]) == (1, 1)
    assert (found["c1"]["Citation F1"], found["c1"]["Acc"]) == (1, 0.5)


def test_mavis(place: Path, tmp_path: Path, judge: Callable[..., str]) -> None:
    data = data_sets.mavis(tmp_path / "data")
    assert run(place, "mavis", data, tmp_path / "run", "--judge", judge("half", 0.5)) == 0
    found = scores(tmp_path / "run")["a1"]
    assert (found["NDCG@10"], found["Recall@100"], found["NDCG@10 image"]) == (1, 1, None)
    assert (found["Informativeness F1"], found["Groundedness F1"]) == (0.5, 0.5)
    assert found["Utilization text"] > 0


def test_mavis_says_where_recall_at_100_is_of_fewer(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_sets.mavis(tmp_path / "data")
    more = [{"snippet_id": f"t-{n}", "fact": f"Barge {n} is moored."} for n in range(3, 25)]
    rows = [*map(json.loads, (data / "all_docs.json").read_text().splitlines()), *more]
    data_sets.lines(data / "all_docs.json", *rows)
    said = "Recall@100 is a lower bound, as only 20 of 25 documents are ranked: use --top-k 100"
    assert run(place, "mavis", data, tmp_path / "few", "--collection", "barges") == 0
    assert said in capsys.readouterr().err
    assert run(place, "mavis", data, tmp_path / "all", "--collection", "barges", "--top-k", "25") == 0
    assert "lower bound" not in capsys.readouterr().err
    few, whole = (read_runs([tmp_path / name])[0].summary["notes"] for name in ("few", "all"))
    assert (len(few), whole) == (1, [])
    assert command.main(["report", str(tmp_path / "few"), "--out", str(tmp_path / "out"), "--home", str(place)]) == 0
    assert said in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.gate
def test_vidore_ranks_page_images_in_every_mode(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page of the mill has grade 2 and is the first; nothing is answered, and our outputs are scored alike."""
    data, out = data_sets.vidore_v3(tmp_path / "data"), tmp_path / "run"
    assert run(place, "vidore", data, out, "--mode", "text", "image", "multi", "--by", "language") == 0
    assert "english" in capsys.readouterr().out
    for mode in ("text", "image", "multi"):
        found = scores(out / mode)
        assert (found["7"]["MRR@10"], found["8"]["NDCG@10"]) == (1, 1)
        assert found["7"]["NDCG@10"] in (
            pytest.approx(1),
            pytest.approx(2.5 / 2.63093, abs=1e-5),
        )  # page 2 second or third
    line = json.loads((out / "image" / "predictions.jsonl").read_text().splitlines()[0])
    assert sorted(line["ranked"]) == ["0", "1", "2"]
    assert "sentences" not in line
    assert run(place, "vidore", data, out / "image", "--resume") == 0
    assert run(place, "vidore", data, tmp_path / "same", "--predictions", str(out / "image" / "outputs.jsonl")) == 0
    ours, theirs = scores(out / "image"), scores(tmp_path / "same")
    assert {q: f["NDCG@10"] for q, f in ours.items()} == {q: f["NDCG@10"] for q, f in theirs.items()}
    assert command.main(["report", str(out), "--out", str(tmp_path / "report")]) == 0
    assert "| image | vidore |" in (tmp_path / "report" / "report.md").read_text()


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


def test_vouch_eval_is_the_same_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--help"])
    assert end.value.code == 0
    assert "run benchmarks" in capsys.readouterr().out
    assert cli.main(["eval", "--help"]) == 0
    assert "usage: vouch eval" in capsys.readouterr().out
    assert cli.main(["eval", "report", "/nowhere", "--out", "/nowhere"]) == 2
    assert "it contains no run" in capsys.readouterr().err

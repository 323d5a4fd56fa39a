"""Given evidence: what a model is shown for each input, base and K, and an answer without any source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.harness.plan import Plan, Variant, shallow
from evaluation.harness.results import read_runs
from evaluation.tasks import TASKS, Gold
from rag import Profile
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

Serve = Callable[..., ScriptedServer]
PLACE = re.compile(r"^Page (\d+) of document (\d+)", re.MULTILINE)
NOTHING_SAID = {"answerable": False, "sentences": []}


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


@pytest.mark.slow
def test_citevqa_shows_whole_documents_gold_documents_or_gold_pages(serve: Serve, tmp_path: Path) -> None:
    """The second question has two documents: mill.pdf of two pages, and vault.pdf of one, which alone has gold."""
    server = serve(lambda _: says(NOTHING_SAID))
    data = data_sets.citevqa(tmp_path / "data")
    assert run(tmp_path, server, "citevqa", data, "--input", "documents", "gold-documents", "gold-pages") == 0
    shown = [list(dict.fromkeys(PLACE.findall(asked.text))) for asked in server.asked]
    assert shown == [
        [("1", "1"), ("2", "1")], [("1", "1"), ("2", "1"), ("1", "2")],
        [("1", "1"), ("2", "1")], [("1", "1")],
        [("2", "1")], [("1", "1")],
    ]  # fmt: skip
    assert sorted(r.summary["input"] for r in read_runs([tmp_path / "run"])) == [
        "documents", "gold-documents", "gold-pages",
    ]  # fmt: skip
    assert "forty barrels" in server.asked[-1].text


@pytest.mark.slow
def test_resolutions_are_swept_and_set_the_size_of_what_a_model_sees(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _: says(NOTHING_SAID))
    data = data_sets.visa(tmp_path / "data")
    options = ("--limit", "1", "--mode", "image", "--resolution", "400", "800")
    assert run(tmp_path, server, "visa", data, *options, visual="ocr_regions") == 0
    (small,), (large,) = ([image.width for image in asked.images] for asked in server.asked)
    assert [400 < small < 500, 800 < large < 900] == [True, True]  # with margins for labels
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["image-px400", "image-px800"]


@pytest.mark.slow
def test_k_counts_documents_and_a_base_says_which(serve: Serve, tmp_path: Path) -> None:
    """A text of three paragraphs is one document of two; a base of images has no text in it."""
    data = data_sets.mavis(tmp_path / "data")
    facts = [json.loads(line) for line in (data / "all_docs.json").read_text().splitlines()]
    more = "Barley comes to the mill at Harrow by cart, is weighed, and is ground between two stones. " * 5
    facts[0]["fact"] = "\n".join([data_sets.MILL[0], more, more])
    data_sets.lines(data / "all_docs.json", *facts)

    def reply(asked: Asked) -> Script:
        labels = re.findall(r"\[(E\d+)\]", asked.text)
        return says({"answerable": True, "sentences": [{"text": data_sets.MILL[0], "labels": labels[:1]}]})

    options = ("--base", "text", "image", "multi", "--top-k", "2", "--queries", "1", "--limit", "1")
    assert run(tmp_path, serve(reply), "mavis", data, *options) == 0
    runs = {r.summary["base"]: r for r in read_runs([tmp_path / "run"])}
    given = {base: r.summary["counts"] for base, r in runs.items()}
    assert (given["text"]["text given"], given["text"]["image given"]) == (2, 0)
    assert (given["image"]["text given"], given["image"]["image given"]) == (0, 1)
    assert given["multi"]["text given"] + given["multi"]["image given"] == 2
    assert (given["text"]["text used"], given["image"]["image used"]) == (1, 1)
    line = rows(runs["text"].folder)["a1"]
    assert len(line["evidence"]) > len({e["document"] for e in line["evidence"]}) == 2
    assert runs["text"].scored["a1"].figures["NDCG@10 text"] == 1
    assert command.main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "out"), "--failures", "1"]) == 0
    report = (tmp_path / "out" / "report.md").read_text()
    assert "| text-base-image | 0.0 | 0.0 | 1.0 | 1.0 |" in report


@pytest.mark.slow
def test_mavis_from_gold_documents_and_without_any(serve: Serve, tmp_path: Path) -> None:
    data = data_sets.mavis(tmp_path / "data", data_sets.mavis_row("a3", image="ferry.png"))

    def reply(asked: Asked) -> Script:
        if "You have no sources" in asked.text:
            return says({"sentences": ["Nine sacks.", " "]})
        return says({"answerable": True, "sentences": [{"text": data_sets.MILL[0], "labels": ["E1"]}]})

    server = serve(reply)
    assert run(tmp_path, server, "mavis", data, "--input", "gold-documents", "nothing") == 0
    runs = {r.summary["input"]: r for r in read_runs([tmp_path / "run"])}
    gold = rows(runs["gold-documents"].folder)["a1"]
    assert [e["document"] for e in gold["evidence"]] == [e["document"] for e in gold["cited"]]
    closed = rows(runs["nothing"].folder)["a1"]
    assert (closed["answer"], closed["evidence"], closed["drafts"]) == (
        "Nine sacks.", [], [{"text": "Nine sacks.", "named": []}],
    )  # fmt: skip
    assert [len(a.images) for a in server.asked if "You have no sources" in a.text] == [0, 0, 1]
    for found in runs.values():
        assert found.scored["a1"].figures["NDCG@10"] is None
        assert found.scored["a1"].figures["Recall@100"] is None


def test_where_nothing_is_ranked_no_figure_is_a_lower_bound(tmp_path: Path) -> None:
    gold = Gold((), {f"{n}": tmp_path for n in range(200)}, (), 0, "")
    searched, given = Variant("a", "text", Profile()), Variant("b", "text", Profile(), given="gold-documents")
    plan = Plan(TASKS["mavis"], gold, tmp_path, "p", (searched, given), {}, "collection", None, "c")
    assert [len(shallow(plan, variant)) for variant in plan.variants] == [1, 0]


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

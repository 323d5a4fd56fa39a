"""VISA's protocol: all candidates are shown in the data's order, and averages are those of the paper's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from evaluation import cli as command
from plugins.research.tasks import visa
from tests.evaluation import data_sets
from tests.support import documents
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

COLOURS = [(200, 30, 30), (30, 160, 30), (30, 30, 200)]
NONE = {"answerable": False, "answer": "", "page": 0, "box": [0, 0, 0, 0]}


def run(folder: Path, data: Path, server: ScriptedServer, *more: str, **model: Any) -> int:
    """Answer with method visa by this server's model."""
    named = {"base_url": server.url, "name": "scripted", "concurrency": 1, "retries": 0, **model}
    settings = {"indexing": {"workers": 1, "visual": "none"}, "rag": {"judge": "rules", "model": named}}
    (folder / "profile.yaml").write_text(json.dumps(settings))
    words = ["visa", "--data", str(data), "--out", str(folder / "run"), "--home", str(folder / "home")]
    return command.main([*words, "--profile", str(folder / "profile.yaml"), "--method", "visa", *more])


def figures(folder: Path) -> dict[str, dict[str, Any]]:
    rows = map(json.loads, (folder / "run" / "scores.jsonl").read_text().splitlines())
    return {row["qid"]: row["figures"] for row in rows}


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A blank page, a page of another subject and the page that answers, each with a corner of its colour."""
    folder = tmp_path / "data"
    folder.mkdir()
    blank = Image.new("RGB", (900, 600), "white")
    pages = [blank, documents.picture(["Apples cost two crowns."]), documents.picture(["The ferry leaves at noon."])]
    for name, page, colour in zip(("blank", "apples", "ferry"), pages, COLOURS, strict=True):
        page.paste(colour, (0, 0, 120, 120))
        page.save(folder / f"{name}.png")
    return folder


@pytest.mark.slow
@pytest.mark.gate
def test_every_candidate_is_shown_in_the_order_of_the_data(three: Path, tmp_path: Path) -> None:
    """Section 3: the candidates are the input; a blank page too, which no retrieval would find."""
    orders = {"a": ["blank", "apples", "ferry"], "b": ["ferry", "blank", "apples"], "c": ["blank"]}
    rows = [
        data_sets.visa_row(
            qid,
            candidates=[f"{name}.png" for name in names],
            oracle=names.index("ferry") if "ferry" in names else None,
            kind="passage",
        )
        for qid, names in orders.items()
    ]
    data_sets.lines(three / "visa.jsonl", *rows)
    seen: list[list[tuple[int, ...]]] = []

    def first_page(asked: Asked) -> Script:
        """Always says page 1, and draws the gold box of the ferry's page there."""
        seen.append([image.convert("RGB").getpixel((20, 20)) for image in asked.images])  # type: ignore[misc]
        return says({"answerable": True, "answer": "At noon.", "page": 1, "box": [44, 333, 978, 483]})

    with ScriptedServer(first_page) as server:
        assert run(tmp_path, three, server) == 0
    names = dict(zip(COLOURS, ("blank", "apples", "ferry"), strict=True))
    near = [[min(names, key=lambda c: abs(c[0] - p[0]) + abs(c[1] - p[1])) for p in each] for each in seen]
    assert [[names[colour] for colour in each] for each in near] == list(orders.values())
    found = figures(tmp_path)
    assert [found[qid]["Box drawn"] for qid in orders] == [0, 1, 0]
    assert [found[qid]["EM"] for qid in orders] == [1, 1, 0]


@pytest.mark.slow
def test_averages_are_over_kinds_within_each_setting_and_full_is_both(three: Path, tmp_path: Path) -> None:
    """By hand. Full: passages 1 of 2 right, beyond the first page 0 of 1, no passage 1 of 1: (50 + 0 + 100) / 3 = 50,
    where the mean over questions also is 2 of 4. With an oracle: (0 + 0 + 100) / 3. Single: 100 of one kind.
    """
    both = ["apples.png", "ferry.png"]
    rows = [
        data_sets.visa_row("p1", candidates=both, oracle=None, kind="passage"),  # says none: right
        data_sets.visa_row("p2", candidates=both, oracle=0, kind="passage"),  # says page 2: wrong
        data_sets.visa_row("b1", candidates=both, oracle=0, kind="beyond first page"),  # says page 2: wrong
        data_sets.visa_row("n1", candidates=both, oracle=1, kind="non-passage"),  # says page 2: right
        data_sets.visa_row("s1", candidates=["ferry.png"], kind="non-passage"),
    ]
    data_sets.lines(three / "visa.jsonl", *rows)
    two = {"answerable": True, "answer": "At noon.", "page": 2, "box": [44, 333, 978, 483]}
    with ScriptedServer(says(NONE), says(two), says(two), says(two), says({**two, "page": 1})) as server:
        assert run(tmp_path, three, server) == 0
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    within = {group: of["Box drawn"] for group, of in summary["macro_within"].items()}
    assert within == pytest.approx({visa.FULL: 50, visa.WITH: 100 / 3, visa.WITHOUT: 100, visa.SINGLE: 100})
    assert summary["figures"][f"setting: {visa.FULL}"]["Box drawn"]["n"] == 4
    assert summary["macro"]["Box drawn"] == pytest.approx(50)  # passage 1/2, beyond 0/1, no passage 2/2
    assert command.main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "Macro average over kind, by setting" in report
    assert f"| run | {visa.FULL} | " in report

"""ViDoRe: the published forms, nDCG worked by hand, and what is no good about data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.errors import GoldUnreadable
from evaluation.tasks.questions import Gold
from plugins.research.tasks import items, vidore
from tests.evaluation import data_sets

Make = Callable[[Path], Path]


def load(data: Path, folder: Path) -> Gold:
    return vidore.load(data, None, folder / "material", None)


def gains(gold: Gold) -> dict[str, dict[str, int]]:
    return {q.qid: q.more["gains"] for q in gold.questions}


def scored(data: Path, folder: Path, *results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The figures that the command gives the results of another system."""
    outputs = data_sets.lines(folder / "theirs.jsonl", *results)
    where = ["--data", str(data), "--out", str(folder / "run"), "--home", str(folder / "home")]
    assert command.main(["vidore", *where, "--predictions", str(outputs)]) == 0
    rows = map(json.loads, (folder / "run" / "scores.jsonl").read_text().splitlines())
    return {row["qid"]: row["figures"] for row in rows}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (data_sets.vidore_v3, {"7": {"0": 2, "2": 1}, "8": {"2": 1}}),
        (data_sets.vidore_lines, {"7": {"0": 1}, "8": {"2": 1}}),
        (data_sets.vidore_v1, {"0": {"mill.png": 1, "vault.png": 1}, "1": {"ferry.png": 1}}),
    ],
)
def test_the_published_forms_are_read(make: Make, expected: dict[str, dict[str, int]], tmp_path: Path) -> None:
    gold = load(make(tmp_path / "data"), tmp_path)
    assert gains(gold) == expected
    assert (gold.problems, gold.left_out, len(gold.sha256)) == ((), 0, 64)
    assert [q.text for q in gold.questions] == [data_sets.MILL_ASKED, data_sets.FERRY_ASKED]
    assert len(gold.files) == len(data_sets.PAGES)
    first = gold.questions[0]
    shown = gold.files[first.documents[0]].read_bytes()
    assert shown == data_sets.page_image(data_sets.PAGES[0], "JPEG" if shown[:2] == b"\xff\xd8" else "PNG")["bytes"]


def test_ndcg_of_v3_by_hand(tmp_path: Path) -> None:
    """Grades 2 (page 0) and 1 (page 2), ranked 1, 2, 0: (1/log2(3) + 2/log2(4)) / (2/log2(2) + 1/log2(3)).

    With 1/log2(3) = 0.63093: 1.63093 / 2.63093 = 0.61991. The other is at rank 2: 0.63093 / 1.
    """
    data = data_sets.vidore_v3(tmp_path / "data")
    found = scored(
        data,
        tmp_path,
        {"query-id": 7, "results": {"0": 0.1, "2": 0.5, "1": 0.9}},
        {"query-id": 8, "results": {"0": 0.9, "2": 0.5}},
    )
    assert found["7"]["NDCG@5"] == found["7"]["NDCG@10"] == pytest.approx(0.61991, abs=1e-5)
    assert found["8"]["NDCG@5"] == pytest.approx(0.63093, abs=1e-5)
    assert (found["7"]["Recall@5"], found["7"]["MRR@10"], found["8"]["MRR@10"]) == (1, 0.5, 0.5)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["macro"]["NDCG@5"] == pytest.approx(100 * (0.61991 + 0.63093) / 2, abs=1e-3)


def test_ndcg_of_v1_by_hand_counts_all_pages_of_an_equal_query_and_equal_images_once(tmp_path: Path) -> None:
    """mill.png under the name of its copy at rank 1, vault.png at rank 3: (1 + 1/2) / (1 + 0.63093) = 0.91972.

    Equal scores are ranked by the greater id first, as trec_eval does: mill.png before ferry.png.
    """
    data = data_sets.vidore_v1(tmp_path / "data")
    found = scored(
        data,
        tmp_path,
        {"query-id": "0", "results": {"copy.png": 3, "mill.png": 2, "ferry.png": 1.5, "vault.png": 1}},
        {"query-id": "1", "results": {"ferry.png": 1, "mill.png": 1}},
    )
    assert found["0"]["NDCG@5"] == pytest.approx(0.91972, abs=1e-5)
    assert found["1"]["NDCG@5"] == pytest.approx(0.63093, abs=1e-5)


def test_bad_rows_are_named_and_left_out(tmp_path: Path) -> None:
    data = data_sets.vidore_lines(tmp_path / "data")
    outside = tmp_path / "secret.jpg"
    outside.write_bytes(data_sets.page_image("outside", "JPEG")["bytes"])
    images = ("../secret.jpg", str(outside), "images/gone.jpg", 5, {"bytes": None, "path": "images/1.jpg"})
    corpus = [{"corpus-id": f"x{n}", "image": image} for n, image in enumerate(images)]
    corpus += [{"corpus-id": 0, "image": "images/1.jpg"}, {"corpus-id": None, "image": "images/1.jpg"}]
    known = (data / "corpus.jsonl").read_text().splitlines()
    data_sets.lines(data / "corpus.jsonl", *known, *corpus, "[1]", "{torn")
    scores = ({"query-id": 7, "corpus-id": 1, "score": 0.5}, {"query-id": 8, "corpus-id": 1, "score": float("nan")})
    data_sets.lines(data / "qrels.jsonl", *(data / "qrels.jsonl").read_text().splitlines(), *scores)
    queries = (data / "queries.jsonl").read_text().splitlines()
    data_sets.lines(
        data / "queries.jsonl", *queries, queries[0], {"query-id": 9, "query": "Unjudged?"}, {"query-id": 1}
    )
    gold = load(data, tmp_path)
    assert gains(gold) == {"7": {"0": 1}, "8": {"2": 1}}
    assert gold.left_out == 3
    told = "\n".join(gold.problems)
    for name in ("../secret.jpg", str(outside), "images/gone.jpg"):
        assert f"its image {name} is not in {data}: name the folder with --documents" in told
    for words in (
        "line 7: its image is neither bytes nor the name of a file",
        "line 9: its id '0' is that of an earlier page",
        "line 10: its corpus-id is None",
        "line 11: expected an object",
        "line 12: is not JSON",
        "its score is 0.5, expected a whole number",
        "its score is nan",
        "its id '7' is that of queries.jsonl, line 1",
        "has no relevant page",
        "has no 'query'",
    ):
        assert words in told


@pytest.mark.parametrize("part", vidore.PARTS)
def test_a_missing_part_is_named(part: str, tmp_path: Path) -> None:
    data = data_sets.vidore_lines(tmp_path / "data")
    (data / f"{part}.jsonl").unlink()
    with pytest.raises(GoldUnreadable, match=f"has no {part}: add the missing folders"):
        load(data, tmp_path)


def test_too_many_rows_and_too_large_images_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = data_sets.vidore_v3(tmp_path / "data")
    monkeypatch.setattr(items, "MOST_PIXELS", 900 * 240 - 1)
    with pytest.raises(GoldUnreadable, match="its image has 900 x 240 pixels, and at most 215,999 are read"):
        load(data, tmp_path)
    monkeypatch.setattr(items, "MOST_BYTES", 100)
    with pytest.raises(GoldUnreadable, match="bytes, and at most 100 are read"):
        load(data, tmp_path)
    monkeypatch.setattr(items, "MOST_ROWS", 1)
    with pytest.raises(GoldUnreadable, match="it has 2 rows, and 1 are read: split the data"):
        load(data, tmp_path)
    monkeypatch.setattr(vidore, "MOST_ROWS", 2)
    with pytest.raises(GoldUnreadable, match=r"corpus\.jsonl: has more than 2 rows"):
        load(data_sets.vidore_lines(tmp_path / "lines"), tmp_path)

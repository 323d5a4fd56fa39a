"""The agreement of a judge with people: by hand, over several people, and what is told where nothing can be said."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import cli as command
from evaluation.errors import GoldUnreadable
from evaluation.harness import OWN_WORDS
from evaluation.report.people import agreement_of, read_people
from evaluation.tasks import Judged
from evaluation.tasks.questions import GoldQuestion
from evaluation.tasks.registry import TASKS
from plugins.research.tasks.items import SourceItem

JUDGEMENTS = {"q1": (0, 0.5), "q2": (1, 1), "q3": (0.5,)}
"""The judge's scores of the sentences of three answers."""


def run(folder: Path, judge: str = "fair", figure: str = "Completeness") -> Path:
    """A run of three questions, each with a figure of its own, judged by `judge`."""
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(json.dumps({"task": "mcitebench", "judges": [judge]}))
    rows = [
        {
            "qid": qid,
            "question": "Why?",
            "groups": {},
            "gold": {"documents": [qid]},
            "figures": {figure: share, "ms": 1.0},
        }
        for qid, share in (("q1", 0.25), ("q2", 1.0), ("q3", None))
    ]
    (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "judgements.jsonl").open("w") as file:
        for qid, scores in JUDGEMENTS.items():
            for n, score in enumerate(scores):
                line = {"qid": qid, "key": f"relevance:{n}", "score": score, "reason": "", "judge": judge}
                file.write(json.dumps(line | {"prompt": "mavis_sentence", "version": "1"}) + "\n")
        acc = {"qid": "q1", "key": "Acc", "score": 1, "reason": "", "judge": judge}
        file.write(json.dumps(acc | {"prompt": "mcite_locating", "version": "1"}) + "\n")
    return folder


def people(path: Path, *rows: Sequence[object], head: str = "question_id,measure,score") -> Path:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def told(folder: Path, scores: Path, *more: str) -> dict[str, Any]:
    out = scores.with_suffix(".told")
    assert command.main(["agreement", str(folder), "--people", str(scores), "--out", str(out), *more]) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def test_agreement_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Judge 0, 0.5, 1, 1; a person 0, 0.5, 0.5, 1. Means 0.625 and 0.5; sum of products 0.5, of squares 0.6875 and 0.5.

    Three of four are alike; by chance (1 x 1 + 1 x 2 + 2 x 1) / 16 = 5/16, so kappa is (12/16 - 5/16) / (11/16).
    """
    scores = people(
        tmp_path / "people.csv",
        *(("q1", "relevance:0", 0), ("q1", "relevance:1", 0.5), ("q2", "relevance:0", 0.5), ("q2", "relevance:1", 1)),
    )
    found = told(run(tmp_path / "run"), scores)["relevance"]
    assert found["pearson"] == pytest.approx(0.5 / math.sqrt(0.6875 * 0.5))
    assert (found["cases"], found["people"], found["accuracy"]) == (4, 1, 0.75)
    assert found["kappa"] == pytest.approx(7 / 11)
    assert found["spearman"] == pytest.approx(3.75 / 4.5)  # ranks 1, 2, 3.5, 3.5 and 1, 2.5, 2.5, 4
    assert found["among_people"] is None
    low, high = found["interval"]
    assert -1 <= low <= high <= 1
    said = capsys.readouterr()
    assert "0.85" in said.out
    assert "relevance: no person scored 1 of 3 questions: q3" in said.err


def test_several_people_are_averaged_and_compared_one_by_one(tmp_path: Path) -> None:
    """Ann says 1 and 0, Bob 0 and 0: means 0.5 and 0 beside 0.25 and 1 of the figure; figures have no labels."""
    rows = [("q1", "Completeness", 1, "Ann"), ("q1", "Completeness", 0, "Bob"), ("q2", "Completeness", 0, "Ann")]
    scores = people(tmp_path / "p.csv", *rows, head="question_id,measure,score,person")
    found = told(run(tmp_path / "run"), scores)["Completeness"]
    assert found["pearson"] == pytest.approx(-1)
    assert (found["cases"], found["people"], found["accuracy"], found["kappa"]) == (2, 2, None, None)
    labels = [("q1", "relevance:0", 0, "Ann"), ("q1", "relevance:0", 0, "Bob"), ("q2", "relevance:0", 1, "Ann")]
    labels += [("q2", "relevance:0", 0, "Bob")]
    scores = people(tmp_path / "l.csv", *labels, head="question_id,measure,score,person")
    found = told(tmp_path / "run", scores)["relevance"]
    assert found["accuracy"] == 0.75  # Ann twice, Bob once
    # Between Ann and Bob, either way round: 0 0, 0 0, 1 0, 0 1. Alike 1/2, by chance 9/16 + 1/16.
    assert found["among_people"] == pytest.approx((1 / 2 - 10 / 16) / (6 / 16))
    assert found["chi_square"] is None, "Bob gave one label only"


def test_two_people_have_a_chi_square(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ann and Bob both say 0, 1, 1 and 0: each pair is expected once, so chi-square is 4 and p 0.0455."""
    cases = [("q1", "relevance:0", 0), ("q1", "relevance:1", 1), ("q2", "relevance:0", 1), ("q2", "relevance:1", 0)]
    labels = [(*case, person) for case in cases for person in ("Ann", "Bob")]
    head = "question_id,measure,score,person"
    found = told(run(tmp_path / "run"), people(tmp_path / "l.csv", *labels, head=head))["relevance"]
    assert found["chi_square"] == pytest.approx([4, 0.0455], abs=1e-4)
    assert "chi-square of two people" in capsys.readouterr().out
    third = people(tmp_path / "m.csv", *labels, (*cases[0], "Cleo"), head=head)
    assert told(tmp_path / "run", third)["relevance"]["chi_square"] is None


def test_labels_of_other_scales_and_words_are_shares(tmp_path: Path) -> None:
    """MCiteBench's 0, 1, 2: of two as the highest, 1 is half; the judge's own 1 of 2 is half as well."""
    file = tmp_path / "people.jsonl"
    rows: list[Mapping[str, object]] = [
        {"question_id": "q1", "measure": "Acc", "score": 1, "best": 2},
        {"qid": "q1", "measure": "relevance:0", "score": "no"},
        {"qid": "q2", "measure": "relevance:0", "label": "Yes"},
        {"qid": "q2", "measure": "relevance:1", "score": True},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = told(run(tmp_path / "run"), file)
    assert (found["Acc"]["accuracy"], found["relevance"]["accuracy"], found["relevance"]["pearson"]) == (1, 1, 1)


def test_every_scale_that_does_not_end_at_1_is_known() -> None:
    """The highest scores are those of the rubrics that the tasks make."""
    items = {"d": SourceItem("d", "text", "A mill.", "[1]")}
    more = {"items": items, "gold": frozenset({"d"}), "facts": ("A mill.",), "pages": (2,)}
    said = {"answer": "A mill.", "sentences": [{"text": "A mill.", "citations": [0]}], "cited": [{"document": "d"}]}
    said["citations"] = [{"page": 1, "bbox": [0, 0, 1, 1]}]
    for task in (TASKS["mcitebench"], TASKS["mavis"], TASKS["citevqa"]):
        highest = getattr(task, "HIGHEST", {})
        for kind in ("explanation", "locating"):
            question = GoldQuestion("q", "What?", "A mill.", ("d",), groups={"question type": (kind,)}, more=more)
            assert isinstance(task, Judged)
            for rubric in task.rubrics(question, said):
                assert max(rubric.scale) == highest.get(rubric.prompt.rpartition(":")[2], 1), rubric.prompt


def test_constant_scores_are_told_as_not_defined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = people(tmp_path / "p.csv", *[(q, "relevance:0", 1) for q in JUDGEMENTS])
    found = told(run(tmp_path / "run"), scores)["relevance"]
    assert (found["pearson"], found["interval"], found["spearman"]) == (None, None, None)
    said = capsys.readouterr().out
    assert OWN_WORDS in said
    assert "not defined" in said
    assert "relevance: Pearson's r is not defined, as people's scores are all 1" in said
    one = people(tmp_path / "one.csv", ("q1", "relevance:0", 1))
    assert told(tmp_path / "run", one)["relevance"]["notes"] == ["is not defined for a single case"]


def test_what_lacks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("q1", "relevance:0", 1), ("q9", "relevance:0", 1), ("q3", "Completeness", 1), ("q1", "relevance:0", 7)]
    scores = people(tmp_path / "p.csv", *rows, ("q2", "relevance:0", "fine"), ("q2", "relevance:0", "nan"))
    told(run(tmp_path / "run"), scores)
    said = capsys.readouterr().err
    assert (
        "2 scores of people belong to nothing in the run: q9 relevance:0 (no such question), "
        "q3 Completeness (the run has no score of it)" in said
    )
    assert "p.csv, line 5: its score '7' is not from 0 to 1" in said
    assert "p.csv, line 6: its score 'fine' is neither a number nor yes or no" in said
    assert "p.csv, line 7: its score 'nan' is neither a number nor yes or no" in said


def test_what_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, scores = run(tmp_path / "run"), people(tmp_path / "p.csv", ("q1", "relevance:0", 1))
    cases: list[tuple[list[str], str]] = [
        (
            [str(folder), "--people", str(scores), "--judge", "strict"],
            "'strict' judged nothing in it (there are: fair)",
        ),
        ([str(tmp_path / "none"), "--people", str(scores)], "it contains no run"),
        (
            [str(folder), "--people", str(people(tmp_path / "n.csv", ("q1", "x", 1)))],
            "are Acc, relevance:…, Completeness",
        ),
        ([str(folder), "--people", str(people(tmp_path / "e.csv"))], "contains no score of a person"),
    ]
    for words, named in cases:
        assert command.main(["agreement", *words]) == 2
        assert named in capsys.readouterr().err


def test_a_person_scores_a_case_once_and_lines_without_a_name_are_of_several(tmp_path: Path) -> None:
    rows = [("q1", "a", 1, "Ann"), ("q1", "a", 0, "Ann"), ("q2", "a", 1, ""), ("q2", "a", 0, "")]
    scores, problems = read_people(people(tmp_path / "p.csv", *rows, head="question_id,measure,score,person"))
    assert scores == {("q1", "a"): {"Ann": 1}, ("q2", "a"): {"person 1": 1, "person 2": 0}}
    assert problems == ["p.csv, line 3: Ann has already scored q1 a"]


@pytest.mark.parametrize("text", ["\x00", "=1+1", "[bold]", '"', "[" * 5000, "9" * 5000, "a" * 200_000])
def test_hostile_files_are_refused_or_read(tmp_path: Path, text: str) -> None:
    for name in ("p.csv", "p.jsonl"):
        path = tmp_path / name
        path.write_text(f"question_id,measure,score\n{text},{text},{text}\n", encoding="utf-8", errors="replace")
        with pytest.raises(GoldUnreadable):
            read_people(path)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=30))
def test_every_figure_is_within_its_bounds(pairs: list[tuple[float, float]]) -> None:
    class NoRun:
        scored: Mapping[str, object] = {}

    cases = [(f"q{n}", "m") for n in range(len(pairs))]
    scores = {case: {"Ann": theirs} for case, (_, theirs) in zip(cases, pairs, strict=True)}
    values = {case: ours for case, (ours, _) in zip(cases, pairs, strict=True)}
    found = agreement_of(scores, values, NoRun(), labels=True)  # type: ignore[arg-type]
    for value in (found.pearson, found.spearman, found.kappa, *(found.interval or ())):
        assert value is None or -1 <= value <= 1
    assert (found.pearson is None) == bool(found.notes)


def test_each_label_has_precision_and_recall_and_three_people_a_friedman_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The judge says 0, .5, 1 and 1, three people 0 .5 1 twice and 1 1 1 twice: of 1 P 6/6, R 6/8; of 0 P 1/3, R 1/2.

    Ranks 1 2 3, 1 2 3, 2 2 2 and 2 2 2: sums 6, 8 and 10, 12 / 48 * 200 - 48 = 2, over 1 - 48 / 96: 4, p exp(-2).
    """
    given = {"q1 relevance:0": (0, 0.5, 1), "q1 relevance:1": (0, 0.5, 1), "q2 relevance:0": (1, 1, 1)}
    given["q2 relevance:1"] = (1, 1, 1)
    rows = [
        (*case.split(), score, person) for case, of in given.items() for person, score in zip("ABC", of, strict=True)
    ]
    scores = people(tmp_path / "l.csv", *rows, head="question_id,measure,score,person")
    found = told(run(tmp_path / "run"), scores)["relevance"]
    assert found["friedman"] == pytest.approx([4, math.exp(-2)])
    assert found["labels"]["1"] == pytest.approx([1, 6 / 8, 12 / 14])
    assert found["labels"]["0"] == pytest.approx([1 / 3, 1 / 2, 2 / 5])
    printed = capsys.readouterr().out
    assert "Friedman's chi-square" in printed
    assert "label 0.5: P, R, F1" in printed

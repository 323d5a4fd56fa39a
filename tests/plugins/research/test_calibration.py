"""Confidence is fitted to answers that were right."""

import itertools
import json
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

import pytest
import yaml

from indexing import Collection
from indexing.embed import MiniLM
from plugins.research.calibration import QuestionOutcome, choose, operate, operations, upper_bound
from tests.support import fakes
from ui.cli import main

NAMES = [
    a + b for a, b in itertools.product(("Bar", "Kol", "Mir", "Tes", "Lun", "Gref"), ("ow", "ad", "isk", "um", "ely"))
]
BRIDGES = [(f"How long is the bridge in {name}?", f"{20 + n} metres") for n, name in enumerate(NAMES)]


def outcomes(*groups: tuple[int, float, bool]) -> list[QuestionOutcome]:
    """So many answered questions that the documents answer, with a confidence, right or wrong."""
    return [QuestionOutcome(confidence, True, right, True) for many, confidence, right in groups for _ in range(many)]


@pytest.mark.parametrize("wrong", [0, 1, 3])
@pytest.mark.parametrize("answered", [10, 45, 200])
def test_at_the_bound_so_few_wrong_answers_have_a_probability_of_one_in_ten(wrong: int, answered: int) -> None:
    bound = upper_bound(wrong, answered)
    chance = sum(comb(answered, k) * bound**k * (1 - bound) ** (answered - k) for k in range(wrong + 1))
    assert chance == pytest.approx(0.1, abs=1e-6)


# threshold  answered  wrong  bound
#       0.80       40      0   5.6%
#       0.50       50     10  29.4%
#       0.30       75     10  20.0%
TABLE = outcomes((40, 0.805, True), (10, 0.5, False), (25, 0.309, True))


@pytest.mark.parametrize(
    ("accepted", "threshold", "answered"),
    [(0.05, None, 0), (0.06, 0.80, 40), (0.15, 0.80, 40), (0.25, 0.30, 75)],
)
def test_the_most_answers_within_the_accepted_share(accepted: float, threshold: float | None, answered: int) -> None:
    """A stricter threshold may answer worse: the chosen one need not be next to those that fail."""
    chosen = choose(TABLE, accepted)
    assert (chosen and chosen.threshold, chosen.answered if chosen else 0) == (threshold, answered)
    assert [(o.threshold, o.answered, o.wrong) for o in operations(TABLE)] == [
        (0.30, 75, 10), (0.50, 50, 10), (0.80, 40, 0),
    ]  # fmt: skip


def test_refusals_are_right_where_the_documents_do_not_answer_and_counts_are_never_refused() -> None:
    said = [
        QuestionOutcome(0.9, True, True, True),
        QuestionOutcome(0.2, True, True, True),
        QuestionOutcome(0.2, True, False, False),
        QuestionOutcome(0.9, False, False, False),
        QuestionOutcome(0.1, True, False, True, always=True),
    ]
    strict = operate(said, 0.5)
    assert (strict.answered, strict.wrong, strict.rightly_refused, strict.wrongly_refused) == (2, 1, 2, 1)
    loose = operate(said, 0.0)
    assert (loose.answered, loose.wrong, loose.rightly_refused, loose.wrongly_refused) == (4, 2, 1, 0)


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture
def bridges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: MiniLM) -> Path:
    """A profile; $VOUCH_HOME has a collection with a page for each bridge."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    made: Collection = fakes.collection(tmp_path / "home", embedder, "bridges")
    pages = [[f"The bridge in {name} is {length} long."] for name, (_, length) in zip(NAMES, BRIDGES, strict=True)]
    fakes.index(made, {"bridges.pdf": pages})
    profile = tmp_path / "mine.yaml"
    profile.write_text("# mine\nrag: {mode: text, print_check: false, max_sentences: 1}\n")
    return profile


def write_questions(folder: Path, bridges: Sequence[tuple[str, str]], *unanswerable: str) -> Path:
    """Write questions about the collection."""
    with Collection.open("bridges") as collection:
        (document,) = collection.documents()
    row: dict[str, Any] = {"document": document.name, "document_id": document.id, "kind": "prose"}
    rows = [
        row | {"question": q, "answer": a, "boxes": [{"page": n, "bbox": [0, 0, 1, 1]}]}
        for n, (q, a) in enumerate(bridges, 1)
    ]
    rows += [row | {"question": q, "answer": None} for q in unanswerable]
    folder.mkdir(exist_ok=True)
    (folder / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return folder


@pytest.mark.slow
@pytest.mark.gate
def test_a_threshold_is_written(tmp_path: Path, bridges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked without the limit of the profile; its other keys stay, and its comments in a copy."""
    questions = write_questions(
        tmp_path / "set", BRIDGES, "Who keeps bees in Sandor?", "How many pages does bridges.pdf have?"
    )
    words = ["--collection", "bridges", "--profile", str(bridges), "--at-most", "1/4"]
    assert main(["calibrate", str(questions), *words, "--out", str(tmp_path / "run"), "--write"]) == 0
    first = capsys.readouterr().out
    assert "at most 1 wrong of 4: 32 questions" in first
    values = yaml.safe_load(bridges.read_text())["rag"]
    assert values.keys() == {"mode", "print_check", "max_sentences", "min_confidence"}
    assert f"min_confidence: {values['min_confidence']}" in first
    assert bridges.with_name("mine.yaml.before").read_text().startswith("# mine\n")
    assert main(["calibrate", str(tmp_path / "run"), *words]) == 0
    again = capsys.readouterr().out
    assert "Next: the same with --write" in again
    assert main(["calibrate", str(tmp_path / "run"), *words, "--at-most", "1/1000"]) == 1
    assert "The test set is too small: 1 wrong of 1000 takes at least 2302 answers" in capsys.readouterr().out


@pytest.mark.usefixtures("bridges")
def test_what_cannot_be_calibrated_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", str(tmp_path / "none"), "--collection", "bridges"]) == 2
    assert main(["calibrate", str(tmp_path), "--collection", "bridges", "--profile", "embedded", "--write"]) == 2
    assert "give a .yaml file of your own" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["calibrate", str(tmp_path), "--collection", "bridges", "--at-most", "2"])
    assert "is not a share such as 1/20" in capsys.readouterr().err


@pytest.mark.parametrize(("summary", "says"), [
    ({"task": "mavis"}, "is a run of mavis: give one of vouch eval questions"),
    ({"task": "questions", "settings": {"rag": {"method": "cot"}}}, "answered by method cot: give its profile"),
])  # fmt: skip
def test_runs_of_another_kind_are_refused(
    summary: dict[str, object], says: str, tmp_path: Path, bridges: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    (tmp_path / "scores.jsonl").write_text("")
    assert main(["calibrate", str(tmp_path), "--collection", "bridges", "--profile", str(bridges)]) == 2
    assert says in capsys.readouterr().err

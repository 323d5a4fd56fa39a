"""The fit of the form of an answer: choices between sentences, and a conditional logit over them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from plugins.research.fit.form import NAMES, SentenceChoice, choices, first_right, fit, main, rows_of

CONTEXT = "The mill was built in 1887. It grinds rye. Anna Holm owns it."
OTHER = "The night bus leaves at ten. A ticket costs two crowns."


def row(question: str, answer: str, group: str = "town", context: str = CONTEXT) -> dict[str, object]:
    return {"source": "made", "group": group, "question": question, "context": context, "answers": [answer]}


ROWS = [
    row("When was the mill built?", "1887"),
    row("Who owns the mill?", "Anna Holm"),
    row("What does a ticket cost?", "two crowns", context=OTHER),
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "qa.jsonl.gz"
    unusable = [row("Where is it?", "Nowhere at all"), row("When?", "1887") | {"context": None}]
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(each) + "\n" for each in [*ROWS, *unusable])
    return path


def test_only_questions_whose_answer_stands_in_their_text(questions: Path) -> None:
    assert [r["question"] for r in rows_of(questions)] == [r["question"] for r in ROWS]


def test_a_choice_has_the_sentences_of_its_text_and_of_others_of_its_group() -> None:
    found = {c.values.shape[0]: c for c in choices(ROWS, 10)}
    assert set(found) == {5}  # three of one text, two of the other
    assert all(c.values.shape[1] == len(NAMES) and c.right.sum() == 1 for c in choices(ROWS, 10))


def test_the_same_questions_are_drawn_again() -> None:
    first, second = (list(choices(ROWS, 2)) for _ in range(2))
    assert [c.values.tolist() for c in first] == [c.values.tolist() for c in second]
    assert len(first) == 2


def made(n: int) -> list[SentenceChoice]:
    """Choices in which the second value, and nothing else, tells the right sentence."""
    draw = np.random.default_rng(1)
    asked = []
    for i in range(n):
        values = draw.normal(size=(4, len(NAMES)))
        asked.append(SentenceChoice("made", i % 5, values, np.arange(4) == values[:, 1].argmax()))
    return asked


def test_what_tells_the_right_sentence_gets_the_weight() -> None:
    asked = made(300)
    beta = fit(asked, range(len(NAMES)))
    assert int(np.abs(beta).argmax()) == 1
    assert np.mean(first_right(asked, [1])) == 1.0
    assert np.mean(first_right(asked, [0])) < 0.5


def test_the_command_prints_the_weights(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--questions", str(questions)])
    said = capsys.readouterr().out
    assert said.startswith("3 questions, 15 sentences")
    assert all(name in said for name in NAMES)

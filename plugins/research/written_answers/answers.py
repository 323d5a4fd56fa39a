"""The answers that are checked, a line each: `{"qid", "model", "response", "judge": {rubric: 0 to 5} or null}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation import GoldUnreadable
from evaluation.tasks import of, reason, rows_of, text_of

BEST = 5


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """The answer of a model to a question, and the scores of its judge, 0 to BEST; none where nobody judged it."""

    qid: str
    model: str
    text: str
    judged: Mapping[str, float]

    @property
    def key(self) -> str:
        """The name of the answer: question and model."""
        return f"{self.qid} {self.model}"


def read_answers(path: Path) -> tuple[list[WrittenAnswer], list[str]]:
    """Return the answers of a file, and what is wrong with the lines that are left out. Raises GoldUnreadable."""
    found: dict[str, WrittenAnswer] = {}
    problems: list[str] = []
    for where, row in rows_of(path, text_of(path)[0]):
        try:
            answer = WrittenAnswer(
                str(of(row, "qid", object)), of(row, "model", str), of(row, "response", str), _judged(row.get("judge"))
            )
        except (ValueError, AttributeError) as error:
            problems.append(f"{where}: {reason(error) if isinstance(error, ValueError) else 'it is not an object'}")
            continue
        found[answer.key] = answer
    if not found:
        raise GoldUnreadable(f"{path}: it contains no answers")
    return list(found.values()), problems


def _judged(scores: Any) -> dict[str, float]:
    """Return the scores that are numbers from 0 to BEST; judges leave some out."""
    known = scores.items() if isinstance(scores, Mapping) else ()
    return {str(name): float(v) for name, v in known if isinstance(v, int | float) and 0 <= v <= BEST}

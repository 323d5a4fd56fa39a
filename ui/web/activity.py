"""Activity: a line of JSON for each request and each answer, where the log is one of JSON (`log_format: json`).

A line says how much and how long, never what: no address with its words, no name, and a question only where
`log_questions` asks for it. JSON in ASCII is obeyed by no terminal.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag import Answer

LOG = logging.getLogger("vouch.activity")
"""The logger of these lines; `logged_faults` gives it handlers where they are wanted."""
MOST_QUESTION = 1000
"""The characters of a question that are logged."""


class Activity:
    """The writer of these lines; with `questions`, questions are among them."""

    def __init__(self, *, questions: bool = False) -> None:
        """Keep the choice."""
        self._questions = questions

    def request(self, route: str, method: str, status: int, seconds: float, user: str) -> None:
        """Write the line of a request; `user` is the kind of who asked: account, browser or none."""
        _write("request", route=route, method=method, status=status, ms=round(1000 * seconds, 1), user=user)

    def answer(self, kind: str, outcome: str, seconds: float, answer: Answer | None) -> None:
        """Write the line of an answer, which is None where none was given."""
        usage = answer.usage if answer else None
        more: dict[str, object] = {}
        if usage is not None and usage.calls:
            more = {"model_calls": usage.calls, "prompt_tokens": usage.prompt_tokens, "cost": usage.cost}
            more["completion_tokens"] = usage.completion_tokens
        if answer and self._questions:
            more["question"] = answer.question[:MOST_QUESTION]
        _write("answer", kind=kind, outcome=outcome, ms=round(1000 * seconds, 1), **more)


def _write(event: str, **fields: object) -> None:
    if LOG.isEnabledFor(logging.INFO):
        LOG.info("%s", json_line("INFO", event, **fields))


def json_line(level: str, event: str, **fields: object) -> str:
    """Return a line of the log as JSON in ASCII."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": now, "level": level, "event": event} | fields, ensure_ascii=True)

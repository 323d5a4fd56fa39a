"""The log of JSON: a line for each request and answer; a question only where it is asked for."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag.usage import Usage
from tests.ui.stand_ins import answer
from ui.web.metrics import Activity
from ui.web.server import logged_faults

HOSTILE = 'When does my \x1b[31mpassword\x07 expire?\n{"level": "INFO"}\u202e'


def lines(file: Path, activity: Activity, *, as_json: bool = True) -> list[dict[str, Any]]:
    async def run() -> None:
        with logged_faults(file, as_json=as_json):
            activity.request("/api/v1", "POST", 200, 0.01234, "browser")
            said = replace(answer(), question=HOSTILE, usage=Usage(100, 10, 0, 1, 0.5, 0.25))
            activity.answer("ask", "answered", 0.5, said)
            activity.answer("ask", "stopped", 0.5, None)
            logging.getLogger("ui.web").warning("a fault\n\x1b[2J of ours")

    asyncio.run(run())
    return [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()] if as_json else []


def test_questions_where_they_are_asked_for(tmp_path: Path) -> None:
    assert lines(tmp_path / "serve.log", Activity(questions=True))[1]["question"] == HOSTILE
    text = (tmp_path / "serve.log").read_text()
    assert len(text.splitlines()) == 4
    assert text.isascii()
    assert all(c.isprintable() for c in text.replace("\n", ""))

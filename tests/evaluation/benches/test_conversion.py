"""The bench of all kinds of files: it reads sources by itself, and misses what is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.benches.conversion.files import measured
from evaluation.benches.conversion.source_text import source_paragraphs
from indexing import IndexingSettings

SETTINGS = IndexingSettings(visual="none")


@pytest.mark.parametrize(
    ("name", "content", "paragraphs"),
    [
        ("a.txt", "One\ntwo.\n\n---\n\nThree.", ["One\ntwo.", "Three."]),
        ("a.md", "# One *two*\n\n- three\n\n```\nfour\n```\n<div>five</div>", ["One two", "three", "four\n"]),
        ("a.csv", 'a,"b\nc"\n,-\n', ["a", "b\nc"]),
        ("a.html", "<p>One <b>two</b><ul><li>three<p>four</ul><p hidden>no<script>no</script>", ["One two", "four"]),
        ("a.eml", "Subject: x\nContent-Type: text/plain\n\nOne.\n\nTwo.\n", ["One.", "Two.\n"]),
        (
            "a.ipynb",
            json.dumps(
                {"cells": [{"cell_type": "markdown", "source": ["# One"]}, {"cell_type": "code", "source": "2"}]}
            ),
            ["One", "2"],
        ),
    ],
)
def test_sources_are_read(tmp_path: Path, name: str, content: str, paragraphs: list[str]) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert source_paragraphs(path) == paragraphs


def test_paragraphs_are_found_in_boxes_and_others_are_missed(tmp_path: Path) -> None:
    path = tmp_path / "mill.txt"
    path.write_text("The mill grinds rye.\n\nThe barn holds nine barrels.")
    score = measured(path, [*source_paragraphs(path), "The mill grinds wheat.", "--"], SETTINGS, own=True)
    assert score.paragraphs == 3
    assert [(found.text, found.held) for found in score.found] == [
        ("The mill grinds rye.", True),
        ("The barn holds nine barrels.", True),
    ]
    assert score.missed == ["The mill grinds wheat."]

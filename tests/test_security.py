"""The promises of SECURITY.md and docs/owasp-rag.md: what they name is there, and no section is left out."""

import ast
import re
from pathlib import Path

import pytest

from tests.test_house import ROOT

SHEET = ROOT / "docs" / "owasp-rag.md"
PAPERS = [ROOT / "SECURITY.md", SHEET]
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")
NOT_HERE = ("not here", "in part", "the rows of", "remove the document")
"""The beginnings of a row that names no test, and says why."""


def sections() -> dict[int, str]:
    """What stands under each heading of the cheat sheet, by its number."""
    parts = re.split(r"(?m)^## Section (\d+): .+$", SHEET.read_text(encoding="utf-8"))[1:]
    return {int(number): text for number, text in zip(parts[::2], parts[1::2], strict=True)}


def rows(text: str) -> list[str]:
    """What stands here for each thing asked for."""
    return [line.split(" | ", 1)[1] for line in text.splitlines() if line.startswith("| ") and "asked for" not in line]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.name)
def test_every_test_that_is_named_is_there(paper: Path) -> None:
    named = TEST.findall(paper.read_text(encoding="utf-8"))
    assert [f"{file}::{name}" for file, name in named if not is_there(ROOT / file, name)] == []


def is_there(file: Path, name: str) -> bool:
    """True for a file of tests that has a test of that name, or is named as a whole."""
    if not file.is_file():
        return False
    defined = [n.name for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)]
    return name in ("", *defined)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.name)
def test_every_link_leads_somewhere(paper: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", paper.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (paper.parent / link).exists()] == []


def test_no_section_is_left_out_and_every_row_has_a_test_or_a_reason() -> None:
    found = sections()
    assert sorted(found) == list(range(1, 16))
    assert [number for number in range(1, 15) if len(rows(found[number])) < 3] == []
    assert [number for number in range(1, 15) if "::test_" not in found[number]] == []
    told = [row for text in found.values() for row in rows(text)]
    assert [row for row in told if not TEST.search(row) and not row.startswith(NOT_HERE)] == []
    assert len([row for row in told if "::test_" in row]) > 40

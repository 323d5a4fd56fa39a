"""Stems, synonyms, and the lexicons of three languages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from indexing.language import (
    look_alike,
    meaning,
    opposite,
    stem,
    without_accents,
)


@pytest.mark.parametrize(
    "words",
    [
        ("process", "processes"), ("study", "studies", "studied"), ("class", "classes"), ("reset", "resetting"),
        ("call", "called", "calling"), ("size", "sizes"), ("box", "Boxes"),
    ],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


def test_synonyms_have_one_meaning_and_opposites_are_known() -> None:
    assert meaning("increased") == meaning("Rises") == meaning("growth")
    assert opposite(meaning("increased"), meaning("fell"))
    assert not opposite(meaning("increased"), meaning("grew"))


def test_accents_go_be_they_in_the_letter_or_beside_it() -> None:
    assert without_accents("Zürich") == "Zurich"
    assert without_accents("Universit\u00b4e") == without_accents("Université")
    assert look_alike("Universit\u00b4e") == look_alike("Université")


ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("vouch", "indexing", "rag", "ui", "evaluation", "configs", "plugins")
LIST = re.compile(r"\bfeb(?:ruar[y]?)?\b.{1,200}?\boct", re.IGNORECASE | re.DOTALL)


def test_months_are_listed_nowhere_else() -> None:
    """A list has an early month close to a late one; what reads bibliographies has patterns of its own."""
    apart = ("rag/references/", "plugins/audit/")
    modules = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    lists = [path.relative_to(ROOT).as_posix() for path in modules if LIST.search(path.read_text(encoding="utf-8"))]
    assert [name for name in lists if not name.startswith(apart)] == []


def test_indexing_starts_without_the_lexicons() -> None:
    """Workers that parse pages are started many times, and read no language."""
    code = "import sys, indexing; assert not {'yaml', 'indexing.language'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

"""Hostile text: nothing that a terminal obeys, a file system minds or a browser runs; templates escape every hole."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from jinja2 import DictLoader

import ui
from indexing import IndexingError
from tests.ui.markup import ANY_TEXT, read
from tests.ui.stand_ins import HOSTILE
from ui.errors import UploadError
from ui.show import html
from ui.show.html import render
from ui.show.sanitize import clean, public_words, safe_cell, safe_name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"), ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"), ("\x9b2Jgone", "gone"),
        ("a\u202eb\u2066c\u200fd", "abcd"), ("two\r\nlines\tand a tab", "two lines and a tab"),
        ("\ud800half", "\ufffdhalf"), ("no\ufffecharacter\U0010ffff", "no\ufffdcharacter\ufffd"),
        ("bell\x07 null\x00", "bell null"), ("naïve 日本 👩\u200d🔬", "naïve 日本 👩\u200d🔬"),
    ],
)  # fmt: skip
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(ANY_TEXT)
def test_clean_leaves_nothing_that_a_terminal_obeys(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    left = {unicodedata.category(c) for c in clean(text) if c not in "\u200c\u200d"}
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(ANY_TEXT)
def test_a_safe_name_is_one_visible_file_name(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert not safe.startswith((".", "-"))
    assert not set('/\\\0:*?"<>| ') & set(safe)
    assert len(safe.encode()) <= 61


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "etc-passwd"), ("Bericht Q3 (final).pdf", "Bericht-Q3-final-.pdf"),
        ("nul.pdf", "_nul.pdf"), ("...", "document"), ("😀", "document"), ("x" * 250 + ".pdf", "x" * 60),
    ],
)  # fmt: skip
def test_safe_names(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("/srv/my files/home/papers: cannot be read", "papers: cannot be read"),
        ("/srv/vouch/home/papers: cannot be read", "papers: cannot be read"),
        ("papers: bad ('/srv/my.files/db/x.lance', \"/a/b\")", "papers: bad ('x.lance', \"b\")"),
        ("see https://example.org/a/b and s3://bucket/home/x", "see https://example.org/a/b and s3://bucket/home/x"),
        ("a/b and 1/2/3 and / and docs/folders.md", "a/b and 1/2/3 and / and docs/folders.md"),
    ],
)
def test_errors_are_told_without_the_folders_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, said: str, told: str
) -> None:
    monkeypatch.setenv("VOUCH_HOME", "/srv/my files/home")
    assert public_words(IndexingError(said)) == told
    assert public_words(UploadError(f"{said}\n\x1b[2J\u202e")) == said


TEMPLATES = sorted(path.relative_to(ui.__path__[0]) for path in Path(ui.__path__[0]).glob("**/templates/*"))


@pytest.fixture
def written() -> Iterator[dict[str, str]]:
    """Templates of a test's own, by name, in the environment that ours are in."""
    ours, sources = html._environment(), {}
    theirs = ours.overlay(loader=DictLoader(sources), cache_size=0)
    theirs.filters, theirs.globals = ours.filters, ours.globals
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(html, "_environment", lambda: theirs)
        yield sources


def test_a_name_in_an_error_obeys_nothing() -> None:
    for error in (IndexingError, UploadError):
        assert public_words(error("the copy of a\n\x1b[2J\u202eb is missing")) == "the copy of a b is missing"


def test_a_hole_is_escaped_wherever_it_is(written: dict[str, str]) -> None:
    written["one"] = '<p title="{{ text }}">{{ text }}{% set kept %}{{ text }}{% endset %}{{ kept }}</p>'
    made = render("one", text=HOSTILE)
    assert read(made).tags == {"p"}
    assert read(made).text == 2 * clean(HOSTILE)
    assert read(made).values("title") == [clean(HOSTILE)]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1", "\uff1d1", "\u200b=1", "="])
def test_no_cell_begins_a_formula(text: str) -> None:
    assert safe_cell(text).startswith("'")

"""Templates: each can be compiled, every hole is escaped and filled, and a line break between two tags is no space."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from jinja2 import DictLoader, UndefinedError

import ui
from tests.ui.markup import ANY_TEXT, read
from tests.ui.stand_ins import HOSTILE
from ui.show import rendering
from ui.show.rendering import escape, render
from ui.show.sanitize import clean

TEMPLATES = sorted(path.relative_to(ui.__path__[0]) for path in Path(ui.__path__[0]).glob("**/templates/*"))


@pytest.fixture
def written() -> Iterator[dict[str, str]]:
    """Templates of a test's own, by name, in the environment that ours are in."""
    ours, sources = rendering._environment(), {}
    theirs = ours.overlay(loader=DictLoader(sources), cache_size=0)
    theirs.filters, theirs.globals = ours.filters, ours.globals
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rendering, "_environment", lambda: theirs)
        yield sources


@given(ANY_TEXT)
def test_what_is_escaped_reads_as_the_text_did(text: str) -> None:
    assert not set("<>\"'{}$`") & set(escape(text))
    assert read(f"<p>{escape(text)}</p>").text == clean(text)


@pytest.mark.parametrize("name", TEMPLATES, ids=str)
def test_every_template_can_be_compiled(name: Path) -> None:
    source, file, _ = rendering._source(name.as_posix())
    assert Path(file) == Path(ui.__path__[0]) / name
    rendering._environment().compile(source, name.as_posix(), file)


def test_a_hole_is_escaped_wherever_it_is(written: dict[str, str]) -> None:
    written["one"] = '<p title="{{ text }}">{{ text }}{% set kept %}{{ text }}{% endset %}{{ kept }}</p>'
    made = render("one", text=HOSTILE)
    assert read(made).tags == {"p"}
    assert read(made).text == 2 * clean(HOSTILE)
    assert read(made).values("title") == [clean(HOSTILE)]


def test_what_a_template_made_is_taken_as_it_is(written: dict[str, str]) -> None:
    written["inner"], written["outer"] = "<b>{{ text }}</b>", "<p>{{ inner }}</p>"
    assert render("outer", inner=render("inner", text="a & b")) == "<p><b>a &amp; b</b></p>"
    assert render("outer", inner=str(render("inner", text="a"))) == "<p>&lt;b&gt;a&lt;/b&gt;</p>"
    with pytest.raises(UndefinedError, match="text"):
        render("inner")


def test_a_line_break_between_tags_is_layout_and_one_between_words_is_a_space() -> None:
    source, *_ = rendering._source("show/templates/message.html")
    assert source.count("\n") == (Path(ui.__path__[0]) / "show/templates/message.html").read_text().count("\n")
    made = render("show/templates/message.html", title="T", detail="D", kind="quiet")
    assert made == '<div class="v-message v-quiet" role="status"><p class="v-lead">T</p><p>D</p></div>'

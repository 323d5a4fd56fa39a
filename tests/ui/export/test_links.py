"""A cited place on a page of the web is linked to its words; no other address becomes a link."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import Document
from indexing.metadata import Metadata
from tests.support import fakes
from tests.ui.stand_ins import citation
from ui.export.sources import link_of


def document(url: str) -> Document:
    return replace(fakes.document("page.html", []), metadata=Metadata(url=url))


def test_a_web_page_is_linked_to_the_words() -> None:
    told = link_of(document("https://mills.example.org/"), citation(quote="The mill, built in 1887."))
    assert told == "https://mills.example.org/#:~:text=The%20mill%2C%20built%20in%201887."


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//a.example"])
def test_nothing_else_is_linked(url: str) -> None:
    assert link_of(document(url), citation(quote="The mill.")) == ""

"""HTML: nothing of a document survives unescaped, and the page can find its way by the data attributes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Failure, FileReport, IndexReport, Progress
from rag import Answer, Sentence
from tests.ui.made_up import HOSTILE, answer, citation, evidence, hostile_answer
from ui.cited import shown_citations
from ui.render import (
    PageView,
    answer_html,
    escape,
    examples_html,
    message_html,
    progress_html,
    report_html,
    viewer_html,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    ["<script>", '"><img src=x onerror=alert(1)>', "</p>", "'--><svg/onload=1>", "${1}", "{{this}}", "&lt;"]
)
TAGS = {
    *(
        "section",
        "p",
        "span",
        "button",
        "svg",
        "circle",
        "path",
        "h3",
        "ol",
        "ul",
        "li",
        "q",
        "div",
        "output",
        "figure",
    ),
    *("figcaption", "img", "g", "rect", "details", "summary", "progress"),
}


class Reader(HTMLParser):
    """Collects tags, attributes and text the way a browser would."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, name: str) -> list[str | None]:
        return [value for key, value in self.attributes if key == name]


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def view(found: Answer, document: str = "report.pdf") -> PageView:
    items = shown_citations(found)
    return PageView(
        "id", document, 3, 9, "data:image/jpeg;base64,AAAA", 400, 500, items, {n: (0.1, 0.2) for n, _ in items}
    )


def harmless(html: str) -> None:
    """Only our tags, no handlers, and nothing that Gradio's templates would fill."""
    reader = read(html)
    assert reader.tags <= TAGS
    assert not [key for key, _ in reader.attributes if key.startswith("on")]
    assert not re.search(r"[{}$`\x1b\u202e]", html)


@given(ANY_TEXT)
def test_escape_leaves_nothing_that_html_reads(text: str) -> None:
    assert not set("<>\"'{}$`") & set(escape(text))


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_document_text_becomes_markup(text: str, name: str, quote: str) -> None:
    found = answer(Sentence(text, (citation(document=name, quote=quote),), "partial"), found=[evidence(document=name)])
    harmless(answer_html(found))
    harmless(answer_html(answer(found=[evidence(document=name)])))
    harmless(viewer_html([view(found, name)]))
    harmless(message_html(text, name, "error"))
    harmless(examples_html([text]))
    harmless(report_html(_report(name, text), quote))
    harmless(progress_html(Progress(name, 0, 1, 2, 3, 1.0)))


def _report(name: str, message: str) -> IndexReport:
    return IndexReport("c", (FileReport("/x", name, "failed", failures=(Failure(3, "TooLarge", message),)),), 1.0)


def test_hostile_text_is_shown_as_it_reads() -> None:
    html = answer_html(hostile_answer())
    harmless(html)
    assert "<img src=x onerror=alert(1)> evil ${alert(2)} {{x}}" in read(html).text
    assert HOSTILE not in html


def test_each_sentence_carries_its_numbers_and_its_verdict() -> None:
    one, two = citation(1), citation(2, page=4)
    html = answer_html(answer(Sentence("A.", (one, two), "supported"), Sentence("B.", (two,), "unchecked")))
    assert read(html).values("data-cites") == ["1 2", "2"]
    assert 'class="v-mark v-supported"' in html
    assert 'class="v-mark v-unchecked"' in html


def test_an_unproven_sentence_has_no_chip_and_says_why() -> None:
    html = answer_html(answer(Sentence("A.", (citation(),), "unsupported")))
    assert read(html).values("data-cite") == []
    assert "no proof found" in html


def test_abstaining_says_where_it_looked() -> None:
    found = [evidence(1, page=7), evidence(2, page=3), evidence(3, document="b.pdf", page=1)]
    text = read(answer_html(answer(found=found))).text
    assert "report.pdf, pages 3 and 7" in text
    assert "b.pdf, page 1" in text


def test_boxes_are_page_fractions() -> None:
    found = answer(Sentence("A.", (citation(bbox=BBox(0.1, 0.2, 0.5, 0.3), boxes=()),), "supported"))
    html = viewer_html([view(found)])
    assert 'viewBox="0 0 1 1" preserveAspectRatio="none"' in html
    assert 'x="0.10000" y="0.20000" width="0.40000" height="0.10000"' in html
    assert 'style="left:10.0000%;top:20.0000%"' in html


def test_an_element_cited_twice_is_tinted_once() -> None:
    found = answer(Sentence("A.", (citation(1), citation(2)), "supported"))
    assert [c for c in read(viewer_html([view(found)])).values("class") if c and "v-element" in c] == [
        "v-element",
        "v-element v-again",
    ]


def test_only_the_first_page_is_open() -> None:
    found = answer(Sentence("A.", (citation(),), "supported"))
    reader = read(viewer_html([view(found), view(found)]))
    assert reader.values("aria-selected") == ["true", "false"]
    assert len(reader.values("hidden")) == 1


def test_a_failed_file_says_why() -> None:
    text = read(report_html(_report("a.pdf", "needs a password"), "done")).text
    assert "page 3: needs a password" in text


@pytest.mark.parametrize("kind", ["quiet", "busy", "error"])
def test_errors_are_announced(kind: str) -> None:
    assert read(message_html("a", kind=kind)).values("role") == ["alert" if kind == "error" else "status"]

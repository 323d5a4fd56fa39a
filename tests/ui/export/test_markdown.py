"""Markdown shows what a document says and obeys nothing in it: read back with a real CommonMark reader."""

from dataclasses import replace
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag import Sentence
from tests.ui.export.test_html import exported
from tests.ui.markup import Reader, read
from tests.ui.stand_ins import HOSTILE, answer, citation, evidence
from ui.export.markdown import escape, markdown
from ui.export.sources import MARK
from ui.show import OTHERS
from ui.show.sanitize import clean

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ATTACKS = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/p.png)",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a | b\n--- | ---\n1 | 2",
    "```\ncode\n```",
    "`code` ``x`` ` `",
    "# heading",
    "Title\n=====",
    "- item\n- item",
    "1. one",
    "12) twelve",
    "> quoted",
    "***",
    "<https://evil.example>",
    "<a@evil.example>",
    "[ref]: http://evil.example",
    "[^1]: note",
    "&lt;b&gt; &amp;",
    "a\\*b\\",
    "~~gone~~ **bold** _it_ __b__",
    "    code",
    "<!-- x -->",
    "$x$ \\(y\\)",
    "--> <!--",
    "(see [x] (y))",
    HOSTILE,
]
LINK = "https://mills.example.org/north_(old).html?a=1&b=[x]#:~:text=The%20mill%2C%20%22old%22"
ANY_TEXT = st.text(max_size=60) | st.lists(st.sampled_from([*ATTACKS, *"#*_-+=|`[](){}<>!.:&\\ 1a\n"]), max_size=8).map(
    "".join
)


def shown(source: str) -> Reader:
    return read(READER.render(source))


@pytest.mark.parametrize("text", ATTACKS)
def test_attacks_are_shown_as_text(text: str) -> None:
    for before, tags in (("", ["p"]), ("# ", ["h1"]), ("> ", ["blockquote", "p"]), ("- ", ["ul", "li"])):
        page = shown(before + escape(text) + "\n")
        assert page.opened == tags
        assert " ".join(page.text.split()) == " ".join(clean(text).split())


@given(ANY_TEXT)
def test_a_text_alone_on_its_line_is_one_paragraph_at_most(text: str) -> None:
    page = shown(f"x {escape(text)} x")
    assert page.opened == ["p"]
    assert " ".join(page.text.split()) == f"x {' '.join(clean(text).split())} x".replace("x  x", "x x")
    page = shown(escape(text))
    assert page.opened == (["p"] if clean(text).strip() else [])
    assert " ".join(page.text.split()) == " ".join(clean(text).split())


def test_the_file_has_our_structure_whatever_the_document_says() -> None:
    cited = citation(document=f"{HOSTILE}.pdf", quote=f"{HOSTILE} | quote")
    page = shown(markdown(exported(answer(Sentence(HOSTILE, (cited,), "unconfirmed"))), "a b<\n>.files"))
    assert page.opened == [
        *["h1", "p", "em", "h2", "h3", "blockquote", "p", "p", "img", "p", "code"],
        *["hr", "p", "code"],
    ]
    (link,) = page.values("src") + page.values("href")
    assert link.startswith("a%20b%3C%0A%3E.files/1-img-src-x")
    assert "alert(1)" in page.text


def test_sentences_sources_and_anchors() -> None:
    one, two = citation(1), citation(2, page=3, role="unconfirmed")
    said = Sentence("Fares rose.", (one, two), "confirmed"), Sentence("In 1999.", (two,), "unconfirmed")
    remark = Sentence("C.", (one,), "computed", beside=True, heading="Documents *disagree*")
    told = exported(answer(*said, remark, Sentence("B.", (one,), "quoted", beside=True)))
    bare = replace(told.sources[0], png=b"", link=LINK)
    told = replace(told, sources=[bare, told.sources[1]], notes=["No picture of page 1: *damaged*"])
    lines = markdown(told, "a.files").splitlines()
    assert MARK in lines[0]
    assert lines[2:8:2] == [
        "# Why?",
        r"Fares rose. \[1\]\[2\] *(confirmed)*",
        r"In 1999. \[2\] *(not confirmed)*",
    ]
    assert r"### \[2\] report\.pdf, page 3, paragraph, not confirmed: pointed to, not proven" in lines
    assert f"`{told.sources[1].anchor}`" in lines
    assert "![Evidence 2 on page 3](a.files/2-report.pdf-p3.png)" in lines
    assert {r"## Documents \*disagree\*", f"## {OTHERS}", r"- No picture of page 1: \*damaged\*"} <= set(lines)
    page = shown("\n".join(lines))
    assert "The words on the page" in page.text
    assert [unquote(link) for link in page.values("href")] == [unquote(LINK)]
    assert len(page.values("src")) == 1
    text = markdown(exported(answer(found=[evidence(document="a_b.pdf", page=4)])), "a.files")
    assert "These documents do not seem to say." in text
    assert r"- a\_b\.pdf, page 4" in text

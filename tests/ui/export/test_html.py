"""The HTML file stands alone: no script, no address, everything escaped, every picture inside."""

import io

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from indexing import Page
from rag import Answer, Sentence, anchor_of
from tests.support import fakes
from tests.ui.markup import read
from tests.ui.stand_ins import answer, citation, evidence, hostile_answer
from ui.export.sources import MARK, ExportContents, Source
from ui.export.writers import html_page
from ui.show import quote_to_show, shown_citations

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    ["</style><script>", '"><img src=x onerror=alert(1)>', "--><script>", "</title>", "javascript:alert(1)", "&lt;"]
)
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "a", "small", "section"}
TAGS |= {"blockquote", "img", "code", "footer", "ul", "li"}


def png(size: tuple[int, int] = (40, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "white").save(buffer, "PNG")
    return buffer.getvalue()


def exported(found: Answer) -> ExportContents:
    """An answer with the sources of its shown citations, their pictures blank."""
    sources = []
    for number, cited in shown_citations(found):
        document = fakes.document(cited.document, [])
        renamed = type(document)(cited.doc_id, document.name, "", 9, document.sha256)
        anchor = anchor_of(cited, renamed, Page(cited.doc_id, cited.page, 420.0, 595.0))
        sources.append(Source(number, cited, anchor, quote_to_show(found, cited), png(), (40, 20)))
    return ExportContents(found, sources)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_text_adds_a_tag_or_an_address(said: str, quote: str, name: str) -> None:
    page = read(html_page(exported(answer(Sentence(said, (citation(quote=quote, document=name),), "confirmed")))))
    known = read(html_page(exported(answer(Sentence("a", (citation(quote="b", document="c"),), "confirmed")))))
    assert [t for t in page.opened if t != "blockquote"] == [t for t in known.opened if t != "blockquote"]
    links = page.values("href") + page.values("src")
    assert all(v.startswith(("#source-", "data:image/png;base64,")) for v in links)


def test_nothing_is_fetched_and_nothing_runs() -> None:
    text = html_page(exported(hostile_answer()))
    page = read(text)
    assert page.tags <= TAGS
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.text.count("<img src=x onerror=alert(1)>") == 3  # sentence, document, what is missing
    assert not {"\x1b", "\u202e"} & set(page.text)
    assert MARK in text[:200]
    policy = str(page.values("content")[0])
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'")
    assert "<script" not in text
    assert "url(" not in text
    assert "http://" not in text
    assert "https://" not in text
    assert "@import" not in text
    for rule in ("color-scheme:light dark", "prefers-color-scheme:dark", "@media print"):
        assert rule in text


def test_a_remark_stands_under_its_heading() -> None:
    remark = Sentence("B.", (citation(),), "computed", beside=True, heading="Documents <disagree>")
    other = Sentence("D.", (citation(),), "quoted", beside=True)
    page = read(html_page(exported(answer(Sentence("A.", (citation(),), "quoted"), remark, remark, other))))
    assert page.text.count("Documents <disagree>") == 1
    assert page.text.index("A.") < page.text.index("Documents <disagree>") < page.text.index("B.")
    assert page.text.index("B.") < page.text.index("Other places that were retrieved") < page.text.index("D.")


def test_an_abstention_says_where_it_looked_or_the_known_reason() -> None:
    page = read(html_page(exported(answer(found=[evidence(document="<b>.pdf", page=4)]))))
    assert "These documents do not seem to say." in page.text
    assert "<b>.pdf, page 4" in page.text
    assert "h2" not in page.tags

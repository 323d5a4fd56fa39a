"""HTML: what pages bring is read in linear time and is text; what documents say is shown as text."""

from dataclasses import replace

from hypothesis import strategies as st

from plugins.audit.manuscripts.web_page import web_page_blocks
from plugins.formats.html import html_text, read_html
from rag import Sentence
from tests.fuzz.conftest import DOCUMENTED, Fuzz
from tests.fuzz.hostile import ANY, NAMES, PIECES, is_a_message, linear
from tests.ui.markup import harmless
from tests.ui.stand_ins import answer, citation, evidence
from ui.show import answer_html, message_html

TAGS = ("p", "div", "s", "del", "sup", "table", "tr", "td", "th", "caption", "ul", "li", "h1", "pre", "a",
         "img", "svg",
        "style", "script", "template", "iframe", "title", "head", "body", "br", "ruby", "select", "!--",
        "![CDATA[", "?")  # fmt: skip
NAMED = ("style", "class", "id", "href", "colspan", "rowspan", "hidden", "src", "lang", "xmlns")
STYLES = ("display:none", "font-size:0.1px", "left:-9e9px", "opacity:1e-99", "clip:rect(0,0,0,0)", "color:#",
         "x:\\110000",
          "text-decoration:line-through", "/*", "*/", "{", "}", "@media all{", ".a .b #c{",
          "color:rgba(0,0,0,0)")  # fmt: skip
VALUES = st.sampled_from((*STYLES, "99999999", "-1", "javascript:x()", "a b c", '"', "'")) | ANY
ELEMENTS = st.builds(
    lambda tag, name, value, close: f"</{tag}>" if close else f'<{tag} {name}="{value}">',
    st.sampled_from(TAGS), st.sampled_from(NAMED), VALUES, st.booleans(),
)  # fmt: skip
PAGES = st.lists(
    ELEMENTS | st.sampled_from(STYLES) | ANY | st.sampled_from(("&#0;", "&#xD800;", "&amp", "]]>")), max_size=25
)
READERS = {
    "the text of a mail": html_text,
    "a page without a browser": read_html,
    "a page that is checked": lambda said: list(web_page_blocks(said.encode("utf-8", "replace"), "page.html")),
}


def test_any_page_is_read_as_text(fuzz: Fuzz) -> None:
    def check(pieces: list[str]) -> None:
        page = "".join(pieces)
        for read in READERS.values():
            try:
                read(page)
            except DOCUMENTED as error:
                is_a_message(error)

    fuzz(check, pieces=PAGES)


def test_a_page_takes_linear_time(fuzz: Fuzz) -> None:
    def check(piece: str, name: str) -> None:
        def read(text: str) -> None:
            try:
                READERS[name](text)
            except DOCUMENTED:
                return

        linear(read, piece)

    piece = PIECES | ELEMENTS | st.sampled_from(STYLES).map("<style>{}</style>".format)
    fuzz(check, piece=piece, name=st.sampled_from(sorted(READERS)))


def test_what_a_document_says_is_shown_as_text(fuzz: Fuzz) -> None:
    def check(text: str, name: str, quote: str) -> None:
        cited = citation(document=name, quote=quote, role="unconfirmed")
        found = answer(Sentence(text, (cited,), "unconfirmed"), found=[evidence(document=name)])
        harmless(answer_html(replace(found, missing=text)))
        harmless(message_html(text, name, "error"))

    said = ANY | ELEMENTS | st.sampled_from(("${1}", "{{this}}", "`x`", "&lt;script&gt;", "\x1b[2J", "\u202e"))
    fuzz(check, text=said, name=NAMES | said, quote=said)

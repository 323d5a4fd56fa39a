"""HTML is read in its order, without what its styles hide; saved pages become documents, MHTML among them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from indexing import DamagedFile, FileError, IndexingSettings, NoPages, TooLarge
from plugins.formats import html
from plugins.formats.html import html_text, read_html, web_rendition
from plugins.formats.typesetting import SourceBlock
from tests.plugins.formats.laid_out import elements

PAGE = """<!doctype html><html lang="de"><head><title> The
 mill </title><style>p {}</style></head><body>lead<h1>The <i>mill</i></h1>
<p>It stands<br>by the ri<b>ver</b>. <!-- not this --><p>Second<script>not this</script>
<ul><li>one<ul><li>inner</ul><li>two <p>more</ul>
<pre>  a
\tb</pre><div hidden>not this</div><p style="Display : none">not this</p>
<table><caption>Sacks</caption><tr><th>Year<th>Sacks<tr><td>1901<td>40 <b>t</b></table>
<table><tr><td><h2>Layout</h2><td>cell</table><figure><figcaption>A wheel</figcaption></figure>tail</body></html>"""


def html_blocks(content: str | bytes) -> tuple[SourceBlock, ...]:
    return read_html(content).blocks


def test_a_page_becomes_its_blocks_in_order() -> None:
    assert [(b.kind, b.level, b.text) for b in html_blocks(PAGE)] == [
        ("text", 0, "lead"), ("heading", 1, "The mill"), ("text", 0, "It stands\nby the river."), ("text", 0, "Second"),
        ("list", 0, "one"), ("list", 1, "inner"), ("list", 0, "two"), ("list", 0, "more"), ("text", 0, "  a\n    b"),
        ("table", 0, ""), ("heading", 2, "Layout"), ("text", 0, "cell"), ("caption", 0, "A wheel"), ("text", 0, "tail"),
    ]  # fmt: skip
    table = next(b for b in html_blocks(PAGE) if b.kind == "table")
    assert (table.rows, table.header_rows, table.caption) == ((("Year", "Sacks"), ("1901", "40 t")), 1, "Sacks")
    assert [b.code for b in html_blocks(PAGE)].count(True) == 1
    assert (read_html(PAGE).title, read_html(PAGE).language) == ("The mill", "de")
    assert {"It stands", "by the river.", "1901 40 t"} <= set(html_text(PAGE).split("\n"))


READERS = pytest.mark.parametrize(
    "read", [lambda page: [b.text for b in html_blocks(page)], lambda page: html_text(page).split("\n")]
)
HIDING = [
    "display:none", "visibility: hidden", "opacity:0", "OPACITY : 0.01 !important", "font-size:0", "font-size: 1px",
    "font: 0/0 a", "position:absolute; left:-9999px", "text-indent:-100em", "clip: rect(0,0,0,0)", "clip:rect(0 0 0 0)",
    "clip-path: inset(50%)", "clip-path:circle(0)", "height:1px; overflow:hidden", "transform: scale(0)",
    "transform:translateX(-5000px)", "color: transparent", "color:#fff;background:#fff", "color:rgba(0, 0, 0, 0)",
    "opacity/* not so */: 0", r"o\70 acity: 0", "content-visibility: hidden",
]  # fmt: skip
SHOWING = [
    "opacity: .9", "font-size: 12px", "margin-left:-4px", "clip: auto", "color:#fff; background: #000", "height:1px",
    "transform: scale(1.5)", "font: bold 12px serif", "clip-path: inset(5%)", "overflow: hidden; height: 200px",
]  # fmt: skip
RULES = """.a .b, #c { opacity: 0 } i.d { display:none } i.d.shown { display:inline }
@media print { p { display:none } } @media screen { .e { font-size:0px } }"""


@READERS
def test_what_styles_hide_is_not_read(read: Callable[[str], list[str]]) -> None:
    for style in HIDING:
        assert read(f"<body><p>seen</p><p style='{style}'>no <b>such</b> text</p></body>") == ["seen"], style
    for style in SHOWING:
        assert read(f"<body><p style='{style}'>seen</p></body>") == ["seen"], style
    page = f"""<head><style>/* p {{ */{RULES}</style></head><body>
    <p class="b">one</p><div class="a"><p class=b>no</p></div><p id=c>no</p>
    <p>two <i class=d>no</i><i class="d shown">three</i></p><p class=e>no</p></body>"""
    assert read(page) == ["one", "two three"]


@READERS
def test_what_is_struck_out_says_so(read: Callable[[str], list[str]]) -> None:
    page = "<p>It costs <s>5</s> 6, <span style='text-decoration: line-through'>not <b>now</b></span>.</p>"
    assert read(page) == ["It costs [struck out: 5] 6, [struck out: not] [struck out: now] ."]


def test_characters_are_those_the_page_says() -> None:
    assert html_blocks("<p>é".encode())[0].text == "é"
    assert html_blocks(b'<meta charset="iso-8859-1"><p>\xe9')[0].text == "é"
    assert html_blocks("<p>a piece é")[0].text == "a piece é"


def test_hostile_pages_end_soon() -> None:
    assert len(html_blocks("<div>" * 100_000 + "deep")) <= 1
    assert len(html_blocks("<p>a" * 150_000)) == 100_000
    spanned = "<table>" + "<tr><td colspan=100000>a<td>b" * 5000 + "</table>"
    assert all(len(b.rows) * len(b.rows[0]) <= 100_000 for b in html_blocks(spanned) if b.rows)


MHTML = b"""From: <Saved by a browser>\r
Snapshot-Content-Location: https://mill.example/dir/page.html\r
MIME-Version: 1.0\r
Content-Type: multipart/related; type="text/html"; boundary="----B"\r
\r
------B\r
Content-Type: text/html; charset=iso-8859-1\r
Content-Transfer-Encoding: quoted-printable\r
Content-Location: https://mill.example/dir/page.html\r
\r
<html lang=3D"en-GB"><meta name=3Dauthor content=3D"Ada  Hill"><title>Mill</title><p>caf=E9 <img src=3D"a.png">\r
------B\r
Content-Type: image/png\r
\r
hello\r
------B--\r
"""


def test_a_page_saved_as_one_file_is_read_with_what_it_says_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.mhtml"
    path.write_bytes(MHTML)
    made = web_rendition(path, IndexingSettings())
    assert [element.text for element in elements(made)] == ["café"]
    known = made.metadata
    assert (made.title, known.url) == ("Mill", "https://mill.example/dir/page.html")
    assert (known.author, known.language) == ("Ada Hill", "en")
    assert made.notes == ("its pictures (1) were left out: save the page as a PDF to have them read",)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"<p>no mhtml", DamagedFile),
        (b"MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nwords", NoPages),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n", NoPages),
        (b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n", NoPages),
        (b"MIME-Version: 1.0\r\n" + b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(3000)), FileError),
        (bytes(2 << 20), TooLarge),
    ],
)  # fmt: skip
def test_what_is_no_page_is_a_named_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, error: type[FileError]
) -> None:
    monkeypatch.setattr(html, "MAX_MB", 1)
    path = tmp_path / "a.mht"
    path.write_bytes(content)
    with pytest.raises(error, match=r"a\.mht"):
        web_rendition(path, IndexingSettings())

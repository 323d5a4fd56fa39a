"""Drawn pages: what is on them becomes elements with boxes, what nobody sees is left out and counted."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from indexing.conversion import Rendition
from indexing.settings import IndexingSettings
from indexing.types import Element
from plugins.formats.web import web_rendition

pytestmark = pytest.mark.slow

PAGE = """<!doctype html><html lang="en-GB"><head><title>  The  mill </title>
<meta name="author" content="Ada"><meta property="article:published_time" content="2024-05-17T10:00:00Z">
<link rel="canonical" href="https://mill.example/page"></head><body>
<nav><a href="/home">Home</a></nav>
<h1>The mill</h1><p>It stands by the <a href="other.html">river&nbsp;Wye</a> and grinds co<b>rn</b>.</p>
<h2>Output</h2>
<table><caption>Sacks of flour</caption><thead><tr><th>Year<th>Sacks</thead>
<tr><td>1901<td>40<tr><td rowspan=2>1902<td>55<tr><td>60</table>
<ul><li>first thing<ul><li>inner thing</ul><li>second thing</ul>
<figure><img src="data:image/png;base64,{picture}" width=200 height=100><figcaption>The wheel</figcaption></figure>
<pre>def grind(corn):
    return flour</pre>
<p style="text-transform:uppercase">loud</p>
<details><summary>More</summary><p>folded text</p></details>
<form><input name="childNodes"><input name="firstChild"><input name="tagName"><p>inside a form</form>
<img name="body"><img name="documentElement"><img name="querySelectorAll">
<div>{hidden}</div>
<p>Its sails turned 2<sup>31</sup> times.<sup><a href="#end">4</a></sup> It stands
 <span style="vertical-align:super">5</span> since the 4<sup>th</sup>.</p>
<p>Flour costs <s>nine crowns</s> <span style="text-decoration:line-through">not <b>now</b></span> ten.</p>
<p id=end>The end.</p></body></html>"""

HIDDEN = """
<p style="display:none">secret0</p><p style="visibility:hidden">secret1</p><p style="opacity:0">secret2</p>
<p style="position:absolute;left:-9999px">secret3</p><p style="color:white">secret4</p>
<p style="color:rgba(0,0,0,0.02)">secret5</p><p style="font-size:1px">secret6</p>
<p style="height:0;overflow:hidden;margin:0">secret7</p>
<p style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">secret8</p>
<p style="clip-path:inset(100%)">secret9</p><p style="transform:scale(0)">secret10</p><p hidden>secret11</p>
<div style="position:relative;height:40px;background:#eee">secret12<div
 style="position:absolute;inset:0;background:#ddd"></div></div>
<div style="background:#123"><span style="color:#123">secret13</span></div>
<p style="text-indent:-5000px;overflow:hidden">secret14</p>
<div style="width:300px;overflow:hidden;white-space:nowrap"><span style="padding-left:400px">secret15</span></div>
<p style="content-visibility:hidden">secret16</p><p style="color:#f4f4f4">secret17</p>
<div style="opacity:.3"><div style="opacity:.2">secret18</div></div>
"""


@pytest.fixture(scope="module")
def rendition(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Rendition:  # noqa: ARG001  skips without
    drawn = io.BytesIO()
    Image.new("RGB", (20, 10), "green").save(drawn, "PNG")
    import base64

    picture = base64.b64encode(drawn.getvalue()).decode()
    path = tmp_path_factory.mktemp("web") / "mill.html"
    path.write_text(PAGE.replace("{picture}", picture).replace("{hidden}", HIDDEN), encoding="utf-8")
    return web_rendition(path, IndexingSettings())


def element(rendition: Rendition, text: str) -> Element:
    found = [e for page in rendition.pages or () for e in page.elements if text in e.text]
    assert len(found) == 1, text
    return found[0]


def test_paragraphs_keep_the_words_of_inline_elements_together(rendition: Rendition) -> None:
    mill = element(rendition, "river")
    assert mill.text == "It stands by the river Wye and grinds corn."
    assert [mill.text[a:b] for a, b in mill.words.spans.tolist()][-3:] == ["co", "rn", "."]
    assert set(mill.words.lines.tolist()) == {0}
    assert mill.section == element(rendition, "Output").section == ("The mill",)
    assert element(rendition, "first thing").section == ("The mill", "Output")
    assert element(rendition, "Its sails").text == "Its sails turned 2³¹ times.⁴ It stands ⁵ since the 4th."


def test_what_is_struck_out_says_so(rendition: Rendition) -> None:
    text = "Flour costs [struck out: nine crowns] [struck out: not] [struck out: now] ten."
    assert element(rendition, "Flour costs").text == text


def test_a_table_keeps_its_cells_its_heads_and_its_caption(rendition: Rendition) -> None:
    table = element(rendition, "1901")
    assert table.kind == "table"
    assert table.text == "Year | Sacks\n1901 | 40\n1902 | 55\n60"
    assert [(c.row, c.col, c.row_span, c.header, table.text[c.start : c.end]) for c in table.cells] == [
        (0, 0, 1, True, "Year"), (0, 1, 1, True, "Sacks"), (1, 0, 1, False, "1901"), (1, 1, 1, False, "40"),
        (2, 0, 2, False, "1902"), (2, 1, 1, False, "55"), (3, 1, 1, False, "60"),
    ]  # fmt: skip
    assert table.caption == "Sacks of flour"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("first thing", "list"), ("inner thing", "list"), ("Home", "header"), ("Output", "heading"), ("LOUD", "text"),
        ("folded text", "text"), ("def grind(corn):\n    return flour", "text"), ("Sacks of flour", "caption"),
        ("inside a form", "text"), ("The end.", "text"),  # fields named as properties of the DOM have no say
    ],
)  # fmt: skip
def test_elements_have_their_kinds(rendition: Rendition, text: str, kind: str) -> None:
    assert element(rendition, text).kind == kind


def test_a_picture_has_its_caption_and_the_page_its_record(rendition: Rendition) -> None:
    pictures = [e for page in rendition.pages or () for e in page.elements if e.kind == "picture"]
    assert [picture.caption for picture in pictures] == ["The wheel"]
    metadata = rendition.metadata
    assert (rendition.title, metadata.author, metadata.date) == ("The mill", "Ada", "2024-05-17")
    assert (metadata.language, metadata.url) == ("en", "https://mill.example/page")


@pytest.mark.gate
def test_what_nobody_sees_is_left_out_and_counted(rendition: Rendition) -> None:
    said = " ".join(e.text for page in rendition.pages or () for e in page.elements)
    assert [word for word in said.split() if word.startswith("secret")] == []
    assert sum(page.hidden for page in rendition.pages or ()) == 19


@pytest.mark.gate
def test_every_word_has_ink_in_its_box_and_the_pdf_says_it(rendition: Rendition) -> None:
    with pymupdf.open(stream=rendition.pdf) as pdf:
        assert len(pdf) == len(rendition.pages or ())
        for page, parsed in zip(pdf, rendition.pages or (), strict=True):
            assert page.rect.width == pytest.approx(735)
            image = page.get_pixmap(dpi=96, colorspace=pymupdf.csGRAY)
            pixels = np.frombuffer(image.samples, np.uint8).reshape(image.height, image.width)
            for x0, y0, x1, y1 in np.concatenate([e.words.boxes for e in parsed.elements]).tolist():
                inside = pixels[int(y0 * image.height) : int(y1 * image.height) + 1, int(x0 * image.width) :]
                assert int(np.ptp(inside[:, : max(1, int((x1 - x0) * image.width))])) > 20
            searched = page.search_for("grinds corn")
            assert len(searched) == 1
            at = element(rendition, "river")
            x0, y0, x1, y1 = at.bbox.to_page(page.rect.width, page.rect.height)
            assert x0 < searched[0].x0 < searched[0].x1 < x1 + 3
            assert abs(searched[0].y1 - y1) < 6
            assert [link["uri"] for link in page.get_links()] == [
                "https://page.invalid/home", "https://page.invalid/other.html"]  # fmt: skip


def test_a_long_page_is_cut_between_its_paragraphs(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "long.html"
    path.write_text(
        "<!doctype html><title>x</title>" + "".join(f"<p>paragraph {n} " + "word " * 150 for n in range(60))
    )
    pages = web_rendition(path, IndexingSettings()).pages or ()
    assert len(pages) > 2
    assert [e.text.split()[1] for page in pages for e in page.elements] == [str(n) for n in range(60)]
    assert all(page.page.height <= 1400 * 0.75 for page in pages)
    kept = web_rendition(path, IndexingSettings(web_height=2000))
    assert 1300 < sum(page.page.height for page in kept.pages or ()) <= 1500
    assert any("web_height" in note for note in kept.notes)

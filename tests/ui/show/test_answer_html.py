"""HTML: nothing of a document survives unescaped, and the page can find its way by the data attributes."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given

from indexing import BBox
from rag import Sentence
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import HOSTILE, answer, citation, evidence
from ui.show import OTHERS, answer_html, bars_svg, heat_svg, message_html


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_document_text_becomes_markup(text: str, name: str, quote: str) -> None:
    cited = citation(document=name, quote=quote, role="unconfirmed")
    found = replace(answer(Sentence(text, (cited,), "unconfirmed"), found=[evidence(document=name)]), missing=text)
    harmless(answer_html(found))
    harmless(answer_html(answer(found=[evidence(document=name)])))
    harmless(message_html(text, name, "error"))


def test_each_sentence_carries_its_numbers_and_its_verdict() -> None:
    one, two = citation(1), citation(2, page=4)
    short = Sentence("<i>Dead</i>: 150 in all.", (one, two), "confirmed", short=(13, 16))
    aside = Sentence("C.", (one,), "quoted", beside=True)
    html = answer_html(
        answer(short, Sentence("B.", (two,), "unconfirmed"), aside, aside, found=[evidence(2), evidence()])
    )
    assert read(html).values("data-cites") == ["1 2", "2", "1", "1"]
    assert "<strong>150</strong> in all." in html
    text = read(html).text
    assert (text.count(OTHERS), text.index("B.") < text.index(OTHERS) < text.index("C.")) == (1, True)
    remark = replace(aside, text="D.", heading="<b>Disagree")
    text = read(answer_html(answer(short, remark, aside))).text
    assert text.index("<b>Disagree") < text.index("D.") < text.index(OTHERS) < text.index("C.")
    assert text.count(OTHERS) == 1
    assert '<details class="v-others"><summary>' in html
    assert html.count("rank 2") == 2  # of the two passages in the fold alone
    assert 'class="v-mark v-confirmed"' in html
    assert 'class="v-mark v-unconfirmed"' in html


def test_what_is_missing_stands_below_the_sentences_or_the_no_escaped_and_bounded() -> None:
    for said in (answer(Sentence("A.", (citation(),), "confirmed")), answer()):
        html = answer_html(replace(said, missing=f"{HOSTILE} {'x ' * 400}"))
        harmless(html)
        (line,) = re.findall('<p class="v-missing">(.*?)</p>', html)
        assert line.startswith("Not on the pages that were read: &lt;img src=x")
        assert len(read(line).text) <= len("Not on the pages that were read: ") + 300
    assert "v-missing" not in answer_html(answer())


TOP, BOTTOM = BBox(0.1, 0.1, 0.9, 0.2), BBox(0.1, 0.5, 0.9, 0.6)


@pytest.mark.parametrize(("values", "least", "most"), [((0.2, 0.7), 0, 0.5), ((0.4, 0.4), 0, 0)])
def test_the_likest_region_of_a_heat_map_is_the_strongest(
    values: tuple[float, float], least: float, most: float
) -> None:
    one, two = ET.fromstring(heat_svg([(TOP, values[0]), (BOTTOM, values[1])]))
    assert float(one.attrib["fill-opacity"]) == least
    assert float(two.attrib["fill-opacity"]) >= most
    sides = [float(one.attrib[side]) for side in ("x", "y", "width", "height")]
    assert BBox(sides[0], sides[1], sides[0] + sides[2], sides[1] + sides[3]).iou(TOP) > 0.999


def widths(svg: str) -> list[float]:
    return [float(w) for w in re.findall(r'v-plot-bar"[^>]* width="([\d.]+)%"', svg)]


def test_bars_are_shares_of_the_largest_and_many_are_cut() -> None:
    svg = bars_svg("Kinds", {"text": 40, "table": 10, "none": 0}, lambda v: f"{v:.0f}")
    assert widths(svg) == [100.0, 25.0, 0.0]
    assert 'aria-label="Kinds. text: 40, table: 10, none: 0"' in svg
    assert bars_svg("Kinds", {}, str) == ""
    svg = bars_svg("Kinds", {str(n): n for n in range(20)}, str, most=5)
    assert (len(widths(svg)), "And 15 more." in svg) == (5, True)

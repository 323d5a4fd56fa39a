"""What a model is shown of a page: elements cut out of it, or the page with labels drawn beside them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageStat

from indexing import BBox, Collection
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag import Pipeline
from rag.crops import LEAST_SIDE, Crops, cut_out
from rag.methods.write.evidence_views import FRAME, INK, evidence_views, labelled
from rag.settings import WritingSettings
from rag.types import Evidence, EvidenceView
from tests.support import fakes

SQUARE = BBox(0.5, 0.25, 0.7, 0.35)
SHARES = st.floats(0, 1, allow_nan=False)


def page(width: int = 600, height: int = 800) -> Image.Image:
    """White paper with a red rectangle at SQUARE."""
    image = Image.new("RGB", (width, height), "white")
    x0, y0, x1, y1 = (round(v) for v in SQUARE.to_page(width, height))
    image.paste((200, 0, 0), (x0, y0, x1, y1))
    return image


def redness(image: Image.Image) -> float:
    """Share of the pixels that are red."""
    red = image.point(lambda v: 255 * (v < 100)).split()[1]
    return ImageStat.Stat(red).mean[0] / 255


@pytest.mark.parametrize("size", [(600, 800), (1275, 1650), (800, 300)])
def test_what_is_cut_out_is_the_element_with_a_margin(size: tuple[int, int]) -> None:
    whole = page(*size)
    image = cut_out(whole, SQUARE, 4096)
    assert redness(image) * image.width * image.height == pytest.approx(redness(whole) * size[0] * size[1])
    assert redness(image) > 0.5
    assert {image.getpixel((0, 0)), image.getpixel((image.width - 1, image.height - 1))} == {(255, 255, 255)}


def test_its_longer_side_is_bounded_and_its_shape_kept() -> None:
    image = cut_out(page(1200, 1600), SQUARE, 100)
    assert max(image.size) == 100
    assert image.width / image.height == pytest.approx(252 / 172, rel=0.05)


@given(SHARES, SHARES, SHARES, SHARES, st.integers(60, 400), st.integers(60, 400))
def test_no_cut_out_is_a_sliver_or_leaves_its_page(
    a: float, b: float, c: float, d: float, width: int, height: int
) -> None:
    x0, x1 = sorted((a, b))
    y0, y1 = sorted((c, d))
    if x0 == x1 or y0 == y1:
        return
    image = cut_out(Image.new("RGB", (width, height), "white"), BBox(x0, y0, x1, y1), 4096)
    assert ImageStat.Stat(image).extrema == [(255, 255)] * 3
    assert min(image.size) >= LEAST_SIDE // 2  # at the edge of a page there is room on one side only


def test_labels_stand_beside_their_frames_and_not_on_one_another() -> None:
    items = [Evidence(f"E{n}", fakes.element("x", ordinal=n), "a.pdf", 1.0) for n in (1, 2)] + [
        Evidence("E3", fakes.element("x", ordinal=2), "a.pdf", 1.0)
    ]
    plain = Image.new("RGB", (600, 800), "white")
    image = labelled(plain, items, 4096)
    assert plain.getcolors() == [(480_000, (255, 255, 255))]
    left = [y for y in range(800) if image.getpixel((55, y)) == INK]
    runs = [y for y in left if y - 1 not in left]
    assert len(runs) == 3
    assert image.getpixel((60 - FRAME, round(0.07 * 800))) == INK  # the frame of E1, whose element begins at 0.1 x 600
    assert image.getpixel((300, round(0.07 * 800))) == (255, 255, 255)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[tuple[Collection, list[Evidence]]]:
    """A collection with a document of two pages: a red rectangle and a line on the first, nothing on the second."""
    made = fakes.collection(tmp_path_factory.mktemp("drawn"), embedder, "drawn")
    (document,) = fakes.index(made, {"red.pdf": [["The rectangle is red.", "So it is."], ["Nothing."]]})
    source = tmp_path_factory.mktemp("source") / "red.pdf"
    pdf = pymupdf.open()
    first = pdf.new_page(width=420, height=595)
    first.draw_rect(pymupdf.Rect(*SQUARE.to_page(420, 595)), fill=(0.8, 0, 0), color=(0.8, 0, 0))
    pdf.new_page(width=420, height=595)
    pdf.save(source)
    pdf.close()
    shutil.copy(source, made.path / "sources" / f"{document.sha256}.pdf")
    kinds: tuple[tuple[int, BBox, Kind], ...] = (
        (1, SQUARE, "picture"), (2, BBox(0.1, 0.1, 0.9, 0.2), "text"), (1, BBox(0.1, 0.6, 0.9, 0.7), "text"),
    )  # fmt: skip
    found = []
    for n, (number, box, kind) in enumerate(kinds, 1):
        element = fakes.element(f"text {n}", document.id, number, n, kind)
        found.append(Evidence(f"E{n}", replace(element, bbox=box), "red.pdf", 1.0))
    yield made, found
    made.close()


def shown(drawn: tuple[Collection, list[Evidence]], mode: str, **settings: object) -> tuple[EvidenceView, ...]:
    writing = WritingSettings(**settings)  # type: ignore[arg-type]
    crops = Crops(drawn[0], writing.page_width, writing.picture_side)
    found, notes = evidence_views(crops, drawn[1], mode, writing)  # type: ignore[arg-type]
    assert notes == ()
    return found


@pytest.mark.slow
class TestOnDrawnPages:
    def test_mode_text_draws_nothing(self, drawn: tuple[Collection, list[Evidence]]) -> None:
        found = shown(drawn, "text")
        assert [(e.evidence[0].label, e.image, e.text) for e in found] == [(f"E{n}", None, True) for n in (1, 2, 3)]

    def test_beside_its_text_mode_multi_cuts_out_what_says_more_than_that(
        self, drawn: tuple[Collection, list[Evidence]]
    ) -> None:
        found = shown(drawn, "multi")
        assert [(e.evidence[0].label, e.image is not None, e.text) for e in found] == [
            ("E1", True, True),
            ("E2", False, True),
            ("E3", False, True),
        ]
        made, items = drawn
        recognised = [replace(item, element=replace(item.element, source="ocr")) for item in items]
        assert all(e.image is not None for e in shown((made, recognised), "multi"))

    @pytest.mark.parametrize(("mode", "text"), [("image", False), ("multi", True)])
    def test_crops_are_one_each_in_order(self, drawn: tuple[Collection, list[Evidence]], mode: str, text: bool) -> None:
        found = shown(drawn, mode, pictured="all")
        assert [(e.evidence[0].label, e.text) for e in found] == [(f"E{n}", text) for n in (1, 2, 3)]
        assert [round(redness(e.image)) for e in found] == [1, 0, 0]
        assert max(max(e.image.size) for e in found) <= 1024

    def test_pages_are_shown_once_with_all_their_labels(self, drawn: tuple[Collection, list[Evidence]]) -> None:
        found = shown(drawn, "image", pictures="pages", picture_side=500)
        assert [[e.label for e in exhibit.evidence] for exhibit in found] == [["E1", "E3"], ["E2"]]
        assert [max(exhibit.image.size) for exhibit in found] == [500, 500]
        assert 0.01 < redness(found[0].image) < 0.05
        assert INK in {colour for _, colour in found[1].image.getcolors(100_000) or []}

    def test_a_page_that_cannot_be_drawn_is_shown_as_text_and_noted(self, town: Collection) -> None:
        crops = Crops(town, 400, 400)
        _, found = Pipeline(town).retrieve("When was the mill built?", documents=["mill.pdf"])
        made, notes = evidence_views(crops, found.evidence, "image", WritingSettings())
        assert all(e.text and e.image is None for e in made)
        assert notes
        assert all("mill.pdf was shown as text only" in note for note in notes)

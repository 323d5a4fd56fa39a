"""What the visual embedder without a vision model sees, and what the modes find with it."""

from __future__ import annotations

import numpy as np
import pytest

from indexing import BBox, Collection, IndexingSettings, Region, build_index
from indexing.embed.minilm import MiniLM
from indexing.embed.ocr_regions import OcrRegions
from indexing.parse.scan.ocr import Word
from indexing.parse.scan.paragraphs import regions_of
from tests.support import documents, fakes


def line(number: int, text: str, left: float, top: float, height: float = 10.0) -> list[Word]:
    return [
        Word(left + 40 * n, top, left + 40 * n + 35, top + height, word, number) for n, word in enumerate(text.split())
    ]


def on_page(x0: float, y0: float, x1: float, y1: float) -> BBox | None:
    return BBox.from_page(x0, y0, x1, y1, 400.0, 800.0)


def test_lines_below_one_another_are_a_paragraph_and_columns_are_not() -> None:
    words = [
        *line(1, "A heading", 20, 10, 24),
        *line(2, "The first line", 20, 60),
        *line(3, "goes on here", 20, 73),
        *line(4, "Another column", 220, 60),
        *line(5, "of its own", 220, 73),
        *line(6, "Far below", 20, 400),
    ]
    found = regions_of(words, on_page)
    assert [r.text for r in found] == [
        "A heading", "The first line goes on here", "Another column of its own", "Far below",
    ]  # fmt: skip
    assert found[1].bbox.as_tuple() == pytest.approx((20 / 400, 60 / 800, 135 / 400, 83 / 800))


def test_one_vector_a_token_in_the_order_of_the_regions() -> None:
    text = MiniLM(threads=1)
    page = fakes.ParsedPage(
        fakes.Page("d", 1, 400, 800),
        (),
        (Region(BBox(0, 0, 1, 0.1), "one two three"), Region(BBox(0, 0.2, 1, 0.3), "four")),
    )
    empty = fakes.ParsedPage(fakes.Page("d", 2, 400, 800), ())
    seen, nothing = OcrRegions(text).embed_pages([page, empty])
    assert seen.counts.tolist() == [3, 1]
    assert seen.boxes == tuple(r.bbox for r in page.regions)
    assert np.array_equal(seen.vectors[3:], text.embed_passages(["four"])[0].vectors)
    assert nothing.vectors.shape == (0, text.dim)
    assert nothing.boxes == ()


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A scan that speaks of a lighthouse, and pages of text that speak of a mill."""
    folder = tmp_path_factory.mktemp("scanned")
    documents.scanned(folder / "scan.pdf", ["The lighthouse of Sallow Bay", "was lit in 1887."])
    documents.pdf(folder / "text.pdf", ["The mill was built in 1912.", "It grinds rye."])
    made = Collection.create("scanned", folder / "home", IndexingSettings(pixels="images"))
    report = build_index(made, [folder / "scan.pdf", folder / "text.pdf"], workers=1)
    assert report.exit_code == 0
    return made


@pytest.mark.slow
@pytest.mark.gate
def test_image_mode_sees_only_pixels(scanned: Collection) -> None:
    found = scanned.search("When was the lighthouse lit?", mode="image")
    assert "lighthouse" in found.hits[0].element.text or "1887" in found.hits[0].element.text
    names = {d.id: d.name for d in scanned.documents()}
    assert {names[p.doc_id] for p in found.pages} == {"scan.pdf"}

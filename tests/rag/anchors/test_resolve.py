"""Anchors are resolved by their fingerprints, in documents that changed too."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from indexing import BBox, Collection, Document, Element, Page, ParsedPage, build_index
from indexing.embed.minilm import MiniLM
from rag.anchors import Anchor, Occurrence, anchor_of, find_quote, fingerprint, resolve
from rag.errors import AnchorLost
from rag.types import Citation, Evidence
from tests.support import fakes

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "documents"
RYE = "It grinds rye."
MILL = f"The mill was built in 1887 by Anna Holm. {RYE} Its wheel turns."


@pytest.fixture
def shelf(tmp_path: Path, embedder: MiniLM) -> Collection:
    return fakes.collection(tmp_path / "another home", embedder, "another")


def put(
    into: Collection, document: Document, *pages: Sequence[Element], size: tuple[float, float] = (420, 595)
) -> None:
    """Write pages of elements, as some other version of the parser might see the document."""
    with into.writer() as writer:
        for number, elements in enumerate(pages, 1):
            writer.add(ParsedPage(Page(document.id, number, *size), tuple(elements)))
        writer.finish(replace(document, n_pages=len(pages)), Path("/nowhere"))
        writer.flush()


def made(quote: str = RYE, text: str = MILL, name: str = "mill.pdf") -> tuple[Document, Anchor]:
    """The anchor of a quote in a made-up document of one paragraph, on page 1."""
    document = fakes.document(name, [[text]])
    evidence = Evidence("E1", fakes.element(text, document.id, 1, 4), name, 0.9)
    start = text.index(quote)
    boxes = evidence.element.words.line_boxes(start, start + len(quote)) if quote else ()
    citation = Citation.of(evidence, quote, boxes)
    return document, anchor_of(citation, document, Page(document.id, 1, 420.0, 595.0))


def words(page: Sequence[Element], citation: Citation) -> str:
    """The words whose middle lies in a citation's boxes."""
    element = next(e for e in page if e.id == citation.element_id)
    inside = []
    for (start, end), box in zip(element.words.spans.tolist(), element.words.boxes.tolist(), strict=True):
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if any(b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1 for b in citation.boxes):
            inside.append(element.text[start:end])
    return " ".join(inside)


# ---- real documents, really indexed again --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.gate
def test_anchors_survive_another_home_collection_and_file_name(samples: Collection, tmp_path: Path) -> None:
    """Every long enough paragraph of the manual, turned and cropped pages too, is found where it was."""
    manual = samples.document("tg40-tide-gauge-manual.pdf")
    moved = tmp_path / "moved" / ("\U0001f9ed renamed " + "x" * 40 + ".pdf")
    moved.parent.mkdir()
    shutil.copy(SAMPLES / manual.name, moved)
    again = Collection.create("elsewhere", tmp_path / "home")
    assert build_index(again, [moved], workers=2, ocr="never").exit_code == 0
    checked = set()
    for number in range(1, manual.n_pages + 1):
        page = samples.page(manual.id, number)
        for element in samples.page_elements(manual.id, number):
            quote = element.text[: max(element.text.find(" ", 30), 0) or None].rstrip(" |\n")
            if len(quote) < 20 or element.kind == "group":
                continue
            boxes = element.words.line_boxes(0, len(quote))
            cited = Citation.of(Evidence("E1", element, manual.name, 0.9), quote, boxes)
            found = resolve(Anchor.parse(str(anchor_of(cited, manual, page))), again)
            assert (found.state, found.document.name) == ("found", moved.name)
            assert found.citation is not None
            assert (found.citation.page, found.citation.quote) == (number, quote)
            assert found.citation.bbox.iou(element.bbox) > 0.99
            assert BBox.union(found.citation.boxes).iou(BBox.union(boxes)) > 0.98
            checked.add((number, page.rotation))
    assert {(3, 90), (4, 0)} <= checked


# ---- parsed differently --------------------------------------------------------------------------------------------


def test_of_two_places_the_one_that_was_cited(shelf: Collection) -> None:
    document, anchor = made()  # stands at ordinal 4
    texts = [fakes.element(f"{RYE} {MILL}", document.id, 1, n) for n in (1, 4, 8)]
    put(shelf, document, texts)
    found = resolve(anchor, shelf)
    assert found.citation is not None
    assert found.citation.element_id == f"{document.id}-1-4"
    assert found.citation.boxes[0].x0 == pytest.approx(0.1 + 0.8 * 56 / len(f"{RYE} {MILL}"), abs=0.01)


def test_a_page_earlier(shelf: Collection) -> None:
    document, anchor = made()
    put(shelf, document, [fakes.element("Intro", document.id)], [fakes.element(MILL, document.id, 2, 3)])
    found = resolve(anchor, shelf)
    assert (found.state, found.citation and found.citation.page) == ("found", 2)
    assert "page 2 (page 1 when it was cited)" in found.says


# ---- nothing to compare --------------------------------------------------------------------------------------------


def test_a_figure_keeps_its_place_since_the_file_is_the_same(shelf: Collection) -> None:
    document, anchor = made("")
    put(shelf, document, [replace(fakes.element("", document.id, 1, 4), kind="picture")])
    found = resolve(anchor, shelf)
    assert found.state == "placed"
    assert found.citation is not None
    assert found.citation.bbox == anchor.bbox
    assert found.citation.element_id == f"{document.id}-1-4"
    assert (found.citation.quote, found.citation.boxes) == ("", ())


@pytest.mark.parametrize(
    ("name", "size", "page"),
    [("mill.pdf", (600, 800), 1), ("mill.epub", (420, 595), 1), ("mill.pdf", (420, 595), 7)],
    ids=["pages cut differently", "a book without pages of its own", "fewer pages"],
)
def test_what_has_no_place_any_more_is_lost(shelf: Collection, name: str, size: tuple[float, float], page: int) -> None:
    document, anchor = made(name=name)
    put(shelf, document, [fakes.element("Other words", document.id)], size=size)
    with pytest.raises(AnchorLost, match="cut differently"):
        resolve(replace(anchor, page=page), shelf)


# ---- changed, or not there -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "page"),
    [
        (["Foreword.", f"New text. {MILL}"], 2), (["Foreword.", MILL.replace("rye", "oats")], None),
        ([f"{RYE} Then again: {RYE}"], None), ([MILL, MILL], None),
    ],
)  # fmt: skip
def test_a_changed_document_says_so_and_shows_only_what_stands_once(
    shelf: Collection, now: list[str], page: int | None
) -> None:
    fakes.index(shelf, {"mill.pdf": [[text] for text in now], "other.pdf": [[MILL]]})
    _, anchor = made()
    found = resolve(anchor, shelf)
    assert found.state == "changed"
    assert found.document.name == "mill.pdf"
    assert (found.citation.page if found.citation else None) == page
    assert "has changed" in found.says


def test_a_document_that_is_not_there_is_named(shelf: Collection) -> None:
    fakes.index(shelf, {"other.pdf": [[MILL]]})
    with pytest.raises(AnchorLost, match=r"mill\.pdf .* not in collection 'another'"):
        resolve(made()[1], shelf)


WORDS = st.lists(st.text("abcdeé17.,%-(Ωﬁ", min_size=1, max_size=6), min_size=1, max_size=12)


def find(quote: str, *texts: str) -> tuple[Occurrence, ...]:
    elements = [fakes.element(text, ordinal=n) for n, text in enumerate(texts, 1)]
    return find_quote(elements, *fingerprint(quote))


@pytest.mark.parametrize(
    ("quote", "text", "cut"),
    [
        ("It grinds rye.", "Old mill. It grinds rye. Yes.", "It grinds rye."),
        ("it\ngrinds  rye.", "It grinds rye.", "It grinds rye."), ("the fish", "the \ufb01sh", "the \ufb01sh"),
        ("\u201cyes\u201d \u2013 no", 'He: "yes" - no', '"yes" - no'), ("re\u00adcord", "a record", "record"),
        ("Total | 1,082", "Cash | 4\nTotal | 1,082\nEnd | 3", "Total | 1,082"),
        ("e\u0301tude", "une étude", "étude"), ("今天", "我们今天去", "今天"), ("2.5% of", "Up 2.5% of all", "2.5% of"),
        ("has 5.", "It has 5. 3 more", "has 5."),
    ],
)  # fmt: skip
def test_the_same_words_are_found(quote: str, text: str, cut: str) -> None:
    (found,) = find(quote, text)
    assert found.quote == cut


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("5%", "Up 2.5% now"), ("50", "Up 50% now"), ("3.4", "A loss of -3.4 it was"), ("3", "About 3.4 of it"),
        ("1,082", "Cash 11,082"), ("1 23", "12 | 3"), ("12 3", "123"), ("ill was", "The mill was"),
        ("tude", "une étude"), ("12.5%", "125%"),
    ],
)  # fmt: skip
def test_other_words_and_numbers_are_not(quote: str, text: str) -> None:
    assert find(quote, text) == ()


def test_spans_hold_for_an_element_without_places() -> None:
    bare = Element("p", "d", 1, "picture", "A map of Sallow Bay", fakes.element("x").bbox, "ocr")
    (found,) = find_quote([bare], *fingerprint("Sallow Bay"))
    assert found.boxes == ()
    assert found.bbox == bare.bbox

"""Collections, documents, files on their way, and a parsed page, as HTML: complete, and harmless whatever they hold."""

import re
from dataclasses import replace
from pathlib import Path

from indexing import BBox, Document, Element, Page
from indexing.types import Kind, upload_key
from tests.ui.markup import harmless
from tests.ui.stand_ins import HOSTILE
from ui.web.collection_service import CollectionSummary, PageDetail
from ui.web.collections.page import (
    browser_html,
    collections_html,
    confirm_html,
    documents_html,
    queue_html,
    statistics_html,
)
from ui.web.uploads.queue import QueuedFile

ADDED = "2026-05-03T10:00:00+00:00"
DOCUMENT = Document("0123456789abcdef", "report.pdf", "Annual report", 3, "0" * 64, "report.pdf", 41, 123_456, ADDED)
HOLDING = CollectionSummary("papers", (DOCUMENT,), 3_400_000, "minilm", "ocr_regions")
HURT = Document("feed", f"{HOSTILE}.pdf", HOSTILE, 3, "1" * 64, failed_pages=(2,))


def item(**more: object) -> QueuedFile:
    made = QueuedFile("7", "me", "papers", "report.pdf", 1000, Path("/x/report.pdf"))
    return replace(made, **more)  # type: ignore[arg-type]


def acts(shown: str) -> list[str]:
    return re.findall(r'data-act="([\w-]+)"', shown)


def test_a_file_that_waits_or_is_read_can_be_stopped() -> None:
    assert acts(queue_html([item()])) == ["stop-all", "stop"]
    shown = queue_html([item(state="reading", page=3, pages=12)])
    assert '<progress max="12" value="3"' in shown
    assert "page 3 of 12" in shown
    stopping = queue_html([item(state="reading", note="stopping")])
    assert acts(stopping) == ["stop-all"]
    assert "1.0 kB, to papers; stopping" in stopping


def test_a_file_that_failed_says_why_and_can_be_tried_again() -> None:
    shown = queue_html([item(state="failed", note="report.pdf: encrypted: give its password")])
    assert "encrypted: give its password" in shown
    assert acts(shown) == ["clear", "retry"]
    assert acts(queue_html([item(state="failed", note="too large", path=None)])) == ["clear"]


def test_collections_show_what_is_in_them() -> None:
    shown = collections_html([HOLDING, CollectionSummary("broken", trouble="made by another version")], "papers")
    for said in ("papers", "searched by text and images", "3.4 MB", "2026-05-03", "made by another version"):
        assert said in shown
    assert acts(shown) == ["open", "compact", "delete", "open"]
    assert shown.count('aria-current="true"') == 1
    assert "The first file" in collections_html([], None)


def test_documents_can_be_looked_at_and_removed() -> None:
    shown = documents_html(HOLDING)
    assert acts(shown) == ["look", "remove"]
    assert 'data-id="0123456789abcdef:1"' in shown
    assert "1 page not read" in documents_html(replace(HOLDING, documents=(HURT,)))
    assert "brought by" not in shown
    mine = replace(DOCUMENT, path=upload_key("report.pdf", "Zoë & co"))
    assert "added by Zoë &amp; co<" in documents_html(replace(HOLDING, documents=(mine,)))
    assert "There are no documents here" in documents_html(replace(HOLDING, documents=()))
    assert "another version" in documents_html(CollectionSummary("broken", trouble="made by another version"))


def piece(kind: Kind, text: str, x: float = 0.1) -> Element:
    return Element(f"e{x}", "0123456789abcdef", 2, kind, text, BBox(x, 0.2, x + 0.25, 0.3), "ocr", section=("Costs",))


def test_a_parsed_page_has_a_box_and_a_line_an_element() -> None:
    page_detail = PageDetail(
        DOCUMENT, Page("0123456789abcdef", 2, 600, 800), (piece("text", "One."), piece("table", "Two.", 0.5))
    )
    shown = browser_html("papers", page_detail)
    assert re.findall(r'<rect [^>]*data-piece="(\d)" x="([\d.]+)"', shown) == [("0", "0.10000"), ("1", "0.50000")]
    assert shown.count('class="v-piece"') == 2
    assert "under Costs; read off the pixels" in shown
    assert re.findall(r'data-kind="(\w+)" checked', shown) == ["text", "table"]
    assert "vouch/page/papers/0123456789abcdef/2.webp?w=960" in shown


def test_the_outline_leads_to_the_page_of_each_heading() -> None:
    first = replace(piece("heading", "Costs"), id="d-1-2", page=1, section=())
    second = replace(piece("heading", "Staff"), id="d-2-1")
    page_detail = PageDetail(DOCUMENT, Page("0123456789abcdef", 2, 600, 800), (second,), (first, second))
    shown = browser_html("papers", page_detail)
    outline = shown[shown.index("v-outline") : shown.index("</details>")]
    ids = re.findall(r'--depth:(\d)">.*?data-id="([^"]+)"( aria-current="page")?', outline)
    assert ids == [("0", "0123456789abcdef:1", ""), ("1", "0123456789abcdef:2", ' aria-current="page"')]
    assert "v-outline" not in browser_html("papers", replace(page_detail, headings=()))
    many = browser_html("papers", replace(page_detail, headings=(first,) * 503))
    assert "And 3 headings more." in many


def test_nothing_of_a_hostile_document_gets_out() -> None:
    hostile = replace(piece("text", f"{HOSTILE}\n{HOSTILE}"), section=(HOSTILE,), caption=HOSTILE)
    hurt = replace(HURT, failed_pages=())
    harmless(browser_html("papers", PageDetail(hurt, Page("feed", 1, 600, 800), (hostile,), (hostile,))))
    harmless(documents_html(replace(HOLDING, documents=(replace(HURT, path=upload_key("x.pdf", HOSTILE)),))))
    harmless(statistics_html(replace(HOLDING, documents=(HURT,)), {"text": 1}))
    harmless(queue_html([item(name=HOSTILE, collection=HOSTILE, note=HOSTILE)]))
    harmless(collections_html([CollectionSummary(HOSTILE, trouble=HOSTILE)], None))
    harmless(confirm_html(HOSTILE, HOSTILE))

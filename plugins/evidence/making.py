"""Make a pack of an answer: its pages as images, the crops of its evidence, a manifest, and a page for people."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import BBox, DocumentMissing, FileError, crop
from plugins.evidence.container import (
    INDEX,
    MANIFEST,
    SUMS,
    PackedAnswer,
    PackedDocument,
    PackManifest,
    checksums,
    this_program,
    written_pack,
)
from rag import Anchor, Citation, Question
from ui import ExportError
from ui.export import ExportContents, Source, evidence_picture, html_page
from ui.show import clean, quote_to_show
from ui.state import AnswerForm, written_form

if TYPE_CHECKING:
    from PIL import Image

PAGE_WIDTH, MARGIN = 1400, 0.015
"""The width of a page image in pixels, and the space around the evidence in its crop as a share of that."""


def pack_files(contents: ExportContents, target: Path) -> dict[Path, bytes]:
    """Return {target: bytes of the pack of an answer}. Raises ExportError where nothing is cited.

    A page that cannot be drawn has no picture, and a note says so. Evidence that is not cited is left out.
    """
    collection = contents.collection
    if collection is None or not contents.sources:
        raise ExportError(f"{target}: nothing was cited, so there is no evidence to pack: export .md, .html or .json")
    images: dict[str, Image.Image] = {}
    pages: list[tuple[str, int]] = []
    notes = list(contents.notes)
    for cited_page in dict.fromkeys((source.citation.doc_id, source.citation.page) for source in contents.sources):
        try:
            images[f"pages/{len(pages) + 1}.png"] = collection.draw_page(*cited_page, width=PAGE_WIDTH)
            pages.append(cited_page)
        except (FileError, DocumentMissing) as error:
            notes.append(f"No picture of page {cited_page[1]}: {error}")
    answer = replace(contents.answer, evidence=(), pages=(), queries=(), timings={}, drawn=None, notes=tuple(notes))
    anchors = tuple(str(source.anchor) for source in contents.sources)
    settings = {name: str(getattr(collection.settings, name)) for name in ("embedder", "visual", "ocr")}
    documents = contents.documents.items()
    form = written_form(AnswerForm("", Question(answer.question), answer, anchors))
    manifest = PackManifest(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        made_by=this_program(),
        settings={"answering": answer.settings_hash, **settings},
        documents=tuple(PackedDocument(id=k, name=_utf8(d.name), sha256=d.sha256, size=d.size) for k, d in documents),
        pages=tuple(pages),
        answer=json.loads(_utf8(json.dumps(json.loads(form), ensure_ascii=False))),
    )
    packed_answer = PackedAnswer(manifest, answer, anchors)
    for number, citation in enumerate(answer.citations, 1):
        if name := packed_answer.picture(citation.doc_id, citation.page):
            images[f"crops/{number}.png"] = evidence_crop(images[name], citation)
    members = {name: _png(image) for name, image in images.items()}
    members[MANIFEST] = f"{manifest.model_dump_json(indent=1)}\n".encode()
    members[INDEX] = index_page(packed_answer, images)
    return {target: written_pack({**members, SUMS: checksums(members)})}


def evidence_crop(page: Image.Image, citation: Citation) -> Image.Image:
    """Crop the evidence of a citation, with its context, from the image of its page, without marks."""
    return crop(page, BBox.union((citation.bbox, *citation.boxes, *citation.context)), MARGIN * page.width)


def index_page(packed_answer: PackedAnswer, images: Mapping[str, Image.Image]) -> bytes:
    """Return index.html of a pack, made of manifest and page images (by name) alone. Raises AnchorError, ValueError."""
    answer, sources = packed_answer.answer, []
    for number, (citation, anchor) in enumerate(zip(answer.citations, packed_answer.anchors, strict=True), 1):
        page = images.get(packed_answer.picture(citation.doc_id, citation.page))
        picture = evidence_picture(page, number, citation) if page else None
        png, size = (_png(picture), picture.size) if picture else (b"", (0, 0))
        sources.append(Source(number, citation, Anchor.parse(anchor), quote_to_show(answer, citation), png, size))
    hashes = [f"{clean(one.name)}: SHA-256 {one.sha256}" for one in packed_answer.manifest.documents]
    verify = f"Made {clean(packed_answer.manifest.made_at)}. To verify this file: vouch verify FILE --documents FOLDER"
    return html_page(ExportContents(answer, sources, (*answer.notes, *hashes, verify))).encode(errors="replace")


def _utf8(text: str) -> str:
    """Return a text with a question mark for each half of a surrogate pair, which UTF-8 cannot have."""
    return text.encode(errors="replace").decode()


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()

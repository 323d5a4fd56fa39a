"""The manifest of a pack: the answer, the cited documents and pages, and what made it."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field

from indexing import sha256_digest
from plugins.evidence.container import MANIFEST, Members
from plugins.evidence.errors import PackUnusable
from rag import Answer
from ui import KeptUnreadable
from ui.state import read_form

MOST_MANIFEST = 8 << 20
"""The most bytes of a manifest."""
_Text = Annotated[str, Field(max_length=2000)]


class PackedDocument(BaseModel, extra="forbid", frozen=True, strict=True):
    """A cited document: its id in the answer, its name, and the SHA-256 and size in bytes of its file, 0 if unknown."""

    id: _Text
    name: _Text
    sha256: Annotated[str, AfterValidator(sha256_digest)]
    size: int


class PackManifest(BaseModel, extra="forbid", frozen=True, strict=True):
    """A manifest: `answer` is the answer as `ui.state` stores it, `made_by` the versions of the packages that made it.

    `pages` are the cited pages that could be drawn, by the id of their document and their number, from 1. The picture
    of the n-th (from 1) is pages/n.png, the crop of the n-th citation of the answer crops/n.png.
    """

    vouch_pack: Literal[1] = 1
    made_at: _Text
    made_by: dict[str, _Text]
    settings: dict[str, _Text]
    documents: tuple[PackedDocument, ...]
    pages: tuple[tuple[_Text, int], ...]
    answer: dict[str, Any]


class PackedAnswer(NamedTuple):
    """A manifest, with the answer in it and the anchors of its citations."""

    manifest: PackManifest
    answer: Answer
    anchors: tuple[str, ...]

    def picture(self, doc_id: str, number: int) -> str:
        """Return the name of the picture of a page; "" where it could not be drawn."""
        pages = self.manifest.pages
        return f"pages/{pages.index((doc_id, number)) + 1}.png" if (doc_id, number) in pages else ""


def read_manifest(pack: str, members: Members) -> PackedAnswer:
    """Return the answer of a pack. Raises PackUnusable, also if it cites nothing or a document that is not listed."""
    try:
        manifest = PackManifest.model_validate_json(members[MANIFEST][: MOST_MANIFEST + 1])
        form = read_form(json.dumps(manifest.answer))
    except (ValueError, KeptUnreadable, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise PackUnusable(f"{pack}: its manifest cannot be read ({reason:.160}): get the pack again") from None
    doc_ids = {citation.doc_id for citation in form.answer.citations}
    if not doc_ids or not doc_ids <= {document.id for document in manifest.documents}:
        raise PackUnusable(f"{pack}: its manifest cites nothing, or a document that it does not list: get it again")
    return PackedAnswer(manifest, form.answer, form.anchors)


def this_program() -> dict[str, str]:
    """Return the versions of the packages that read and draw pages here; other versions may differ in small details."""
    return {name: version(name) for name in ("vouch", "pymupdf", "pillow", "onnxruntime", "rapidocr", "jinja2")}

"""The endpoints `/index` and `/collections` for programs: `gradio_client` and, with `--mcp`, language models.

Their names, types and docstrings are shown to whoever may call them.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from indexing import IndexingError
from ui.errors import BadRequest, UploadError
from ui.show import public_words
from ui.state.people import ACTING
from ui.web.uploads import MB

if TYPE_CHECKING:
    from indexing import Document
    from ui.web.collection_service import CollectionService
    from ui.web.uploads import QueuedFile, Uploads

Answers = Callable[..., Any]


class SentFile(BaseModel):
    """A file of a call, its bytes in it."""

    model_config = ConfigDict(extra="forbid", title=None)

    name: str = Field(max_length=255, description="the name of the document, such as report.pdf")
    base64: str = Field(description="the bytes of the file, in base64")


def index_uploads(
    uploads: Uploads, files: list[dict[str, Any]] | None, collection: str, folder: str, password: str, account: str
) -> list[dict[str, Any]]:
    """Read uploads, or a folder, in the name of the account that asks ("" for none), and tell of each file.

    Raises BadRequest.
    """
    if folder:
        return _read_folder(uploads, collection, folder, password)
    return _read(uploads, lambda owner: uploads.receive(owner, collection, files, password, account))


def index_tool(uploads: Uploads) -> Answers:
    """Return the function behind the tool `index`, whose files are bytes: a language model has nothing to upload.

    They are brought by the account in whose name it is called (`ACTING`).
    """

    def index(
        files: list[SentFile] | None = None, collection: str = "default", folder: str = "", password: str = ""
    ) -> list[dict[str, Any]]:
        """Read documents into a collection, which is made if there is none of that name, and wait until that is done.
        The result tells what became of each file: its state, its pages, and the reason if it was not read.

        Args:
            files: The documents as bytes: PDF, Office and text files, web pages, mail, images, or ZIPs of them. No
                paths, no addresses.
            collection: The name of the collection they go to.
            folder: A folder on the server, instead of files, if the server's settings allow it.
            password: The password of encrypted files.

        """
        if folder:
            return _read_folder(uploads, collection, folder, password)
        content, account = decoded(files or [], uploads.settings.max_call_mb), ACTING.get().name
        return _read(uploads, lambda owner: uploads.receive_bytes(owner, collection, content, password, account))

    return index


def decoded(files: Sequence[SentFile], most_mb: int) -> list[tuple[str, bytes]]:
    """Return names and bytes of files of at most `most_mb` megabytes together. Raises BadRequest."""
    if sum(len(file.base64) for file in files) * 3 // 4 > most_mb * MB:
        raise BadRequest(f"the files of one call may have {most_mb:,} MB in all (max_call_mb): send fewer at a time")
    found = []
    for file in files:
        try:
            found.append((file.name, base64.b64decode(file.base64, validate=True)))
        except (binascii.Error, ValueError):
            raise BadRequest(f"{file.name} is not base64: send the bytes of the file, not a path or address") from None
    return found


def _read_folder(uploads: Uploads, collection: str, folder: str, password: str) -> list[dict[str, Any]]:
    """Read a folder of the server, if the settings allow it, and tell of each file. Raises BadRequest."""
    try:
        return _read(uploads, lambda owner: uploads.receive_folder(owner, collection, folder, password))
    except BadRequest as error:
        raise BadRequest(f"{folder}: {error}") from None


def _read(uploads: Uploads, bring: Callable[[str], object]) -> list[dict[str, Any]]:
    """Bring files in the name of a new owner, wait until they are read, and tell of each. Raises BadRequest."""
    owner = f"program {secrets.token_hex(16)}"
    try:
        bring(owner)
    except (UploadError, IndexingError, OSError) as error:
        raise BadRequest(public_words(error)) from None
    try:
        (last,) = deque(uploads.follow(owner), maxlen=1)
    finally:
        uploads.upload_queue.cancel_all(owner)
        uploads.upload_queue.clear(owner)
    return [_told(item) for item in last]


def listing(service: CollectionService) -> Answers:
    """Return the function behind `/collections`."""

    def collections(name: str = "") -> list[dict[str, Any]]:
        """List the collections with their documents: pages, elements, bytes on disk, embedders, when each was added.

        Args:
            name: Only the collection of this name; all when empty.

        """
        found = service.summaries() if not name else (service.summary(name),)
        if name and found[0].trouble:
            raise BadRequest(found[0].trouble)
        return [
            {
                "name": h.name,
                "pages": h.pages,
                "elements": h.elements,
                "bytes": h.bytes,
                "embedder": h.embedder,
                "visual": h.visual,
                "trouble": h.trouble,
                "documents": [_listed(d) for d in h.documents],
            }
            for h in found
        ]

    return collections


def _listed(document: Document) -> dict[str, Any]:
    """Return the facts that a program is told of a document: no path of the server is among them."""
    return {k: v for k, v in asdict(document).items() if k != "path"} | {"brought_by": document.brought_by or ""}


def _told(item: QueuedFile) -> dict[str, Any]:
    """Return the facts that a program is told of a file."""
    return {
        "name": item.name,
        "collection": item.collection,
        "state": item.state,
        "pages": item.pages,
        "note": item.note,
        "bytes": item.size,
    }

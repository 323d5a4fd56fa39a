"""The endpoints `/index` and `/collections` for programs: `gradio_client` and, with `--mcp`, language models.

Gradio shows the names, the types and the docstrings of these functions to whoever may call them.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from indexing import IndexingError
from ui.errors import BadRequest, UploadError

if TYPE_CHECKING:
    from ui.web.collection_service import CollectionService
    from ui.web.uploads import QueuedFile, Uploads

Answers = Callable[..., Any]


def endpoints(uploads: Uploads) -> tuple[Answers, Answers]:
    """Return the functions behind `/index` and `/collections`."""

    def index(
        files: list[dict[str, Any]] | None = None,
        collection: str = "default",
        folder: str = "",
        password: str = "",
    ) -> list[dict[str, Any]]:
        """Read documents into a collection, which is made if there is none of that name, and wait until that is done.
        The result tells what became of each file: its state, its pages, and the reason if it was not read.

        Args:
            files: The uploaded files: PDF, EPUB, XPS, images, or ZIP archives of them.
            collection: The name of the collection they go to.
            folder: A folder on the server, instead of files, if the server's settings allow it.
            password: The password of encrypted files.

        """
        owner = f"program {secrets.token_hex(16)}"
        try:
            if folder:
                uploads.receive_folder(owner, collection, folder, password)
            else:
                uploads.receive(owner, collection, files, password)
        except (UploadError, IndexingError, OSError) as error:
            raise BadRequest(f"{folder}: {error}") from None
        try:
            (last,) = deque(uploads.follow(owner), maxlen=1)
        finally:
            uploads.upload_queue.cancel_all(owner)
            uploads.upload_queue.clear(owner)
        return [_told(item) for item in last]

    return index, listing(uploads.service)


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
                "documents": [{k: v for k, v in asdict(d).items() if k != "path"} for d in h.documents],
            }
            for h in found
        ]

    return collections


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

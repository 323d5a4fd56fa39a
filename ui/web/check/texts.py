"""The files that are brought to the Check tab: taken over within the limits of uploads, read, and deleted at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.manuscripts import read_manuscript
from ui.web.check.checks import BroughtText

if TYPE_CHECKING:
    from ui.web.open_collections import OpenCollections
    from ui.web.uploads import Uploads

SUFFIXES = (".pdf", ".docx", ".html", ".htm", ".md", ".markdown", ".txt")
"""The suffixes of the files that can be checked."""


def read_brought(
    open_collections: OpenCollections,
    uploads: Uploads,
    files: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None,
) -> BroughtText:
    """Return the statements of the one file that was uploaded. Raises UploadError, ManuscriptUnreadable, FileError."""
    name, path = uploads.take_one(files)
    try:
        settings = uploads.settings.within(open_collections.profile.indexing)
        manuscript = read_manuscript(path, name=name, settings=settings)
    finally:
        uploads.folder.release(path)
    return BroughtText(name, manuscript.statements, len(manuscript.text.split()), manuscript.notes)

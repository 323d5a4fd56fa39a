"""The rendition of a file that has no pages of its own: a PDF to look at, and the elements that are on it.

`Rendition.pages` has the elements whose places are known from the source (a paragraph of a web page, a row of a sheet);
where it is None, the PDF is parsed like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from indexing.metadata import Metadata
from indexing.types import ParsedPage

PAGES_SUFFIX = ".pages.pdf"
"""The end of the name of a rendition's PDF, where a collection keeps it beside the copy of its file."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file, which becomes a document of its own: its name (no path), and its bytes."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Rendition:
    """A file converted to pages.

    `pdf` has the pages as they look. `pages` are the same pages with their elements in reading order, without ids
    (`place_page` adds those) and groups; None where the pages of the PDF are to be parsed. `pages[n].hidden` counts
    words of the source that the page does not show. `notes` are complete sentences for the report of the run.
    """

    pdf: bytes = field(repr=False)
    pages: tuple[ParsedPage, ...] | None = None
    title: str = ""
    metadata: Metadata = field(default_factory=Metadata)
    notes: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()

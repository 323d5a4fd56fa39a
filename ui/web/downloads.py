"""The things that an address with an id leads to: files to take away, and drawn pages, each its visitor's alone.

Whoever makes such things says so here, and `ui.web.routes` asks here. Every method may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable

ExportMaker = Callable[[str, str, str], tuple[str, bytes, str] | None]
"""Takes visitor, id and form; returns (file name, content, media type), or None for what is not this visitor's."""
PageMaker = Callable[[str, str, int, int], bytes | None]
"""Takes visitor, id, page from 1 and width in pixels; returns a WebP, or None for what is not this visitor's."""


class Downloads:
    """The makers of one running page."""

    def __init__(self) -> None:
        """Start without any."""
        self._exports: list[ExportMaker] = []
        self._pages: list[PageMaker] = []

    def add(self, export: ExportMaker, page: PageMaker | None = None) -> None:
        """Ask these too from now on."""
        self._exports.append(export)
        if page is not None:
            self._pages.append(page)

    def export(self, visitor: str, known_as: str, form: str) -> tuple[str, bytes, str] | None:
        """Return a file as its maker does. Raises IndexingError and OSError."""
        files = (make(visitor, known_as, form) for make in self._exports)
        return next((file for file in files if file is not None), None)

    def page(self, visitor: str, known_as: str, number: int, width: int) -> bytes | None:
        """Return a drawn page as its maker does. Raises IndexingError."""
        images = (make(visitor, known_as, number, width) for make in self._pages)
        return next((image for image in images if image is not None), None)

"""Setting a document: running text poured through frames, even columns, and the same bytes at every saving."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

from samples.sheet import FONTS, Mark, Rect, Sheet

PROSE = Path(__file__).with_name("prose")
RESET = "body {margin: 0} p {margin: 0 0 6pt 0} "


class Block(NamedTuple):
    """A paragraph, list item or heading that begins in a frame: its name, and its part of the frame."""

    name: str
    rect: Rect
    heading: bool


def prose(name: str) -> dict[str, str]:
    """The passages of samples/prose/<name>.html, keyed by the '<!-- key -->' line above each."""
    parts = re.split(r"^<!-- ([\w-]+) -->\n", (PROSE / f"{name}.html").read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@dataclass
class Book:
    """A document being set: the style sheet of its running text, the distance of its lines, its pages and its marks."""

    css: str
    leading: float = 14.0
    pdf: Any = field(default_factory=pymupdf.open)
    marks: dict[str, list[Mark]] = field(default_factory=dict)

    def sheet(self, width: float = 595, height: float = 842) -> Sheet:
        """Add a page."""
        page = self.pdf.new_page(width=width, height=height)
        for name, font in FONTS.items():
            page.insert_font(fontname=name, fontbuffer=font.buffer)
        return Sheet(self, self.pdf.page_count, width, height)

    def flow(self, html: str, frames: Sequence[tuple[Sheet, Rect]]) -> float:
        """Pour running text through `frames`; every element with an id becomes a mark. Returns the y where it ends.

        Raises ValueError when the text is longer than its frames.
        """
        story, spots, carried = self._story(html), list(frames), ""
        while spots:
            sheet, rect = spots.pop(0)
            buffer = io.BytesIO()
            writer = pymupdf.DocumentWriter(buffer)
            device = writer.begin_page(pymupdf.Rect(0, 0, sheet.width, sheet.height))
            more, filled = story.place(rect)
            blocks = _blocks(story)
            story.draw(device)
            writer.end_page()
            writer.close()
            _lay(sheet, buffer.getvalue(), blocks, carried)
            carried = blocks[-1].name if blocks else carried
            if not more:
                return float(filled[3])
        raise ValueError(f"the text does not fit its frames: {html[:60]!r}")

    def balanced(
        self, html: str, sheet: Sheet, frames: Sequence[Rect], before: Sequence[tuple[Sheet, Rect]] = ()
    ) -> float:
        """Pour running text into columns of equal length, as short as they can be without a lone line or heading.

        The frames in `before` are filled first, as they are. Returns the y where the columns end.
        """
        full, top, last = [rect for _, rect in before], frames[0][1], frames[0][3]
        heights = [top + 20 + 3 * n for n in range(int((last - top - 20) / 3) + 1)]
        columns = {bottom: [(x0, y0, x1, bottom) for x0, y0, x1, _ in frames] for bottom in heights}
        long_enough = [b for b in heights if self._breaks(html, [*full, *columns[b]]) is not None]
        if not long_enough:
            raise ValueError(f"the text does not fit its columns: {html[:60]!r}")
        near = [b for b in long_enough if b <= long_enough[0] + 4 * self.leading]
        bottom = min(near, key=lambda b: (self._breaks(html, [*full, *columns[b]]), b))
        self.flow(html, [*before, *((sheet, rect) for rect in columns[bottom])])
        return bottom

    def _story(self, html: str) -> Any:
        """The text with a name on every block, so that each is reported where it begins."""
        count = iter(range(10_000))
        named = re.sub(r"<(p|li)(?=[ >])(?![^>]* id=)", lambda m: f'<{m[1]} id="_{next(count)}"', html)
        return pymupdf.Story(named, user_css=RESET + self.css)

    def _breaks(self, html: str, frames: Sequence[Rect]) -> int | None:
        """How many ugly breaks there are between these frames (lone lines, lone headings); None: the text is longer."""
        story, ugly, lone = self._story(html), 0, False
        for rect in frames:
            more, _ = story.place(rect)
            blocks = _blocks(story)
            gap = (blocks[0].rect[1] if blocks else rect[3]) - rect[1]
            ugly += (lone and gap > 0.9 * self.leading) + (0.9 * self.leading < gap < 1.9 * self.leading)
            if not more:
                return ugly
            ugly += bool(blocks) and blocks[-1].heading
            lone = bool(blocks) and blocks[-1].rect[3] - blocks[-1].rect[1] < 1.5 * self.leading
            story.draw(None)
        return None

    def save(self, path: Path, title: str, author: str, date: str) -> None:
        """Write the file with subset fonts, fixed metadata and no random ids: the same bytes every time."""
        pdf = pymupdf.open("pdf", self.pdf.tobytes(garbage=4, deflate=True, no_new_id=True))
        pdf.subset_fonts()
        stamp = f"D:{date}090000Z"
        pdf.set_metadata(
            {"title": title, "author": author, "creationDate": stamp, "modDate": stamp, "producer": "Vouch samples"}
        )
        _settle_font_names(pdf)
        pdf.save(path, garbage=4, deflate=True, clean=True, use_objstms=1, no_new_id=True)


def _blocks(story: Any) -> list[Block]:
    """The blocks that begin in the frame just placed (PyMuPDF does not report the rest of one carried over)."""
    found: list[Block] = []

    def collect(position: Any) -> None:
        if position.open_close & 1 and (position.id or position.heading):
            found.append(Block(position.id or "_heading", tuple(position.rect), bool(position.heading)))

    collector: Callable[[Any], None] = collect
    story.element_positions(collector)
    return found


def _lay(sheet: Sheet, data: bytes, blocks: Sequence[Block], carried: str) -> None:
    """Put one set frame on its page, and mark its named blocks, and the rest of a carried one, around their words."""
    source = pymupdf.open("pdf", data)
    words = [w[:4] for w in source[0].get_text("words")]
    middles = [(w[1] + w[3]) / 2 for w in words]
    first = blocks[0].rect[1] if blocks else float("inf")
    parts = [(carried, -1.0, first), *((block.name, block.rect[1], block.rect[3]) for block in blocks)]
    for name, top, bottom in parts:
        inside = [w for w, y in zip(words, middles, strict=True) if top <= y <= bottom]
        if inside and not name.startswith("_"):
            x0, y0 = min(w[0] for w in inside), min(w[1] for w in inside)
            sheet.mark(name, (x0 - 1.5, y0 - 1.5, max(w[2] for w in inside) + 1.5, max(w[3] for w in inside) + 1.5))
    sheet.page.show_pdf_page(sheet.page.rect, source, 0)


def _settle_font_names(pdf: Any) -> None:
    """Replace the random six letters before each subset font's name by letters drawn from the name itself."""
    for xref in range(1, pdf.xref_length()):
        for key in ("BaseFont", "FontName"):
            kind, value = pdf.xref_get_key(xref, key)
            if kind == "name" and re.match(r"/[A-Z]{6}\+", value):
                family = re.sub(r"[^A-Za-z0-9-]", "", value[8:])
                tag = "".join(chr(65 + b % 26) for b in hashlib.sha256(family.encode()).digest()[:6])
                pdf.xref_set_key(xref, key, f"/{tag}+{family}")

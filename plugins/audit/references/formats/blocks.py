"""Blocks: an HTML page or a Word file, as manuscripts are read -> the blocks in which a bibliography is looked for."""

from __future__ import annotations

from plugins.audit.manuscripts import Block, docx_blocks, open_docx, web_page_blocks

BibliographyBlock = tuple[str, bool, str]
"""A block: its text, True for a heading, and the label that its list gives it."""
_HEADING_CHARS = 110
"""The most characters of a bold paragraph that is taken for a heading."""


def blocks_of_html(data: bytes, name: str) -> list[BibliographyBlock]:
    """Return the blocks of a page; items of numbered lists have their number as label. Linear in the page."""
    return [_block(block) for block in web_page_blocks(data, name)]


def blocks_of_docx(data: bytes, name: str) -> list[BibliographyBlock]:
    """Return the paragraphs and rows of a Word file but for its footnotes. Raises DocumentUnreadable."""
    return [_block(block) for block in docx_blocks(open_docx(data, name)) if block.kind != "note"]


def _block(block: Block) -> BibliographyBlock:
    is_heading = block.kind == "heading" or (block.bold and len(block.text) < _HEADING_CHARS)
    return " ".join(block.cells) or block.text, is_heading, block.label

"""Blocks -> the HTML that MuPDF lays out: every piece in a `span` with its number as id, so that its place is told.

The markup is built as a tree and written by lxml, which escapes all text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plugins.formats.typesetting.pieces import Piece, PieceText

if TYPE_CHECKING:
    from lxml.etree import _Element

    Node = _Element

STYLE = """
body { font-family: sans-serif; font-size: 10pt; margin: 0; line-height: 1.3 }
p { margin: 0 0 6pt 0 }
p.h1 { font-size: 18pt; font-weight: bold; margin: 8pt 0 8pt 0 }
p.h2 { font-size: 15pt; font-weight: bold; margin: 8pt 0 7pt 0 }
p.h3 { font-size: 12.5pt; font-weight: bold; margin: 7pt 0 6pt 0 }
p.h4 { font-size: 11pt; font-weight: bold; margin: 6pt 0 5pt 0 }
p.code { font-family: monospace; font-size: 8.5pt; white-space: pre-wrap; background-color: #f4f4f4;
  margin: 2pt 0 8pt 0 }
p.caption { font-size: 9pt; color: #444444 }
p.footnote { font-size: 8.5pt }
table { border-collapse: collapse; font-size: 9pt }
td, th { border: 0.5pt solid #999999; padding: 2pt 4pt 2pt 4pt; text-align: left; vertical-align: top }
th { background-color: #eeeeee; font-weight: bold }
td.n, th.n { white-space: nowrap }
"""
LIST_INDENT = 14
"""Points that an item of a list stands to the right of the one above it in depth."""
MAX_DEPTH = 8
BULLET = "•"


def body() -> Node:
    """Return an empty body to add to."""
    from lxml import etree

    return etree.Element("body")


def html_of(root: Node) -> str:
    """Return the markup of a body."""
    from lxml import etree

    return etree.tostring(root, method="html", encoding="unicode")


def add_paragraph(root: Node, name: str, laid: PieceText, pieces: range, first_id: int) -> None:
    """Add the pieces of a text as a paragraph of class `name`; their ids count from `first_id`."""
    node = _child(root, "p", name, laid.rtl)
    _fill(node, [laid.pieces[at] for at in pieces], first_id)


def add_item(root: Node, depth: int, laid: PieceText, pieces: range, first_id: int, marked: bool) -> None:
    """Add the pieces of an item of a list, `depth` from 0, with a bullet where it is not `marked` by itself."""
    node = _child(root, "p", "item", laid.rtl)
    side = "right" if laid.rtl else "left"
    node.set("style", f"margin-{side}: {LIST_INDENT * (1 + min(depth, MAX_DEPTH))}pt; margin-bottom: 3pt")
    if not marked:
        node.text = BULLET + " "
    _fill(node, [laid.pieces[at] for at in pieces], first_id)


def add_table(root: Node) -> Node:
    """Add an empty table and return it."""
    return _child(root, "table", "", False)


def add_row(table: Node, cells: Sequence[tuple[PieceText, range, bool]], header: bool, first_id: int) -> int:
    """Add a row of cells: text, pieces of it, True where no line may break. Returns the id after its last piece."""
    row = _child(table, "tr", "", False)
    for laid, pieces, whole in cells:
        cell = _child(row, "th" if header else "td", "n" if whole else "", laid.rtl)
        _fill(cell, [laid.pieces[at] for at in pieces], first_id)
        first_id += len(pieces)
    return first_id


def _child(parent: Node, tag: str, name: str, rtl: bool) -> Node:
    from lxml import etree

    node = etree.SubElement(parent, tag)
    if name:
        node.set("class", name)
    if rtl:
        node.set("dir", "rtl")
    return node


def _fill(node: Node, pieces: Sequence[Piece], first_id: int) -> None:
    from lxml import etree

    last: Node | None = None
    for number, piece in enumerate(pieces, first_id):
        before = piece.before
        if last is None:
            before = before.lstrip("\n")
            node.text = (node.text or "") + before
        elif before == "\n" and node.get("class") != "code":
            etree.SubElement(node, "br")
        else:
            last.tail = before
        last = etree.SubElement(node, "span")
        last.set("id", str(number))
        last.text = piece.shown

"""Blocks -> the HTML that MuPDF lays out: every piece in a `span` with its number as id, so that its place is known.

The markup is built as a tree and written by lxml, which escapes all text.
"""

from __future__ import annotations

from lxml import etree

from plugins.formats.typesetting.pieces import PieceText

Node = etree._Element  # noqa: SLF001  its only name
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


def add_text(parent: Node, tag: str, name: str, content: PieceText, pieces: range, first_id: int) -> Node:
    """Add an element of class `name` with pieces of a text, and return it; their ids count from `first_id`."""
    node = etree.SubElement(parent, tag)
    if name:
        node.set("class", name)
    if content.rtl:
        node.set("dir", "rtl")
    last: Node | None = None
    for number, piece in enumerate((content.pieces[at] for at in pieces), first_id):
        if last is None:
            node.text = piece.before.lstrip("\n")
        elif piece.before == "\n" and name != "code":
            etree.SubElement(node, "br")
        else:
            last.tail = piece.before
        last = etree.SubElement(node, "span", id=str(number))
        last.text = piece.shown
    return node


def html_of(root: Node) -> str:
    """Return the markup of a body."""
    return etree.tostring(root, method="html", encoding="unicode")

"""HTML -> the text that it would show, a block a line: for what has no page of its own, as the body of a mail."""

from __future__ import annotations

import re

from indexing import spelled, struck_out
from plugins.formats.hidden_markup import HiddenMarkup

_SPACE = re.compile(r"\s+")
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "tbody", "tfoot", "thead", "tr", "ul",
))  # fmt: skip
CELLS = frozenset(("td", "th"))
UNSEEN = frozenset((
    "head", "script", "style", "template", "title", "noscript", "object", "iframe", "svg", "math", "select",
))  # fmt: skip


def html_text(source: str) -> str:
    """Return the text of HTML; nothing is fetched, and what is hidden is left out, struck text says so."""
    from lxml import etree, html

    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    try:
        root = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""
    parts: list[str] = []
    unseen = above = struck = 0
    styles = HiddenMarkup(root)
    for event, node in etree.iterwalk(root, events=("start", "end")):
        tag = node.tag if isinstance(node.tag, str) else ""
        hidden = tag in UNSEEN or styles.hides(node)
        step = 1 if event == "start" else -1
        unseen, above = unseen + step * hidden, above + step * (tag == "sup")
        struck += step * styles.strikes(node)
        text = node.text if event == "start" else node.tail
        if tag in BLOCKS:
            parts.append("\n")
        elif tag in CELLS:
            parts.append("  ")
        if text and not unseen:
            said = spelled(_SPACE.sub(" ", text), parts, above=above > 0)
            parts.append(struck_out(said) if struck else said)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)

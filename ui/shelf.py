"""Collections, their documents and files on their way as HTML. Pure; everything is escaped.

`ui/collections.js` finds its way by data attributes: `data-act` says what a button does, `data-id` to what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.plot import bars_svg
from ui.render import escape, message_html
from ui.terminal import size
from ui.wording import KIND_NAMES, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexing import Document
    from ui.library import Holding
    from ui.waiting import Item

MOST_DOCUMENTS = 500
_STATES = {
    "waiting": "waiting",
    "reading": "reading",
    "done": "read",
    "failed": "not read",
    "cancelled": "stopped",
}
_NO_DOCUMENTS = message_html("No documents in here yet.", "Drop some into the box, or click there.")
NO_COLLECTIONS = message_html("No collections yet.", "The first file you add makes one.")


def button(act: str, target: str, text: str, label: str, kind: str = "") -> str:
    """A button that `ui/collections.js` hands to the server; `label` says what it does to what."""
    look = f"v-act v-{kind}" if kind else "v-act"
    return (
        f'<button type="button" class="{look}" data-act="{act}" data-id="{escape(target)}" '
        f'aria-label="{escape(label)}">{escape(text)}</button>'
    )


def day(stamp: str) -> str:
    """`2024-05-03` of a date in ISO form."""
    return stamp[:10]


# ---- files on their way ---------------------------------------------------------------------------------------------


def queue_html(items: Sequence[Item]) -> str:
    """Files that wait, are read, or were: a row and a bar each. Empty without any."""
    if not items:
        return ""
    rows = "".join(map(_waiting, items))
    left = sum(item.open for item in items)
    stop = button("stop-all", "", "Stop all", "Stop all: read none of these files") if left else ""
    clear = (
        button("clear", "", "Clear", "Clear this list of files that are not to be read") if left < len(items) else ""
    )
    said = f"{counted(left, 'file')} to read" if left else _outcome(items)
    return (
        '<section class="v-queue" aria-label="Files on their way"><div class="v-bar">'
        f'<p class="v-summary" role="status">{escape(said)}</p>'
        f'<span class="v-tools">{stop}{clear}</span></div><ul class="v-files">{rows}</ul></section>'
    )


def _outcome(items: Sequence[Item]) -> str:
    """`3 files: 2 read, 1 not read`."""
    states = [item.state for item in items]
    counts = [f"{states.count(s)} {name}" for s, name in _STATES.items() if s in states]
    return f"{counted(len(items), 'file')}: {', '.join(counts)}"


def _waiting(item: Item) -> str:
    """One file: its name, where it goes, how far it is or what became of it, and what can be done."""
    acts = ""
    if item.open and item.note != "stopping":
        acts = button("stop", item.id, "Stop", f"Stop reading {item.name}")
    elif item.again:
        acts = button("retry", item.id, "Try again", f"Try again to read {item.name}")
    pages = f"page {item.page} of {item.pages}" if item.pages else ""
    bar = ""
    if item.state == "reading":
        value = f' value="{item.page}"' if item.pages else ""
        bar = f'<progress max="{max(1, item.pages)}"{value} aria-label="{escape(f"{item.name}: {pages}")}"></progress>'
    state = pages if item.state == "reading" and pages else _STATES[item.state]
    told = "; ".join(filter(None, (f"{size(item.size)}, to {item.collection}" if item.open else "", item.note)))
    return (
        f'<li class="v-file v-is-{item.state}" data-file="{item.id}"><div class="v-file-line">'
        f'<span class="v-name">{escape(item.name)}</span><span class="v-file-state">{escape(state)}</span>{acts}</div>'
        f'{bar}<p class="v-file-note">{escape(told)}</p></li>'
    )


# ---- collections and documents --------------------------------------------------------------------------------------


def holdings_html(holdings: Sequence[Holding], chosen: str | None) -> str:
    """All collections; a name leads to its documents."""
    if not holdings:
        return NO_COLLECTIONS
    rows = "".join(_holding(h, h.name == chosen) for h in holdings)
    heads = "".join(f'<th scope="col"{k}>{h}</th>' for h, k in _HEADS)
    return (
        '<h2 class="v-label">Collections</h2><div class="v-wide" tabindex="0" role="region" aria-label="Collections">'
        f'<table class="v-table v-holdings"><thead><tr>{heads}<td></td></tr></thead><tbody>{rows}</tbody></table></div>'
    )


_NUMBER = ' class="v-number-cell"'
_CHOSEN = ' class="v-chosen"'
_HEADS = (
    ("Name and embedders", ""), ("Documents", _NUMBER), ("Pages", _NUMBER), ("Elements", _NUMBER),
    ("On disk", _NUMBER), ("Changed", ""),
)  # fmt: skip


def _holding(holding: Holding, chosen: bool) -> str:
    name = escape(holding.name)
    current = ' aria-current="true"' if chosen else ""
    link = f'<button type="button" class="v-link" data-act="open" data-id="{name}"{current}>{name}</button>'
    delete = button("delete", holding.name, "Delete\u2026", f"Delete the collection {holding.name}", "danger")
    if holding.trouble:
        return (
            f'<tr><th scope="row">{link}</th><td colspan="6"><span class="v-trouble">{escape(holding.trouble)}</span>'
            "</td></tr>"
        )
    numbers = (len(holding.documents), holding.pages, holding.elements)
    cells = "".join(f"<td{_NUMBER}>{n:,}</td>" for n in numbers)
    embedders = holding.embedder + ("" if holding.visual == "none" else f", {holding.visual}")
    made = f'<span class="v-where v-title-of">{escape(embedders)}</span>'
    compact = button("compact", holding.name, "Compact", f"Compact {holding.name}: give back disk space")
    return (
        f'<tr{_CHOSEN if chosen else ""}><th scope="row">{link}{made}</th>'
        f"{cells}<td{_NUMBER}>{size(holding.bytes)}</td><td>{day(holding.changed)}</td>"
        f'<td><span class="v-tools">{compact}{delete}</span></td></tr>'
    )


def documents_html(holding: Holding | None) -> str:
    """The documents of a collection, the newest first; each can be looked at page by page, and taken out."""
    if holding is None:
        return ""
    if holding.trouble:
        return message_html("This collection cannot be opened.", holding.trouble, "error")
    if not holding.documents:
        return _NO_DOCUMENTS
    shown = sorted(holding.documents, key=lambda d: (d.indexed_at, d.name), reverse=True)[:MOST_DOCUMENTS]
    rows = "".join(map(_document, shown))
    more = len(holding.documents) - len(shown)
    note = f'<p class="v-summary">And {more:,} more: vouch list --collection shows all.</p>' if more else ""
    return (
        f'<h2 class="v-label">Documents in {escape(holding.name)}</h2><div class="v-wide" tabindex="0" role="region" '
        f'aria-label="Documents"><table class="v-table v-documents"><thead><tr><th scope="col">Name</th>'
        f'<th scope="col"{_NUMBER}>Pages</th><th scope="col"{_NUMBER}>Elements</th><th scope="col"{_NUMBER}>Size</th>'
        f'<th scope="col">Added</th><td></td></tr></thead><tbody>{rows}</tbody></table></div>{note}'
    )


def _document(document: Document) -> str:
    name = escape(document.name)
    look = (
        f'<button type="button" class="v-link" data-act="look" data-id="{escape(document.id)}:1" '
        f'aria-label="Look at the pages of {name}">{name}</button>'
    )
    title = f'<span class="v-where v-title-of">{escape(document.title)}</span>' if document.title else ""
    failed = len(document.failed_pages)
    missing = f'<span class="v-trouble">{counted(failed, "page")} not read</span>' if failed else ""
    remove = button("remove", document.id, "Remove\u2026", f"Remove {document.name}", "danger")
    return (
        f'<tr><th scope="row">{look}{title}{missing}</th><td{_NUMBER}>{document.n_pages:,}</td>'
        f"<td{_NUMBER}>{document.n_elements:,}</td><td{_NUMBER}>{size(document.size)}</td>"
        f"<td>{day(document.indexed_at)}</td><td>{remove}</td></tr>"
    )


def statistics_html(holding: Holding | None, kinds: Mapping[str, int]) -> str:
    """What a collection is made of, as plots."""
    if holding is None or not holding.documents:
        return ""
    pages = {d.name: d.n_pages for d in sorted(holding.documents, key=lambda d: -d.n_pages)}
    named = {KIND_NAMES.get(kind, kind): number for kind, number in kinds.items()}
    return (
        f'<div class="v-plots">{bars_svg("Elements by kind", named, lambda v: f"{v:,.0f}")}'
        f"{bars_svg('Pages by document', pages, lambda v: f'{v:,.0f}')}</div>"
    )


def confirm_html(question: str, detail: str) -> str:
    """A question before something that cannot be undone."""
    return f'<div class="v-confirm" role="alert"><p class="v-lead">{escape(question)}</p><p>{escape(detail)}</p></div>'

r"""The corrections of an audit as BibTeX: an entry of each reference whose record differs, as the record has it.

Only references that are real and have errors are there: of those, and of no others, a record of the same work is known.
Every value is escaped, so that a record can hold no command of LaTeX.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugins.audit.export.wording import differing
from ui.export import MARK, latex
from ui.show import clean

if TYPE_CHECKING:
    from plugins.audit.auditing import Audit, AuditedReference, Record

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9:+./_-]{0,79}")
_ARTICLES = ("article", "journal-article", "journal article", "journal")
_PROCEEDINGS = ("inproceedings", "proceedings-article", "conference", "conference paper")
_NAMELESS = re.compile(r"[^\w .,:()-]")
"""The characters that the name of a source loses: BibTeX reads an @ in a comment as the beginning of an entry."""


def corrections(audit: Audit) -> str:
    """Return the whole file; a file without an entry says that there is nothing to correct."""
    lines = [f"% {MARK}", "% Corrections: each entry is as its record has it. Look at them before you take them over."]
    keys: set[str] = set()
    entries = [_entry(entry, entry.record, keys) for entry in audit.references if _is_known(entry)]
    return "\n".join([*lines, "", *(entries or ["% There is nothing to correct."])]) + "\n"


def _is_known(entry: AuditedReference) -> bool:
    return entry.status == "errors" and entry.record is not None


def _entry(entry: AuditedReference, record: Record | None, keys: set[str]) -> str:
    """Return the entry of a record, under the key that the paper has for it or one of its own."""
    assert record is not None  # noqa: S101 - `_is_known` says so
    fields = record.fields
    kind, place = _kind(record)
    values = {
        "author": " and ".join(latex.escape_latex(_last_first(name)) for name in fields.authors)
        + (" and others" if fields.et_al and fields.authors else ""),
        "title": f"{{{latex.escape_latex(fields.title)}}}" if fields.title else "",
        place: latex.escape_latex(fields.venue),
        "year": latex.escape_latex(fields.year),
        "doi": latex.identifier(fields.doi),
        "eprint": latex.identifier(fields.arxiv),
        "archiveprefix": "arXiv" if fields.arxiv else "",
        "url": latex.address(fields.url),
    }
    lines = [f"  {name:<13} = {{{value}}}," for name, value in values.items() if value]
    wrong = ", ".join(field.field for field in differing(entry))
    source = " ".join(_NAMELESS.sub(" ", clean(record.source)[: latex.MOST_CHARS]).split())
    head = f"% entry {entry.reference.number}{f': {wrong}' if wrong else ''}; record of {source}"
    return "\n".join([head, f"@{kind}{{{_key(entry, keys)},", *lines, "}", ""])


def _key(entry: AuditedReference, keys: set[str]) -> str:
    """Return the key of an entry: its label where that is one, and each key once."""
    label = entry.reference.label
    key = label if _KEY.fullmatch(label) else f"ref{entry.reference.number}"
    while key in keys:
        key += "-2"
    keys.add(key)
    return key


def _kind(record: Record) -> tuple[str, str]:
    """Return the type of an entry, and the name of the field that has its venue."""
    kind = record.kind.casefold()
    if kind in _ARTICLES:
        return "article", "journal"
    if kind in _PROCEEDINGS:
        return "inproceedings", "booktitle"
    return "misc", "howpublished"


def _last_first(name: str) -> str:
    """Return a name in one piece: the word "and" in it, which parts names in BibTeX, stands in braces."""
    return " ".join(word for word in clean(name).split() if word.casefold() != "and")

"""The cited works as BibTeX: an entry each, in UTF-8, every value escaped, the quotes in its field `annote`.

`annote` is what BibTeX has for notes that no style prints. `file` is the name of the file alone: nobody else has its
folder. Values are written here and not by bibtexparser, which escapes no sign of LaTeX in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from indexing.language import lexicon_values
from ui.export.latex import address, escape_latex, file_name, identifier
from ui.export.sources import MARK
from ui.export.works.works import CitedEntry

_TYPES = {
    "article-journal": ("article", "journal"), "article-magazine": ("article", "journal"),
    "article-newspaper": ("article", "journal"), "paper-conference": ("inproceedings", "booktitle"),
    "book": ("book", "series"), "chapter": ("incollection", "booktitle"),
    "entry-encyclopedia": ("incollection", "booktitle"), "entry-dictionary": ("incollection", "booktitle"),
    "thesis": ("phdthesis", "series"), "report": ("techreport", "series"),
    "manuscript": ("unpublished", "howpublished"),
}  # fmt: skip
"""The types of CSL: the type of an entry, and the field for what contains the work."""
_PUBLISHERS = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}
_MONTHS = tuple(month[:3] for month in lexicon_values("months", "en"))
_SEPARATE = re.compile(r"\band\b|,", re.IGNORECASE)


def bibtex(entries: list[CitedEntry]) -> str:
    """Return the whole file."""
    return "\n".join([f"% {MARK}", "", *map(_entry, entries)])


def _entry(entry: CitedEntry) -> str:
    kind, place = _TYPES.get(entry.text("type"), ("misc", "howpublished"))
    if kind == "phdthesis" and "master" in entry.text("genre").lower():
        kind = "mastersthesis"
    values = {
        "author": " and ".join(map(_name, entry.names("author"))),
        "editor": " and ".join(map(_name, entry.names("editor"))),
        "title": f"{{{escape_latex(entry.text('title'))}}}",
        place: escape_latex(entry.text("container-title")),
        _PUBLISHERS.get(kind, "publisher"): escape_latex(entry.text("publisher")),
        "address": escape_latex(entry.text("publisher-place")),
        "edition": escape_latex(entry.text("edition")),
        "volume": escape_latex(entry.text("volume")),
        "number": escape_latex(entry.text("issue") or ("" if entry.arxiv else entry.text("number"))),
        "pages": _pages(entry),
        "year": f"{entry.date[0]:04d}" if entry.date else "",
        "doi": identifier(entry.text("DOI")),
        "eprint": identifier(entry.arxiv),
        "archiveprefix": "arXiv" if identifier(entry.arxiv) else "",
        "isbn": escape_latex(entry.text("ISBN")),
        "issn": escape_latex(entry.text("ISSN")),
        "url": address(entry.text("URL")),
        "language": escape_latex(entry.text("language")),
        "keywords": ", ".join(escape_latex(tag.replace(",", " ")) for tag in entry.tags),
        "file": ";".join(map(file_name, entry.files)),
        "annote": " ".join(map(escape_latex, entry.notes())),
    }
    if place != "series" and not values.get("series"):
        values["series"] = escape_latex(entry.text("collection-title"))
    lines = [f"  {name:<13} = {{{value}}}," for name, value in values.items() if value]
    if len(entry.date) > 1 and 1 <= entry.date[1] <= 12:
        lines.append(f"  {'month':<13} = {_MONTHS[entry.date[1] - 1]},")
    return "\n".join([f"@{kind}{{{entry.key},", *lines, "}", ""])


def _pages(entry: CitedEntry) -> str:
    """Return the pages of the work in what contains it; where it has none, those that are cited."""
    own = entry.text("page")
    return re.sub(r"[-\u2013\u2014](?:(?:\{\})?[-\u2013\u2014])*", "--", escape_latex(own or ", ".join(entry.pages)))


def _name(name: Mapping[str, str]) -> str:
    """Return a name as BibTeX reads it in parts: "van Beethoven, Jr, Ludwig"; one in one piece stands in braces."""
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name.get("family"))))
    first = " ".join(filter(None, (name.get("given"), name.get("dropping-particle"))))
    if not (family and first):
        return f"{{{escape_latex(name.get('literal') or family or first)}}}"
    return ", ".join(_part(part) for part in (family, name.get("suffix", ""), first) if part)


def _part(text: str) -> str:
    """Return a part of a name, in braces where a comma or the word "and" in it would part it."""
    return f"{{{escape_latex(text)}}}" if _SEPARATE.search(text) else escape_latex(text)

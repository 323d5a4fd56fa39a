"""Links: a mark of the text -> the entries of the bibliography that it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from plugins.audit.marks import PARTICLES, YEAR, fold_name
from plugins.audit.references.types import Reference
from rag.attribution import CitationMark

_DIGITS = re.compile(r"\d{1,6}")
_DOI = re.compile(r"(?:doi\.org/|doi:\s?)(10\.\S{1,300})", re.IGNORECASE)
_ARXIV = re.compile(r"(?:arxiv\.org/(?:abs|pdf)/|arxiv:\s?)([\w./-]{4,40})", re.IGNORECASE)


class ReferenceIndex:
    """The references of a paper by number, label, name with year, and address; made once, in linear time."""

    def __init__(self, references: Iterable[Reference]) -> None:
        """Read the references; where two have the same key, both are found."""
        self.references = tuple(references)
        self._by: dict[tuple[str, str], list[Reference]] = defaultdict(list)
        numbered = any(_DIGITS.search(ref.label) and not _letters(ref.label) for ref in self.references)
        for ref in self.references:
            self._add_label(ref, numbered)
            for name in first_names(ref):
                for year in _years(ref):
                    self._add("name", f"{name} {year}", ref)
            for address in (ref.fields.url, ref.fields.doi, ref.fields.arxiv):
                if address:
                    self._add("address", _address(address), ref)

    def _add_label(self, ref: Reference, numbered: bool) -> None:
        label = ref.label.strip("[](){}. ^")
        digits = _DIGITS.search(label)
        if label:
            self._add("label", label.casefold(), ref)
        if digits and not _letters(label):
            self._add("number", str(int(digits[0])), ref)
        elif not numbered and not label:
            self._add("number", str(ref.number), ref)

    def _add(self, kind: str, key: str, ref: Reference) -> None:
        entries = self._by[kind, key]
        if ref not in entries[-1:]:
            entries.append(ref)

    def entries_of(self, mark: CitationMark) -> tuple[Reference, ...]:
        """Return the entries that a mark names, in its order; empty where the bibliography has none."""
        found = [ref for key in mark.keys for ref in self.entries_of_key(mark, key)]
        return tuple({ref.number: ref for ref in found}.values())

    def entries_of_key(self, mark: CitationMark, key: str) -> tuple[Reference, ...]:
        """Return the entries of one key of a mark: two works of a name and year without a letter are both named."""
        if mark.kind == "author-year":
            return self._of_work(key)
        if mark.kind == "link":
            return tuple(self._by.get(("address", _address(key)), ()))
        if mark.kind == "label":
            return tuple(self._by.get(("label", key.casefold()), ()))
        exact = self._by.get(("number", key)) if key.isdigit() else None
        return tuple(exact or self._by.get(("label", key.casefold()), []))

    def _of_work(self, key: str) -> tuple[Reference, ...]:
        names, _, year = key.rpartition(" ")
        first, *others = names.split(" & ")
        found: list[Reference] = []
        for name in _forms(first):
            found = self._by.get(("name", f"{name} {year}"), [])
            if not found and year[-1:].isalpha():
                found = [r for r in self._by.get(("name", f"{name} {year[:-1]}"), []) if not _lettered(r)]
            if found:
                break
        if len(found) > 1 and len(others) == 1:
            second = f" {fold_name(others[0])} "
            found = [r for r in found if second in f" {fold_name(_authors_of(r))} "] or found
        return tuple(found)


def first_names(ref: Reference) -> tuple[str, ...]:
    """Return the forms under which a text may name the first author, folded: whole, without particles, last word."""
    if ref.fields.authors:
        first = ref.fields.authors[0]
        return _forms(first.partition(",")[0]) if "," in first else (*_forms(first), *_forms(first.split()[-1:]))
    head = ref.text[:200]
    year = YEAR.search(head)
    head = head[: year.start()] if year and year.start() > 2 else head
    head = re.split(r"[,.(:;]|\band\b|&", head, maxsplit=1)[0]
    return (*_forms(head), *_forms(head.split()[-1:]))


def _forms(name: str | list[str]) -> tuple[str, ...]:
    """Return the folded forms of a surname: "van der Berg" is cited as "Berg" as well."""
    whole = fold_name(name if isinstance(name, str) else " ".join(name))
    words = whole.split()
    while len(words) > 1 and words[0] in PARTICLES:
        words.pop(0)
    return tuple(dict.fromkeys(form for form in (whole, " ".join(words), words[-1] if words else "") if form))


def _years(ref: Reference) -> tuple[str, ...]:
    """Return the year as printed and without its letter; of an entry whose fields have none, the years of its text."""
    if ref.fields.year:
        return tuple(dict.fromkeys((ref.fields.year, ref.fields.year.rstrip("abcdefghijklmnopqrstuvwxyz"))))
    found = [(m[1], m[2] or "") for m in YEAR.finditer(ref.text[:2000]) if m[1]][:4]
    return tuple(dict.fromkeys(form for year, letter in found for form in (year + letter, year)))


def _lettered(ref: Reference) -> bool:
    return any(year[-1:].isalpha() for year in _years(ref))


def _authors_of(ref: Reference) -> str:
    return " ".join(ref.fields.authors) or ref.text[:300]


def _letters(label: str) -> bool:
    return any(c.isalpha() for c in label)


def _address(address: str) -> str:
    """Return the form in which addresses are compared: a DOI or an arXiv number bare, any other without its scheme."""
    text = address.strip().casefold()
    for pattern in (_DOI, _ARXIV):
        if match := pattern.search(text):
            text = match[1]
    text = re.sub(r"^https?://", "", text).removeprefix("www.").rstrip("/.")
    return text.removesuffix(".pdf")

"""The values of a bibliography, and the entries of it that a mark of the text names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from plugins.audit.manuscripts import PagePlace
from plugins.audit.marks import ET_AL, PARTICLES, YEAR, fold_name
from rag.attribution import CitationMark

FieldName = Literal["title", "authors", "venue", "year", "doi", "arxiv", "url"]
"""The fields of an entry that are compared with a record."""


@dataclass(frozen=True, slots=True)
class BibliographicFields:
    """The fields of a work as they are written: nothing is completed, corrected or put into another form.

    A field that is not there is empty. `authors` are names in their order, each as it is written ("Smith, J." or "Jane
    Smith"); `et_al` is True where the list says that there are more. `venue` is the journal, the proceedings or the
    publisher; `year` has four digits with its letter if there is one ("2020a"). `doi` and `arxiv` are bare identifiers
    ("10.1000/182", "2101.00001v2"), `url` any other address. `doubtful` names the fields that may be misread: where one
    of them ends is not clear, or it was broken when it was printed.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    et_al: bool = False
    venue: str = ""
    year: str = ""
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    doubtful: tuple[FieldName, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are there, as plain values."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items() if v}


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a bibliography: `number` counts from 1 in its order, `text` is the entry as it is printed.

    `label` is the mark that the bibliography prints before it ("[12]", "12.", "Smi20"), or the key of a BibTeX entry;
    empty where it has none. `places` has a part for each page or column that the entry runs over; none for entries that
    come from no page.
    """

    number: int
    text: str
    fields: BibliographicFields
    label: str = ""
    places: tuple[PagePlace, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "number": self.number,
            "label": self.label,
            "text": self.text,
            "fields": self.fields.to_json(),
            "places": [place.to_json() for place in self.places],
        }


_DIGITS = re.compile(r"\d{1,6}")
_DOI = re.compile(r"(?:doi\.org/|doi:\s?)(10\.\S{1,300})", re.IGNORECASE)
_ARXIV = re.compile(r"(?:arxiv\.org/(?:abs|pdf)/|arxiv:\s?)([\w./-]{4,40})", re.IGNORECASE)
_OPENING = re.compile(r"(?<=[a-z\d)”\"]\.\s)[^\W\d_][^\s,.(]{1,40}")


class ReferenceIndex:
    """The references of a paper by number, label, name with year, and address; made once, in linear time."""

    def __init__(self, references: Iterable[Reference]) -> None:
        """Read the references; where two have the same key, both are found."""
        references = tuple(references)
        self._by: dict[tuple[str, str], list[Reference]] = defaultdict(list)
        numbered = any(_DIGITS.search(ref.label) and not _letters(ref.label) for ref in references)
        for ref in references:
            self._add_label(ref, numbered)
            for name in first_names(ref):
                for year in _years(ref) or ("",):
                    self._add("name", f"{name} {year}", ref)
            for opening in _OPENING.finditer(ref.text[:2000]):
                if next_year := YEAR.search(ref.text, opening.end(), opening.end() + 400):
                    self._add("inside", f"{fold_name(opening[0])} {next_year[0]}", ref)
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
        entries = [ref for key in mark.keys for ref in self.entries_of_key(mark, key)]
        return tuple({ref.number: ref for ref in entries}.values())

    def entries_of_key(self, mark: CitationMark, key: str) -> tuple[Reference, ...]:
        """Return the entries of one key of a mark: two works of a name and year without a letter are both named."""
        if mark.kind == "author-year":
            return self._of_work(key, bool(ET_AL.search(mark.text)))
        if mark.kind == "link":
            return tuple(self._by.get(("address", _address(key)), ()))
        if mark.kind == "label":
            return tuple(self._by.get(("label", key.casefold()), ()))
        exact = self._by.get(("number", key)) if key.isdigit() else None
        return tuple(exact or self._by.get(("label", key.casefold()), []))

    def has_key(self, mark: CitationMark, key: str) -> bool:
        """Return True if an entry has the key of a mark, or a sentence inside one opens with its name before its year.

        The second is an entry that was not split off.
        """
        inside = ("inside", f"{fold_name(key).partition(' ')[0]} {key.rpartition(' ')[2]}") in self._by
        return (inside and mark.kind == "author-year") or bool(self.entries_of_key(mark, key))

    def _of_work(self, key: str, et_al: bool) -> tuple[Reference, ...]:
        """Return the entries with these authors or, if there are none, of this first author, and the year.

        Words before the names may have been taken for names: "for SMM and Hansen (1982)".
        """
        names, _, year = key.rpartition(" ")
        authors = names.split(" & ")
        for start in range(len(authors)):
            entries = self._of_name(authors[start], year)
            exact = [ref for ref in entries if _has_authors(ref, authors[start:], et_al)]
            if exact or (entries and not start):
                return tuple(exact or entries)
        return ()

    def _of_name(self, name: str, year: str) -> list[Reference]:
        """Return the entries of a first author and a year or, if there are none, those of the author without a year."""
        for form in _forms(name):
            entries = self._by.get(("name", f"{form} {year}"), [])
            if not entries and year[-1:].isalpha():
                entries = [r for r in self._by.get(("name", f"{form} {year[:-1]}"), []) if not _has_lettered_year(r)]
            if entries := entries or self._by.get(("name", f"{form} "), []):
                return entries
        return []


def first_names(ref: Reference) -> tuple[str, ...]:
    """Return the folded forms under which a text may name the first author: with initials ("Agresti A") and without."""
    if ref.fields.authors:
        name = ref.fields.authors[0].partition(",")[0]
    else:
        year = YEAR.search(ref.text[:200])
        head = ref.text[: year.start() if year and year.start() > 2 else 200]
        name = re.split(r"[,.(:;]|\band\b|&", head, maxsplit=1)[0]
    words = [word for word in name.split() if not (word.isupper() and len(word.replace(".", "")) <= 3)]
    return tuple(dict.fromkeys((*_forms(name), *_forms(" ".join(words)))))


def _forms(name: str) -> tuple[str, ...]:
    """Return the folded forms of a surname: "van der Berg" is cited as "Berg" as well."""
    whole = fold_name(name)
    words = whole.split()
    while len(words) > 1 and words[0] in PARTICLES:
        words.pop(0)
    return tuple(dict.fromkeys(form for form in (whole, " ".join(words), words[-1] if words else "") if form))


def _years(ref: Reference) -> tuple[str, ...]:
    """Return the year as printed and without its letter; of an entry whose fields have none, the years of its text."""
    if ref.fields.year:
        return tuple(dict.fromkeys((ref.fields.year, ref.fields.year.rstrip("abcdefghijklmnopqrstuvwxyz"))))
    years = [(m[1], m[2] or "") for m in YEAR.finditer(ref.text[:2000]) if m[1]][:4]
    return tuple(dict.fromkeys(form for year, letter in years for form in (year + letter, year)))


def _has_lettered_year(ref: Reference) -> bool:
    return any(year[-1:].isalpha() for year in _years(ref))


def _has_authors(ref: Reference, names: list[str], et_al: bool) -> bool:
    """Return True if an entry has these authors and, as far as is known, no others or, with et al., others too."""
    authors, number = f" {fold_name(' '.join(ref.fields.authors) or ref.text[:300])} ", len(ref.fields.authors)
    alone = not number or (number > len(names) if et_al else number == len(names))
    return alone and all(f" {form} " in authors for name in names for form in _forms(name)[-1:])


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

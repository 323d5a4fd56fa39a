"""Works: reads BibTeX into the values that a bibliography prints, with names in their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation import GoldUnreadable
from plugins.audit.references import plain_latex

MOST_BYTES = 50_000_000
"""The largest BibTeX file that is read."""
MOST_VALUE = 4000
"""The characters of a value that are kept."""
MOST_NAMES = 400
SUFFIXES = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
ARXIV_ID = re.compile(r"\b\d{4}\.\d{4,5}\b")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in its parts; the family name holds its particles. An organisation has a family name alone."""

    family: str
    given: str = ""
    suffix: str = ""

    @property
    def plain(self) -> str:
        """The name as one says it: "Jane van der Berg, Jr."."""
        return " ".join(part for part in (self.given, self.family) if part) + (
            f", {self.suffix}" if self.suffix else ""
        )


@dataclass(frozen=True, slots=True)
class Work:
    """A work that a bibliography can print: `kind` is the type of BibTeX ("article"); what it lacks is empty.

    `venue` is the journal or the book of proceedings, `house` the publisher, the school or the institution.
    """

    kind: str
    title: str
    authors: tuple[PersonName, ...] = ()
    year: str = ""
    venue: str = ""
    house: str = ""
    place: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    month: str = ""
    edition: str = ""
    editors: tuple[PersonName, ...] = ()
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    key: str = ""


def read_works(path: Path) -> Iterator[Work]:
    """Yield the works of a BibTeX file that have a title. Raises GoldUnreadable for one that is too large or none."""
    from bibtexparser.entrypoint import parse_string

    try:
        if path.stat().st_size > MOST_BYTES:
            raise GoldUnreadable(f"{path.name} has more than {MOST_BYTES // 1_000_000} MB: give a smaller BibTeX file")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise GoldUnreadable(f"cannot read {path}: {error.strerror}: give a BibTeX file") from None
    for entry in parse_string(text).entries:
        values = {f.key.lower(): str(f.value)[:MOST_VALUE] for f in entry.fields}
        work = _work(entry.entry_type.lower(), entry.key, values)
        if work is not None:
            yield work


def _work(kind: str, key: str, values: Mapping[str, str]) -> Work | None:
    """Return the work of an entry; None for one that has no title."""

    def value(*names: str) -> str:
        return next((found for name in names if (found := plain(values.get(name, "")))), "")

    title = value("title")
    if not title:
        return None
    year = YEAR.search(value("year", "date"))
    eprint = ARXIV_ID.search(" ".join(values.get(name, "") for name in ("eprint", "journal", "note", "url")))
    doi = value("doi")
    return Work(
        kind=kind,
        title=title,
        authors=names_of(values.get("author", "")),
        year=year.group() if year else "",
        venue=value("journal", "journaltitle", "booktitle"),
        house=value("publisher", "school", "institution", "organization", "howpublished"),
        place=value("address", "location"),
        volume=value("volume"),
        issue=value("number"),
        pages=value("pages").replace("--", "–"),
        month=value("month"),
        edition=value("edition"),
        editors=names_of(values.get("editor", "")),
        doi=doi[doi.find("10.") :] if "10." in doi else "",
        arxiv=eprint.group() if eprint else "",
        url=value("url"),
        key=key,
    )


def plain(latex: str) -> str:
    """Return a value without its markup: accents are composed, commands and braces gone, white space single."""
    return plain_latex(latex[:MOST_VALUE].replace("\u00ad", ""))


def names_of(value: str) -> tuple[PersonName, ...]:
    """Return the names of an `author` of BibTeX, which joins them by "and"; "others" is left out."""
    found = (_name(" ".join(part.split())) for part in re.split(r"\sand\s", value[: MOST_VALUE * 4]))
    return tuple(name for name in found if name and name.family.lower() != "others")[:MOST_NAMES]


def _name(written: str) -> PersonName | None:
    """Return one name: "van der Berg, Jr., Jane", "Jane van der Berg" or "{An Organisation}"."""
    if written.startswith("{") and written.find("}") == len(written) - 1:
        return PersonName(plain(written))
    parts = [plain(part) for part in written.split(",")]
    if len(parts) > 2:
        return PersonName(parts[0], parts[2], parts[1]) if parts[0] else None
    if len(parts) == 2:
        return PersonName(parts[0], parts[1]) if parts[0] else None
    words = parts[0].split()
    if not words:
        return None
    suffix = words.pop() if len(words) > 2 and words[-1].lower() in SUFFIXES else ""
    first = next((k for k, word in enumerate(words[:-1]) if k and word[:1].islower()), len(words) - 1)
    return PersonName(" ".join(words[first:]), " ".join(words[:first]), suffix)

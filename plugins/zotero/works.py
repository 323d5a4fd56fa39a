"""The works that an answer cites, as BibTeX and RIS: their records, the cited pages and the quotes.

A record comes from the library that the document came from (`Metadata.record`, CSL-JSON), or else is made of what is
known of the document. Two files of one record, as a paper and its supplement, are one work. Values are written here,
not by bibtexparser, which escapes no sign of LaTeX in them. Quotes are in `annote`, which no style of BibTeX prints,
and in the notes of RIS (N1); a file is named without its folder. A value of RIS is one line, so
that none can begin a field; the field DP, the database that an entry comes from, says that it is an export of ours.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from anyascii import anyascii

from indexing.language import lexicon_values
from ui import ExportError
from ui.export import MARK, latex
from ui.show import clean, role

if TYPE_CHECKING:
    from indexing import Document
    from ui.export import ExportContents, Source


MOST_TEXT = 2000
"""The characters of a value that is written."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:+./_-]{0,79}")
_MARKUP = re.compile(r"</?(?:i|b|sub|sup|sc|span)(?: [^<>]{0,100})?>")
_SMALL_WORDS = frozenset(
    ("the", "and", "for", "with", "from", "der", "die", "das", "ein", "eine", "les", "des", "une", "los", "las")
)
_PEOPLE = re.compile(r" ?(?:;| & | and ) ?", re.IGNORECASE)
_NAME_PARTS = ("family", "given", "non-dropping-particle", "dropping-particle", "suffix", "literal")

_BIBTEX_TYPES = {
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
_RIS_TYPES = {
    "article-journal": "JOUR", "article-magazine": "MGZN", "article-newspaper": "NEWS", "paper-conference": "CONF",
    "book": "BOOK", "chapter": "CHAP", "thesis": "THES", "report": "RPRT", "webpage": "ELEC", "post-weblog": "BLOG",
    "article": "UNPB", "manuscript": "UNPB", "patent": "PAT", "dataset": "DATA", "software": "COMP", "map": "MAP",
    "entry-encyclopedia": "ENCYC", "entry-dictionary": "DICT", "standard": "STAND", "bill": "BILL",
    "legal_case": "CASE", "hearing": "HEAR", "legislation": "STAT", "motion_picture": "VIDEO", "song": "SOUND",
}  # fmt: skip
_RIS_VARIABLES = (
    ("TI", "title"), ("T2", "container-title"), ("T3", "collection-title"), ("PB", "publisher"),
    ("CY", "publisher-place"), ("ET", "edition"), ("VL", "volume"), ("DO", "DOI"), ("UR", "URL"), ("LA", "language"),
)  # fmt: skip
_RANGE = re.compile(r"([^-\u2013\u2014,;]{1,20})[-\u2013\u2014]{1,3}([^-\u2013\u2014,;]{1,20})")


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A cited place of a work: its number in the answer, file, page as it is printed, quote.

    `role` is printed after the place: that it contradicts, or could not be confirmed.
    `place` is the place in a source that has no pages of its own ("lines 3-7"); then its page is not printed.
    """

    number: int
    file: str
    page: str
    quote: str
    role: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class CitedEntry:
    """A cited work: the key of its entry, its record as CSL-JSON, the names of its files, the cited passages."""

    key: str
    record: Mapping[str, Any]
    files: tuple[str, ...]
    tags: tuple[str, ...]
    passages: tuple[CitedPassage, ...]

    @property
    def pages(self) -> tuple[str, ...]:
        """The numbers of the cited pages as they are printed, each once, in the order of the citations."""
        return tuple(dict.fromkeys(passage.page for passage in self.passages if not passage.place))

    def text(self, variable: str) -> str:
        """Return a variable of the record as one line without markup; "" where it has none."""
        value = self.record.get(variable)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return ""
        return clean(_MARKUP.sub("", str(value)[:MOST_TEXT]))

    def names(self, role: str) -> tuple[Mapping[str, str], ...]:
        """Return the people of a role in CSL-JSON, each part on one line; those without a name are left out."""
        people = self.record.get(role)
        people_names = [_name(one) for one in people[:1000]] if isinstance(people, list) else []
        return tuple(name for name in people_names if name)

    @property
    def date(self) -> tuple[int, ...]:
        """The year, month and day of the work, as far as they are known."""
        date_field = self.record.get("issued")
        parts = date_field.get("date-parts") if isinstance(date_field, Mapping) else None
        first = parts[0] if isinstance(parts, list) and parts else None
        numbers = [int(part) for part in first[:3] if str(part).isdecimal()] if isinstance(first, list) else []
        return tuple(numbers) if numbers and 0 < numbers[0] < 10_000 else ()

    @property
    def arxiv(self) -> str:
        """The arXiv number of the work, bare; "" where it has none."""
        match = re.fullmatch(r"arxiv:\s?(\S{1,40})", self.text("number"), re.IGNORECASE)
        return match[1] if match else ""

    def notes(self) -> list[str]:
        """Return a line for each citation: its number, the page as it is printed, the quote."""
        several = len({passage.file for passage in self.passages}) > 1
        lines = [f"Cited pages: {', '.join(self.pages)}."] if self.pages else []
        for passage in self.passages:
            where = passage.place or f"p. {passage.page}"
            where = f"{passage.file}, {where}" if several else where
            quote = clean(passage.quote[:MOST_TEXT])
            lines.append(f"[{passage.number}] {where}{passage.role}" + (f": \u201c{quote}\u201d" if quote else ""))
        return lines


def cited_entries(contents: ExportContents) -> list[CitedEntry]:
    """Return the works that an answer cites, in the order of its citations, each under a key of its own."""
    works: dict[str, list[Source]] = {}
    for source in contents.sources:
        document = contents.documents.get(source.citation.doc_id)
        same = (document.metadata.record if document else "") or source.citation.doc_id
        works.setdefault(same, []).append(source)
    entries = [_entry(sources, contents.documents) for sources in works.values()]
    keys = _unique_keys([(_key(e), of[0].citation.doc_id) for e, of in zip(entries, works.values(), strict=True)])
    return [replace(entry, key=key) for key, entry in zip(keys, entries, strict=True)]


def _entry(sources: Sequence[Source], documents: Mapping[str, Document]) -> CitedEntry:
    """Return the entry of a work, without a key."""
    first = sources[0].citation
    document = documents.get(first.doc_id)
    passages = tuple(
        CitedPassage(s.number, clean(c.document), s.printed_page or str(c.page), c.quote, role(c), clean(c.place))
        for s in sources
        for c in [s.citation]
    )
    files = tuple(dict.fromkeys(clean(s.citation.document) for s in sources))
    tags = tuple(clean(tag) for tag in document.metadata.tags[:200]) if document else ()
    return CitedEntry("", _record(document, first.document), files, tags, passages)


def _record(document: Document | None, name: str) -> Mapping[str, Any]:
    """Return the record of a document: that of its library, or one of its title, author, date and address."""
    if document is not None and document.metadata.record:
        try:
            values = json.loads(document.metadata.record)
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, dict) and values.get("title"):
            return values
    title = (document.title if document else "") or PurePosixPath(name).stem or name
    record: dict[str, Any] = {"type": "document", "title": title}
    if document is None:
        return record
    metadata = document.metadata
    if people := people_of(metadata.author):
        record["author"] = people
    if date := re.match(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", metadata.date):
        record["issued"] = {"date-parts": [[int(part) for part in date.groups() if part]]}
    if metadata.url.startswith(("http://", "https://")):
        record |= {"URL": metadata.url, "type": "webpage"}
    return record | ({"language": metadata.language} if metadata.language else {})


def people_of(text: str) -> list[dict[str, str]]:
    """Return the people of a line of authors as CSL has them: "Ada Lovelace; Holm, Anna and Bo Ek"."""
    pieces = [piece.strip(" ,") for piece in _PEOPLE.split(clean(text)[:MOST_TEXT])]
    names = [part.strip() for piece in pieces for part in _split_people(piece)]
    return [_person(name) for name in names if name.casefold() not in ("", "and", "&")]


def _split_people(piece: str) -> list[str]:
    """Split "Ada Lovelace, Bo Ek" at commas if every part has two words or more."""
    parts = piece.split(",")
    return parts if len(parts) > 1 and all(len(part.split()) > 1 for part in parts) else [piece]


def _person(name: str) -> dict[str, str]:
    """Return a name, "Falk, Anna" or "Anna van Falk", in CSL-JSON; one that cannot be divided as a literal."""
    family, comma, rest = name.partition(",")
    if comma and family.strip() and rest.strip():
        return {"family": family.strip(), "given": rest.strip()}
    words = name.split()
    if not 2 <= len(words) <= 5 or any(char.isdigit() for char in name):
        return {"literal": name}
    first = next((n for n, word in enumerate(words[:-1]) if n and word[0].islower()), len(words) - 1)
    return {"family": " ".join(words[first:]), "given": " ".join(words[:first])}


def _name(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    parts = ((part, value.get(part)) for part in _NAME_PARTS)
    return {part: text for part, one in parts if isinstance(one, str) and (text := clean(one[:500]))}


def _family_and_first(name: Mapping[str, str]) -> tuple[str, str]:
    """Return the family name and the given name, each with its particle."""
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name.get("family"))))
    return family, " ".join(filter(None, (name.get("given"), name.get("dropping-particle"))))


def _key(entry: CitedEntry) -> str:
    """Return the key of an entry: that of its library, or else author, year and first word of the title."""
    own = entry.text("citation-key")
    if _KEY.fullmatch(own):
        return own
    people = entry.names("author") or entry.names("editor")
    name = (people[0].get("family") or people[0].get("literal", "")) if people else ""
    words = [_letters(word) for word in entry.text("title").split()]
    word = next((word for word in words if len(word) > 2 and word not in _SMALL_WORDS), "")
    year = f"{entry.date[0]:04d}" if entry.date else ""
    return f"{_letters(name)[:30]}{year}{word[:30]}" or "document"


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", anyascii(text[:200]).lower())


def _unique_keys(candidates: Sequence[tuple[str, str]]) -> list[str]:
    """Return unique keys for (key, document id): a key that several works would have gets the document's id."""
    count = Counter(key.casefold() for key, _ in candidates)
    keys: dict[str, str] = {}  # by their small letters, which some programs compare
    for key, doc_id in candidates:
        free = stem = key if count[key.casefold()] == 1 else f"{key}-{_letters(doc_id)[:6]}"
        number = 1
        while free.casefold() in keys:
            number += 1
            free = f"{stem}-{number}"
        keys[free.casefold()] = free
    return list(keys.values())


def bibtex(entries: list[CitedEntry]) -> str:
    """Return the BibTeX file of the entries."""
    return "\n".join([f"% {MARK}", "", *map(_bibtex_entry, entries)])


def _bibtex_entry(entry: CitedEntry) -> str:
    kind, container = _BIBTEX_TYPES.get(entry.text("type"), ("misc", "howpublished"))
    if kind == "phdthesis" and "master" in entry.text("genre").lower():
        kind = "mastersthesis"
    values = {
        "author": " and ".join(map(_bibtex_name, entry.names("author"))),
        "editor": " and ".join(map(_bibtex_name, entry.names("editor"))),
        "title": f"{{{latex.escape_latex(entry.text('title'))}}}",
        container: latex.escape_latex(entry.text("container-title")),
        _PUBLISHERS.get(kind, "publisher"): latex.escape_latex(entry.text("publisher")),
        "address": latex.escape_latex(entry.text("publisher-place")),
        "edition": latex.escape_latex(entry.text("edition")),
        "volume": latex.escape_latex(entry.text("volume")),
        "number": latex.escape_latex(entry.text("issue") or ("" if entry.arxiv else entry.text("number"))),
        "pages": _bibtex_pages(entry),
        "year": f"{entry.date[0]:04d}" if entry.date else "",
        "doi": latex.identifier(entry.text("DOI")),
        "eprint": latex.identifier(entry.arxiv),
        "archiveprefix": "arXiv" if latex.identifier(entry.arxiv) else "",
        "isbn": latex.escape_latex(entry.text("ISBN")),
        "issn": latex.escape_latex(entry.text("ISSN")),
        "url": latex.address(entry.text("URL")),
        "language": latex.escape_latex(entry.text("language")),
        "keywords": ", ".join(latex.escape_latex(tag.replace(",", " ")) for tag in entry.tags),
        "file": ";".join(map(latex.file_name, entry.files)),
        "annote": " ".join(map(latex.escape_latex, entry.notes())),
    }
    if container != "series" and not values.get("series"):
        values["series"] = latex.escape_latex(entry.text("collection-title"))
    lines = [f"  {name:<13} = {{{value}}}," for name, value in values.items() if value]
    if len(entry.date) > 1 and 1 <= entry.date[1] <= 12:
        lines.append(f"  {'month':<13} = {_MONTHS[entry.date[1] - 1]},")
    return "\n".join([f"@{kind}{{{entry.key},", *lines, "}", ""])


def _bibtex_pages(entry: CitedEntry) -> str:
    """Return the work's pages in its journal or book; without them, the cited pages."""
    own = entry.text("page")
    return re.sub(
        r"[-\u2013\u2014](?:(?:\{\})?[-\u2013\u2014])*", "--", latex.escape_latex(own or ", ".join(entry.pages))
    )


def _bibtex_name(name: Mapping[str, str]) -> str:
    """Return a name as BibTeX parses it: "van Beethoven, Jr, Ludwig"; an undivided one in braces."""
    family, first = _family_and_first(name)
    if not (family and first):
        return f"{{{latex.escape_latex(name.get('literal') or family or first)}}}"
    return ", ".join(_part(part) for part in (family, name.get("suffix", ""), first) if part)


def _part(text: str) -> str:
    """Return a part of a name, in braces if it has a comma or the word "and"."""
    return f"{{{latex.escape_latex(text)}}}" if _SEPARATE.search(text) else latex.escape_latex(text)


def ris(entries: list[CitedEntry]) -> str:
    """Return the RIS file of the entries; its lines end in CR and LF, as the format demands."""
    fields = [field for entry in entries for field in (*_ris_fields(entry), ("ER", ""))]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in fields)


def _ris_fields(entry: CitedEntry) -> Iterator[tuple[str, str]]:
    yield "TY", _RIS_TYPES.get(entry.text("type"), "GEN")
    yield "ID", entry.key
    for tag, people in (("AU", "author"), ("ED", "editor")):
        yield from ((tag, _ris_name(name)) for name in entry.names(people))
    yield from ((tag, text) for tag, variable in _RIS_VARIABLES if (text := entry.text(variable)))
    if number := entry.text("issue") or entry.text("number"):
        yield "IS", number
    if serial := entry.text("ISBN") or entry.text("ISSN"):
        yield "SN", serial
    if entry.date:
        year, month, day = (*entry.date, 0, 0)[:3]
        yield "PY", f"{year:04d}"
        yield "DA", "/".join([f"{year:04d}", f"{month:02d}" if month else "", f"{day:02d}" if day else "", ""])
    yield from _ris_pages(entry)
    yield from (("KW", tag) for tag in entry.tags)
    yield from (("L1", name) for name in entry.files)
    yield from (("N1", line) for line in entry.notes())
    yield "DP", MARK


def _ris_pages(entry: CitedEntry) -> Iterator[tuple[str, str]]:
    """Yield the first and the last page of the work in its journal or book; without them, the cited pages."""
    own = entry.text("page") or ", ".join(entry.pages)
    match = _RANGE.fullmatch(own)
    if match:
        yield from (("SP", match[1].strip()), ("EP", match[2].strip()))
    elif own:
        yield "SP", own


def _ris_name(name: Mapping[str, str]) -> str:
    """Return a name for RIS: "van Beethoven, Ludwig, Jr"; an undivided one as it is."""
    family, first = _family_and_first(name)
    if not (family and first):
        return name.get("literal") or family or first
    return ", ".join(filter(None, (family, first, name.get("suffix"))))


def bibtex_file(contents: ExportContents, target: Path) -> dict[Path, bytes]:
    """Return the cited works as BibTeX. Raises ExportError where nothing is cited."""
    return {target: bibtex(_entries(contents, target)).encode(errors="replace")}


def ris_file(contents: ExportContents, target: Path) -> dict[Path, bytes]:
    """Return the cited works as RIS. Raises ExportError where nothing is cited."""
    return {target: ris(_entries(contents, target)).encode(errors="replace")}


def _entries(contents: ExportContents, target: Path) -> list[CitedEntry]:
    if not contents.sources:
        raise ExportError(f"{target}: nothing was cited, so there are no works to list: export .md, .html or .json")
    return cited_entries(contents)

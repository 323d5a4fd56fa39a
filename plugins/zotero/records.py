"""Records: Zotero's items are converted to CSL-JSON, and that to the metadata by which collections filter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

READ_SUFFIXES = frozenset((".pdf", ".epub"))
"""The files of a library that are read: its documents. Snapshots of web pages and the rest stay where they are."""
MOST_FILES = 200_000
"""The attachments of a library that are looked at."""
DEEPEST = 20
"""The most collections that the path of one in them names."""
MOST_TEXT = 2_000
"""The characters of one field of a record."""
MOST_NAMES = 1_000
"""The names of one record."""
TYPES = {
    "journalArticle": "article-journal", "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper", "book": "book", "bookSection": "chapter",
    "conferencePaper": "paper-conference", "thesis": "thesis", "report": "report", "webpage": "webpage",
    "blogPost": "post-weblog", "forumPost": "post", "preprint": "article", "manuscript": "manuscript",
    "patent": "patent", "presentation": "speech", "dataset": "dataset", "computerProgram": "software",
    "standard": "standard", "document": "document", "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary", "statute": "legislation", "bill": "bill", "case": "legal_case",
    "hearing": "hearing", "letter": "personal_communication", "email": "personal_communication",
    "interview": "interview", "film": "motion_picture", "videoRecording": "motion_picture",
    "audioRecording": "song", "map": "map", "artwork": "graphic", "podcast": "broadcast",
    "radioBroadcast": "broadcast", "tvBroadcast": "broadcast",
}  # fmt: skip
"""Zotero's types of items, and the types of CSL."""
FIELDS = {
    "title": ("title", "caseName", "nameOfAct", "subject"),
    "container-title": ("publicationTitle", "bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle",
                        "websiteTitle", "blogTitle", "forumTitle", "programTitle"),
    "collection-title": ("series", "seriesTitle"),
    "publisher": ("publisher", "university", "institution", "company", "studio", "label", "network", "repository",
                  "organization"),
    "publisher-place": ("place",),
    "event-title": ("conferenceName", "meetingName"),
    "volume": ("volume", "codeVolume"),
    "issue": ("issue",),
    "number": ("number", "reportNumber", "patentNumber", "billNumber", "archiveID"),
    "page": ("pages", "codePages"),
    "edition": ("edition",),
    "version": ("versionNumber",),
    "genre": ("thesisType", "reportType", "manuscriptType", "websiteType", "type", "genre"),
    "DOI": ("DOI",), "ISBN": ("ISBN",), "ISSN": ("ISSN",), "URL": ("url",), "language": ("language",),
    "citation-key": ("citationKey",),
}  # fmt: skip
"""The variables of CSL that a record keeps, and the fields of Zotero that hold them. Abstracts and notes stay there."""
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate", "filingDate")
_ROLES = {
    "editor": "editor", "translator": "translator", "seriesEditor": "collection-editor",
    "bookAuthor": "container-author",
} | dict.fromkeys(
    ("author", "programmer", "inventor", "presenter", "artist", "director", "cartographer", "podcaster", "interviewee",
     "performer", "sponsor"), "author",
)  # fmt: skip
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?![\d-])")
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_EXTRA = re.compile(r"^(citation key|doi)\s{0,3}:\s{0,3}(\S{1,200})\s{0,20}$", re.IGNORECASE | re.MULTILINE)
_LANGUAGES = (
    ("ar", "ara arabic"), ("bg", "bul bulgarian"), ("ca", "cat catalan"), ("cs", "ces cze czech"),
    ("da", "dan danish"), ("de", "deu ger german ngerman deutsch"), ("el", "ell gre greek"),
    ("en", "eng english american british usenglish ukenglish"), ("es", "spa spanish español"),
    ("et", "est estonian"), ("fa", "fas per persian"), ("fi", "fin finnish"), ("fr", "fra fre french français"),
    ("he", "heb hebrew"), ("hi", "hin hindi"), ("hr", "hrv croatian"), ("hu", "hun hungarian magyar"),
    ("id", "ind indonesian"), ("it", "ita italian italiano"), ("ja", "jpn japanese"), ("ko", "kor korean"),
    ("la", "lat latin"), ("lt", "lit lithuanian"), ("lv", "lav latvian"), ("nl", "nld dut dutch nederlands"),
    ("no", "nor norwegian norsk"), ("pl", "pol polish polski"), ("pt", "por portuguese português brazilian"),
    ("ro", "ron rum romanian"), ("ru", "rus russian"), ("sk", "slk slo slovak"), ("sl", "slv slovene slovenian"),
    ("sr", "srp serbian"), ("sv", "swe swedish svenska"), ("tr", "tur turkish"), ("uk", "ukr ukrainian"),
    ("vi", "vie vietnamese"), ("zh", "zho chi chinese"),
)  # fmt: skip
_CODES = {name: code for code, names in _LANGUAGES for name in names.split()}


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """An entry of a library: its CSL-JSON, its tags, its collections ("Thesis/Chapter 2")."""

    record: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    def join(self, other: LibraryEntry) -> LibraryEntry:
        """Return one entry for two of the same file: the first record that is not empty, all tags and collections."""
        return LibraryEntry(
            self.record or other.record,
            tuple(dict.fromkeys((*self.tags, *other.tags))),
            tuple(dict.fromkeys((*self.collections, *other.collections))),
        )


@dataclass(frozen=True, slots=True)
class Creator:
    """A person or body behind a work, in Zotero's `role`; if `whole`, `family` is the complete name."""

    role: str
    given: str
    family: str
    whole: bool = False


def csl_of(item_type: str, fields: Mapping[str, str], creators: Sequence[Creator]) -> dict[str, Any]:
    """Return the CSL-JSON of an item of Zotero; of several fields for one variable, the first that has a value."""
    record: dict[str, Any] = {"type": TYPES.get(item_type, "document")}
    for variable, names in FIELDS.items():
        value = next((text for name in names if (text := one_line(fields.get(name)))), "")
        if value:
            record[variable] = value
    for key, value in _EXTRA.findall(str(fields.get("extra") or "")[:20_000]):
        record.setdefault("DOI" if key.lower() == "doi" else "citation-key", value)
    date = next((text for name in _DATES if (text := one_line(fields.get(name)))), "")
    if date:
        record["issued"] = date_of(date)
    if access_date := one_line(fields.get("accessDate")):
        record["accessed"] = date_of(access_date[:10])
    for creator in creators[:MOST_NAMES]:
        role, name = _ROLES.get(creator.role), name_of(creator)
        if role and name:
            record.setdefault(role, []).append(name)
    return record


def name_of(creator: Creator) -> dict[str, str]:
    """Return a name in CSL-JSON; empty if there is none."""
    given, family = one_line(creator.given), one_line(creator.family)
    if creator.whole or not (given and family):
        return {"literal": family or given} if family or given else {}
    return {"family": family, "given": given}


def one_line(value: object) -> str:
    """Return a value as one line of text, cut at the limit; "" for lists, objects and None."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(str(value)[:MOST_TEXT].split())
    return text.encode("utf-8", "replace").decode()


def date_of(text: str) -> dict[str, Any]:
    """Return a date in CSL-JSON: from Zotero's "2015-03-00 March 2015", ISO, else the year in a text, or the text."""
    match = _DAY.match(text)
    if match and (parts := _valid_parts([int(part) for part in match.groups() if part])):
        return {"date-parts": [parts]}
    year = _YEAR.search(text)
    return {"date-parts": [[int(year[0])]]} if year else {"literal": text[:100]}


def _valid_parts(parts: list[int]) -> list[int]:
    """Return year, month and day up to the first that is invalid."""
    limits = (10_000, 13, 32)
    return list(takewhile(bool, (part if part < most else 0 for part, most in zip(parts, limits, strict=False))))


def iso_date(date: Mapping[str, Any]) -> str:
    """Return a date of CSL as far as it is known: "2015", "2015-03", "2015-03-17"; "" without a year."""
    parts = date.get("date-parts", [[]])[0]
    return "-".join([f"{parts[0]:04d}", *(f"{part:02d}" for part in parts[1:])]) if parts else ""


def authors_of(record: Mapping[str, Any]) -> str:
    """Return the authors, else the editors, of a record: "Ada Lovelace; Charles Babbage"."""
    people = record.get("author") or record.get("editor") or ()
    return "; ".join(name.get("literal") or f"{name.get('given', '')} {name['family']}".strip() for name in people)


def language_code(value: object) -> str:
    """Return the ISO 639-1 code of "en-GB", "eng" or "English"; "" for a language that is not known."""
    words = re.split(r"[\s_,;/-]", one_line(value).casefold(), maxsplit=1)
    first = words[0]
    return first if len(first) == 2 and first.isascii() and first.isalpha() else _CODES.get(first, "")


def collection_path(number: object, parents: Mapping[Any, tuple[Any, Any]]) -> str:
    """Return the path of a collection, of which `parents` has the parent and the name; a cycle of parents ends it."""
    names: dict[object, str] = {}
    while number in parents and number not in names and len(names) < DEEPEST:
        parent, name = parents[number]
        names[number] = one_line(name).replace("/", "-") or "-"
        number = parent
    return "/".join(reversed(names.values()))


def texts(values: Iterable[object], most: int = 200) -> tuple[str, ...]:
    """Return the texts among values, each once, at most `most`."""
    return tuple(list(dict.fromkeys(filter(None, (one_line(value)[:200] for value in values))))[:most])

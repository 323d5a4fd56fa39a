"""Records: what Zotero keeps of a work becomes CSL-JSON, and what a collection filters by is read off CSL-JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
ROLES = ("author", "editor", "translator", "collection-editor", "container-author")
"""The roles of people in a record."""
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
class Creator:
    """A person or body behind a work, in Zotero's `role`; `given` is empty where the name is in one piece."""

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
    if accessed := one_line(fields.get("accessDate")):
        record["accessed"] = date_of(accessed[:10])
    for creator in creators[:MOST_NAMES]:
        role, name = _ROLES.get(creator.role), name_of(creator)
        if role and name:
            record.setdefault(role, []).append(name)
    return record


def name_of(creator: Creator) -> dict[str, str]:
    """Return a name as CSL has it; empty where there is none."""
    given, family = one_line(creator.given), one_line(creator.family)
    if creator.whole or not (given and family):
        return {"literal": family or given} if family or given else {}
    return {"family": family, "given": given}


def one_line(value: object) -> str:
    """Return a value as one line of text, cut at the limit; lists, objects and nothing give no text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(str(value)[:MOST_TEXT].split())
    return text.encode("utf-8", "replace").decode()


def date_of(text: str) -> dict[str, Any]:
    """Return a date as CSL has it: Zotero's "2015-03-00 March 2015", ISO, or else the year in a text, or the text."""
    found = _DAY.match(text)
    if found:
        parts = [int(part) for part in found.groups() if part]
        while len(parts) > 1 and not _possible(parts):
            parts.pop()
        if parts[0]:
            return {"date-parts": [parts]}
    year = _YEAR.search(text)
    return {"date-parts": [[int(year[0])]]} if year else {"literal": text[:100]}


def _possible(parts: Sequence[int]) -> bool:
    """Return True where month and day, as far as they are there, can be."""
    return all(1 <= part <= most for part, most in zip(parts[1:], (12, 31), strict=False))


def iso_date(date: object) -> str:
    """Return a date of CSL as far as it is known: "2015", "2015-03", "2015-03-17"; "" without a year."""
    if not isinstance(date, Mapping):
        return ""
    given = date.get("date-parts")
    first = given[0] if isinstance(given, list) and given else None
    if isinstance(first, list):
        parts = [int(text) for part in first[:3] if (text := one_line(part)).isascii() and text.isdigit()]
        while len(parts) > 1 and not _possible(parts):
            parts.pop()
        if parts and 0 < parts[0] < 10_000:
            return "-".join([f"{parts[0]:04d}", *(f"{part:02d}" for part in parts[1:])])
    said = one_line(date.get("raw")) or one_line(date.get("literal"))
    return iso_date(parsed) if said and "literal" not in (parsed := date_of(said)) else ""


def authors_of(record: Mapping[str, Any]) -> str:
    """Return the authors, else the editors, of a record: "Ada Lovelace; Charles Babbage"."""
    people = record.get("author") or record.get("editor")
    return "; ".join(filter(None, map(shown_name, people))) if isinstance(people, list) else ""


def shown_name(name: object) -> str:
    """Return a name of CSL as it is said: "Ludwig van Beethoven"; "" for what is no name."""
    if not isinstance(name, Mapping):
        return ""
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return " ".join(filter(None, (one_line(name.get(part)) for part in parts))) or one_line(name.get("literal"))


def language_code(value: object) -> str:
    """Return the ISO 639-1 code of "en-GB", "eng" or "English"; "" for a language that is not known."""
    words = re.split(r"[\s_,;/-]", one_line(value).casefold(), maxsplit=1)
    first = words[0]
    return first if len(first) == 2 and first.isascii() and first.isalpha() else _CODES.get(first, "")


def plain_record(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a CSL-JSON object that a record keeps, every text in bounds."""
    record: dict[str, Any] = {"type": one_line(value.get("type"))[:40] or "document"}
    for variable in FIELDS:
        text = one_line(_first(value.get(variable)))
        if text:
            record[variable] = text
    for date in ("issued", "accessed"):
        if iso := iso_date(value.get(date)):
            record[date] = {"date-parts": [[int(part) for part in iso.split("-")]]}
    for role in ROLES:
        people = value.get(role)
        names = [_plain_name(name) for name in people[:MOST_NAMES]] if isinstance(people, list) else []
        if kept := [name for name in names if name]:
            record[role] = kept
    return record


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _plain_name(name: object) -> dict[str, str]:
    if not isinstance(name, Mapping):
        return {}
    parts = ("family", "given", "non-dropping-particle", "dropping-particle", "suffix", "literal")
    return {part: text for part in parts if (text := one_line(name.get(part)))}


def texts(values: Iterable[object], most: int = 200) -> tuple[str, ...]:
    """Return the texts among values, each once, at most `most`."""
    return tuple(list(dict.fromkeys(filter(None, (one_line(value)[:200] for value in values))))[:most])

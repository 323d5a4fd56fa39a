"""Identifiers: finds DOI, arXiv identifier, address and label of an entry, and masks them in its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plugins.audit.references.links import FieldName

LABEL = re.compile(
    r"\s{0,3}(?:\[[^\[\]\s]{1,24}\]|\(\d{1,4}\)|\d{1,4}\.(?=\s)|[•·–*-](?=\s)|\d{1,3}(?=\s+[^\W\d_]))[.:]?\s*"
)
"""The mark before an entry: "[12]", "[Smi20]", "(12)", "12.", a bullet, or a bare number before a word."""
DOI = re.compile(
    r"(?:https?://)?(?:(?:dx\.)?doi\.org/|\bdoi\s?[:=]?\s?)?\b(10\.\d{4,9}/[^\s\"“”,]{1,200})", re.IGNORECASE
)
ARXIV = re.compile(
    r"(?:https?://)?(?:www\.)?(?:arxiv\.org/(?:abs|pdf|html)/|(?<![a-z])arxiv\s?[:.]\s?|\babs/|(?<![a-z])arxiv(?:\s(?:preprint|e-prints))?,?\s)"
    r"(\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,10}(?:\.[a-z]{2})?/\d{7}(?:v\d{1,2})?)(?:\.pdf)?(?!\d)",
    re.IGNORECASE,
)
URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”]{2,500}", re.IGNORECASE)
JOINED = re.compile(r"(?<=\w)[.;]?(?:arxiv:|https?:/|www\.|doi:|doi\.org|url:)", re.IGNORECASE)
"""What begins another identifier, to which a DOI was joined where the space between them was lost."""
PAGE = re.compile(
    r"(?:v\d{1,2})?[./](?:full|pdf|e?pub|abstract|html?|meta|fulltext|summary)(?:[./-][a-z]+)*/?$|[?#].*$",
    re.IGNORECASE,
)
"""What a publisher's address has behind the DOI: the form in which the page shows the work."""
CUT_SHORT = re.compile(r"[-_/(]$")
GOES_ON = re.compile(r"\s(?:[a-z]\s)?(?!(?:1[5-9]|20)\d\d\b)(?=[a-z]*\d)[a-z\d][\w/()-]*")
"""Words behind a DOI that may be the rest of it: a blank stands where a sign was not printed, or a line broke."""
DOI_MARK, ARXIV_MARK, URL_MARK = "\ue000", "\ue001", "\ue002"
"""Private characters that stand in the masked text for what was found."""
MARKS = frozenset((DOI_MARK, ARXIV_MARK, URL_MARK))
SERVER = re.compile(r"arxiv(?:\s(?:preprint|e-prints))?(?!\.org)", re.IGNORECASE)
"""The name of the server before an identifier, which is not masked: it is where the work appeared."""


@dataclass(frozen=True, slots=True)
class EntryText:
    """An entry whose identifiers are masked: each of their characters is a mark, so that offsets stay the same."""

    masked: str
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    doubtful: tuple[FieldName, ...] = ()


def find_identifiers(text: str) -> EntryText:
    """Return the entry with its identifiers; a label before it is blanked. `text` has no line breaks."""
    if (label := LABEL.match(text)) and label.end() < len(text):
        text = " " * label.end() + text[label.end() :]
    text = "".join(" " if c in MARKS else c for c in text)
    doi = arxiv = url = ""
    doubtful: tuple[FieldName, ...] = ()
    whole = text
    for match in ARXIV.finditer(text):
        server = SERVER.match(text, match.start())
        start = server.end() if server else match.start()
        arxiv = arxiv or match.group(1)
        text = _mask(text, start, match.end(), ARXIV_MARK)
    for match in DOI.finditer(text):
        own, unclear = _own(whole[match.start(1) : match.end()], whole[match.end() :])
        end = match.start(1) + len(own)
        if not doi:
            doi, doubtful = own, ("doi",) if unclear else ()
        elif unclear is False and "doi" in doubtful and own.casefold().startswith(doi.casefold()):
            doi, doubtful = own, ()
        text = _mask(text, match.start(), match.end() if end < match.end() and unclear else end, DOI_MARK)
    for match in URL.finditer(text):
        address = _trim_address(whole[match.start() : match.end()])
        url = url or address
        text = _mask(text, match.start(), match.start() + len(address), URL_MARK)
    return EntryText(text, doi, arxiv, url, doubtful)


def _own(text: str, after: str) -> tuple[str, bool]:
    """Return the DOI that a run of signs begins with, and True where it is not clear that this is all of it.

    It may be cut (it ends in a sign, or has no digit behind its prefix), go on behind a blank, or be joined to the
    next identifier or to the rest of a publisher's address.
    """
    junction = JOINED.search(text)
    whole = _trim_address(text[: junction.start()] if junction else text)
    own = PAGE.sub("", whole)
    suffix = own.partition("/")[2]
    cut = CUT_SHORT.search(text) is not None or not any(c.isdigit() for c in suffix)
    goes_on = whole == text and GOES_ON.match(after) is not None
    return own, bool(junction) or own != whole or cut or goes_on


def _mask(text: str, start: int, end: int, mark: str) -> str:
    return text[:start] + mark * (end - start) + text[end:]


def _trim_address(address: str) -> str:
    """Return an address without what ends the sentence round it; a bracket that it opens itself belongs to it."""
    end = len(address)
    while end and (address[end - 1] in ".,;:'’”»]}>" or (address[end - 1] == ")" and "(" not in address[:end])):
        end -= 1
    return address[:end]

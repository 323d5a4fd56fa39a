"""What works are known by in the fields of a record: DOI, arXiv number, any other address, the words of a title."""

from __future__ import annotations

import re

from anyascii import anyascii
from rapidfuzz import utils

from plugins.audit.references import BibliographicFields

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}]{1,300}")
_ARXIV = re.compile(
    r"(?:arxiv(?:\.org/(?:abs|pdf)/|\s?:\s?|\.)|^)"
    r"(\d{4}\.\d{4,5}(?:v\d{1,3})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,3})?)\b",
    re.IGNORECASE,
)
ARXIV_DOI = "10.48550/arxiv."
_VERSION = re.compile(r"v[0-9]{1,3}$")
_HEAD = re.compile(r"(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:)", re.IGNORECASE)
_MOST_CHARS = 500
_ADDRESS = re.compile(r"https?://[^\s\"<>{}]{1,1000}", re.IGNORECASE)


def identifiers(*texts: str) -> tuple[str, str, str]:
    """Return the first DOI, arXiv number and other address in the texts; empty for what is not there."""
    doi = arxiv = url = ""
    for text in (whole[:2000] for whole in texts):
        if not doi and (found := _DOI.search(text)):
            doi = found[0].rstrip(".,;)")
        if not arxiv and (found := _ARXIV.search(text.strip())):
            arxiv = found[1]
        if not url and (found := _ADDRESS.search(text)) and not _names_a_registry(found[0]):
            url = found[0].rstrip(".,;)")
    if doi.lower().startswith("10.48550/arxiv."):
        arxiv = arxiv or doi[len("10.48550/arxiv.") :]
    return doi, arxiv, url


def _names_a_registry(address: str) -> bool:
    host = address.split("/")[2].lower() if address.count("/") > 1 else ""
    return host in ("doi.org", "dx.doi.org", "www.doi.org", "arxiv.org", "www.arxiv.org")


def unversioned(arxiv: str) -> str:
    """Return an arXiv number without its version."""
    return _VERSION.sub("", arxiv[:60])


def plain_title(title: str, most: int = 1000) -> str:
    """Return a title in lower case and ASCII, words alone."""
    return " ".join(utils.default_process(anyascii(title[:most])).split())


def family_name(name: str) -> str:
    """Return a family name: what stands before a comma, else the last word."""
    return name.split(",", maxsplit=1)[0] if "," in name else (name.split() or [""])[-1]


def bare_doi(fields: BibliographicFields) -> str:
    """Return the DOI in small letters, that of arXiv left out: it is an arXiv identifier."""
    doi = _HEAD.sub("", fields.doi.strip()[:_MOST_CHARS], count=1).lower().rstrip(".,;")
    return "" if doi.startswith(ARXIV_DOI) or doi.endswith("/") else doi


def bare_arxiv(fields: BibliographicFields) -> str:
    """Return the arXiv identifier without its version, also out of the DOI that arXiv gives."""
    name = fields.arxiv.strip()[:_MOST_CHARS].lower().removeprefix("arxiv:")
    doi = _HEAD.sub("", fields.doi.strip()[:_MOST_CHARS], count=1).lower()
    return _VERSION.sub("", name or (doi.removeprefix(ARXIV_DOI) if doi.startswith(ARXIV_DOI) else "")).strip(" .,;")


def same_identifier(cited: BibliographicFields, found: BibliographicFields) -> bool:
    """Return True where both have one DOI or arXiv identifier."""
    doi, arxiv = bare_doi(cited), bare_arxiv(cited)
    return bool(doi and doi == bare_doi(found)) or bool(arxiv and arxiv == bare_arxiv(found))

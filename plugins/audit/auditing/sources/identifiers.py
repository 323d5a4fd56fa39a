"""What works are known by in the fields of a record: DOI, arXiv number, any other address, the words of a title."""

from __future__ import annotations

import re
from operator import attrgetter

from anyascii import anyascii
from rapidfuzz import utils

from plugins.audit.references import BibliographicFields, find_identifiers

ARXIV_DOI = "10.48550/arxiv."
_VERSION = re.compile(r"v[0-9]{1,3}$")
_HEAD = re.compile(r"(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:)", re.IGNORECASE)
_MOST_CHARS = 500


def identifiers(*texts: str) -> tuple[str, str, str]:
    """Return the first DOI, arXiv number and other address in the texts; empty for what is not there."""
    results = [find_identifiers(" ".join(text[:2000].split())) for text in texts]
    doi, arxiv, url = (next(filter(None, map(attrgetter(name), results)), "") for name in ("doi", "arxiv", "url"))
    return doi, arxiv or (doi[len(ARXIV_DOI) :] if doi.lower().startswith(ARXIV_DOI) else ""), url


def without_version(arxiv: str) -> str:
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

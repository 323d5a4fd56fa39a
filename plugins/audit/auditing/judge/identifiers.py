"""Identifiers and dates: the year, the DOI, the arXiv identifier and the address, held against the record's."""

from __future__ import annotations

import re

from plugins.audit.auditing.judge.venues import is_archive
from plugins.audit.auditing.types import FieldVerdict
from plugins.audit.references import BibliographicFields

MOST_CHARACTERS = 500
ARXIV_DOI = "10.48550/arxiv."
_PREPRINT_DOI = re.compile(r"10\.(?:48550|1101|2139|21203|26434|31234|31219|20944|36227|31223|5281)/")
"""The prefixes of archives of preprints: arXiv, bioRxiv, SSRN, Research Square, ChemRxiv, OSF and others."""
_VERSION = re.compile(r"v[0-9]{1,3}$")
_HEAD = re.compile(r"(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?", re.IGNORECASE)


def bare_doi(fields: BibliographicFields) -> str:
    """Return the DOI in small letters, that of arXiv left out: it is an arXiv identifier."""
    doi = _HEAD.sub("", fields.doi.strip()[:MOST_CHARACTERS], count=1).lower().rstrip(".,;")
    return "" if doi.startswith(ARXIV_DOI) or doi.endswith("/") else doi


def bare_arxiv(fields: BibliographicFields) -> str:
    """Return the arXiv identifier without its version, also out of the DOI that arXiv gives."""
    name = fields.arxiv.strip()[:MOST_CHARACTERS].lower().removeprefix("arxiv:")
    doi = _HEAD.sub("", fields.doi.strip()[:MOST_CHARACTERS], count=1).lower()
    return _VERSION.sub("", name or (doi.removeprefix(ARXIV_DOI) if doi.startswith(ARXIV_DOI) else "")).strip(" .,;")


def compare_dois(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the DOIs compare; a preprint's and the published work's are two of one work."""
    ours, theirs = bare_doi(cited), bare_doi(found)
    agrees: bool | None = ours == theirs if ours and theirs else None
    note = ""
    if agrees is False and (_is_preprint(ours) != _is_preprint(theirs)):
        agrees, note = None, "one is the preprint's, the other the published work's"
    elif agrees is False:
        note = "another DOI"
    return FieldVerdict("doi", cited.doi, found.doi, bool(cited.doi) and cited.doi == found.doi, agrees, note)


def compare_arxiv(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the arXiv identifiers compare, versions aside."""
    ours, theirs = bare_arxiv(cited), bare_arxiv(found)
    agrees = ours == theirs if ours and theirs else None
    note = "another arXiv identifier" if agrees is False else ""
    return FieldVerdict("arxiv", cited.arxiv, found.arxiv, bool(ours) and cited.arxiv == found.arxiv, agrees, note)


def compare_urls(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the addresses compare. A work has many, so another one refuses nothing."""
    ours, theirs = _bare_url(cited.url), _bare_url(found.url)
    agrees = True if ours and ours == theirs else None
    note = "another address; a work may have several" if ours and theirs and not agrees else ""
    return FieldVerdict("url", cited.url, found.url, bool(ours) and cited.url == found.url, agrees, note)


def compare_years(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the years compare.

    One year apart is accepted where publishing explains it: online before print, a preprint before the proceedings.
    Where neither side names any place of publication, nothing explains it.
    """
    ours, theirs = _number(cited.year), _number(found.year)
    strict = bool(cited.year) and cited.year == found.year
    if ours is None or theirs is None:
        return FieldVerdict("year", cited.year, found.year, strict, agrees=None)
    apart = abs(ours - theirs)
    if not apart:
        return FieldVerdict("year", cited.year, found.year, strict, agrees=True)
    if apart > 1:
        return FieldVerdict("year", cited.year, found.year, strict, agrees=False, note=f"{apart} years apart")
    if is_archive(cited.venue) or is_archive(found.venue) or bare_arxiv(cited) or bare_arxiv(found):
        note = "one year apart, as preprint and publication often are"
    elif cited.venue or found.venue or bare_doi(cited) or bare_doi(found):
        note = "one year apart, as online and print often are"
    else:
        return FieldVerdict("year", cited.year, found.year, strict, agrees=False, note="one year apart")
    return FieldVerdict("year", cited.year, found.year, strict, agrees=True, note=note)


def _number(year: str) -> int | None:
    digits = year.strip()[:4]
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdigit() else None


def _is_preprint(doi: str) -> bool:
    return _PREPRINT_DOI.match(doi) is not None


def _bare_url(url: str) -> str:
    return _ADDRESS.sub("", url.strip()[:MOST_CHARACTERS], count=1).split("#")[0].rstrip("/.,;").lower()

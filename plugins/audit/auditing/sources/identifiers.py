"""What works are known by in the fields of a record: DOI, arXiv number, any other address, the words of a title."""

from __future__ import annotations

import re

from anyascii import anyascii
from rapidfuzz import utils

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}]{1,300}")
_ARXIV = re.compile(
    r"(?:arxiv(?:\.org/(?:abs|pdf)/|\s?:\s?|\.)|^)"
    r"(\d{4}\.\d{4,5}(?:v\d{1,3})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,3})?)\b",
    re.IGNORECASE,
)
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
    return re.sub(r"v\d{1,3}$", "", arxiv[:60])


def plain_title(title: str, most: int = 1000) -> str:
    """Return a title in lower case and ASCII, words alone."""
    return " ".join(utils.default_process(anyascii(title[:most])).split())


def family_name(name: str) -> str:
    """Return a family name: what stands before a comma, else the last word."""
    return name.split(",", maxsplit=1)[0] if "," in name else (name.split() or [""])[-1]

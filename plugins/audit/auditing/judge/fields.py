"""Titles, years, identifiers and addresses that are cited, held against the record's."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from plugins.audit.auditing.judge.normal_form import letters_of, words_of
from plugins.audit.auditing.judge.venues import is_archive
from plugins.audit.auditing.sources import bare_arxiv, bare_doi
from plugins.audit.auditing.types import FieldVerdict
from plugins.audit.references import BibliographicFields

MAIN = 3
"""The least words of a title that may be cited without its subtitle; a shorter one is another title's as well."""
DISTINCT = 5
"""The words from which two works hardly have the same title by chance."""
MOST_NOTED = 4
_PARTS = re.compile(r"[:?!.;]|\s[-–—]+\s|[–—]")
_ARTICLES = ("a", "an", "the")
MOST_CHARACTERS = 500
_PREPRINT_DOI = re.compile(r"10\.(?:48550|1101|2139|21203|26434|31234|31219|20944|36227|31223|5281)/")
"""The prefixes of archives of preprints: arXiv, bioRxiv, SSRN, Research Square, ChemRxiv, OSF and others."""
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TitleComparison:
    """The verdict on two titles; `share` is that of words in common, 0 to 1."""

    verdict: FieldVerdict
    share: float = 0.0


def compare_titles(cited: str, found: str) -> TitleComparison:
    """Return how the titles compare: the same words in order. A missing subtitle is noted, another word an error."""
    if not letters_of(cited) or not letters_of(found):
        return TitleComparison(FieldVerdict("title", cited, found, strict=False, agrees=None))
    share = shared_words(cited, found)
    agrees, note = _agree(cited, found)
    verdict = FieldVerdict(
        "title", cited, found, cited == found, agrees, note or ("" if agrees else _edit(cited, found))
    )
    return TitleComparison(verdict, 1.0 if agrees else share)


def shared_words(one: str, other: str) -> float:
    """Return the share of words that two titles have in common, 0 to 1 (Dice)."""
    ours, theirs = Counter(words_of(one)), Counter(words_of(other))
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


def is_distinct(title: str) -> bool:
    """Return True for a title that two works hardly share by chance."""
    return len(words_of(title)) >= DISTINCT


def _agree(cited: str, found: str) -> tuple[bool, str]:
    if _bare(cited) == _bare(found):
        return True, ""
    for short, long, note in ((cited, found, "the subtitle is left out"), (found, cited, "the record has no subtitle")):
        if len(words_of(short)) >= MAIN and _bare(short) in {_bare(main) for main in _mains(long)}:
            return True, note
    return False, ""


def _bare(title: str) -> str:
    """Return the letters of a title without a leading article."""
    words = words_of(title)
    return letters_of(" ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words))


def _mains(title: str) -> list[str]:
    """Return what may be the main title: all before each mark that can part a subtitle."""
    return [title[: match.start()] for match in list(_PARTS.finditer(title[:1_000]))[:12]]


def _edit(cited: str, found: str) -> str:
    """Return what differs in words."""
    ours, theirs = words_of(cited)[:200], words_of(found)[:200]
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    changes = [(ours[a:b], theirs[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    if not changes or len(changes) > MOST_NOTED:
        return "another title"
    return "; ".join(
        f"{_in_quotes(ours)} where the record has {_in_quotes(theirs)}"
        if theirs
        else f"{_in_quotes(ours)} is not in the record's"
        for ours, theirs in changes
    )


def _in_quotes(words: tuple[str, ...]) -> str:
    return f"“{' '.join(words)}”" if words else "nothing"


def compare_dois(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the DOIs compare; a preprint's and the published work's are two of one work."""
    ours, theirs = bare_doi(cited), bare_doi(found)
    if not ours or not theirs or ours == theirs:
        return FieldVerdict.of("doi", cited.doi, found.doi, True if ours and theirs else None)
    if _is_preprint(ours) != _is_preprint(theirs):
        return FieldVerdict.of(
            "doi", cited.doi, found.doi, None, "one is the preprint's, the other the published work's"
        )
    return FieldVerdict.of("doi", cited.doi, found.doi, False, "another DOI")


def compare_arxiv(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the arXiv identifiers compare, versions aside."""
    ours, theirs = bare_arxiv(cited), bare_arxiv(found)
    agrees = ours == theirs if ours and theirs else None
    note = "another arXiv identifier" if agrees is False else ""
    return FieldVerdict.of("arxiv", cited.arxiv, found.arxiv, agrees, note)


def compare_urls(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the addresses compare. A work has many, so another one refuses nothing."""
    ours, theirs = _bare_url(cited.url), _bare_url(found.url)
    agrees = True if ours and ours == theirs else None
    note = "another address; a work may have several" if ours and theirs and not agrees else ""
    return FieldVerdict.of("url", cited.url, found.url, agrees, note)


def compare_years(cited: BibliographicFields, found: BibliographicFields) -> FieldVerdict:
    """Return how the years compare.

    One year apart is accepted where publishing explains it: online before print, a preprint before the proceedings.
    Where neither side names any place of publication, nothing explains it.
    """
    ours, theirs = _number(cited.year), _number(found.year)
    apart = abs(ours - theirs) if ours is not None and theirs is not None else None
    agrees, note = (None if apart is None else apart == 0), ""
    if apart == 1:
        if any(is_archive(fields.venue) or bare_arxiv(fields) for fields in (cited, found)):
            agrees, note = True, "one year apart, as preprint and publication often are"
        elif any(fields.venue or bare_doi(fields) for fields in (cited, found)):
            agrees, note = True, "one year apart, as online and print often are"
        else:
            note = "one year apart"
    elif apart:
        note = f"{apart} years apart"
    return FieldVerdict.of("year", cited.year, found.year, agrees, note)


def _number(year: str) -> int | None:
    digits = year.strip()[:4]
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdigit() else None


def _is_preprint(doi: str) -> bool:
    return _PREPRINT_DOI.match(doi) is not None


def _bare_url(url: str) -> str:
    return _ADDRESS.sub("", url.strip()[:MOST_CHARACTERS], count=1).split("#")[0].rstrip("/.,;").lower()

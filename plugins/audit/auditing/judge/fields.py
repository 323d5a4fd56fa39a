"""Titles, venues, years, identifiers and addresses that are cited, held against the record's.

Acronyms and abbreviations are read letter by letter out of the full name ("NeurIPS", "J. Chem. Phys."); there is no
list of venues.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile

from rapidfuzz.distance.DamerauLevenshtein import normalized_similarity

from plugins.audit.auditing.judge.normal_form import letters_of, plain, words_of
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


MOST_WORDS = 40
_ARCHIVE = re.compile(
    r"\b(?:[a-z]{2,5}xiv|corr|ssrn|preprints?|working papers?|openreview|research square|hal|zenodo)\b"
)
_LINKS = frozenset((
    "an", "the", "of", "on", "in", "for", "and", "at", "by", "to", "de", "des", "du", "der", "die", "das", "la", "le",
    "et", "und", "y", "del", "della",
))  # fmt: skip
_FRAME = _LINKS | frozenset((
    "proceedings", "proc", "annual", "ieee", "acm", "cvf", "usenix", "siam", "volume", "vol", "no", "pp", "pages",
    "part", "press", "th", "st", "nd", "rd", "publ", "publishers", "publishing", "verlag", "inc", "ltd",
))  # fmt: skip
"""The words that say nothing of which venue is meant."""
_EVENTS = frozenset((
    "international", "conference", "conf", "intl", "int", "symposium", "symp", "joint", "chapter", "meeting",
    "european",
))  # fmt: skip
"""The words that an acronym, or a short form of a conference's name, may leave out."""
_LEAD = re.compile(r"(?:in:? )?(?:the )?advances in ")
_VENUE_PARTS = re.compile(r"[,:;()\[\]/]|\.\s|\s[-–—]\s")
_DATED = re.compile(r"[0-9]+(?:st|nd|rd|th)?|[ivxl]{2,}")
_ACRONYM = re.compile(r"[A-Za-z]{0,6}[A-Z]{2}[A-Za-z]{0,6}")
MOST_ABBREVIATED = 5
"""The most letters of an abbreviation that leaves out letters in the middle of a word ("natl")."""
LONG, MISPRINT_LIKENESS = 8, 0.75
"""The letters of a word in which a misprint is seen, and the likeness that it must have more than, letter by letter."""
LETTERS = 3
"""The least letters of an acronym that is looked for inside a name."""


def is_archive(venue: str) -> bool:
    """Return True for a place of preprints."""
    return _ARCHIVE.search(plain(venue)) is not None


def compare_venues(cited: str, found: str) -> FieldVerdict:
    """Return how the venues compare: full names, acronyms, abbreviations. Preprint against published is accepted."""
    return FieldVerdict.of("venue", cited, found, *_venues_agree(cited, found))


@lru_cache(16384)
def _venues_agree(cited: str, found: str) -> tuple[bool | None, str]:
    if not letters_of(cited) or not letters_of(found):
        return None, ""
    ours, theirs = _distinctive_words(cited), _distinctive_words(found)
    if "".join(ours) == "".join(theirs):
        return True, ""
    archives = is_archive(cited), is_archive(found)
    if any(archives):
        both = "preprints both" if all(archives) else ""
        return True, both or (
            "a preprint is cited, the record is published" if archives[0] else "the record is the preprint"
        )
    for short, long in ((cited, found), (found, cited)):
        if _stands_for(short, long):
            return True, "written in another way"
    return (True, "a misprint") if _is_misprint(ours, theirs) else (False, "another venue")


def _is_misprint(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return True where one long word differs, by few of its letters and neither the first nor the last."""
    differing = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b]
    if len(ours) != len(theirs) or len(differing) != 1:
        return False
    one, other = differing[0]
    ends = one[0] == other[0] and one[-1] == other[-1]
    return ends and min(map(len, differing[0])) >= LONG and normalized_similarity(one, other) > MISPRINT_LIKENESS


def _distinctive_words(venue: str) -> tuple[str, ...]:
    """Return the words that name a venue, without years and what all venues share; all where nothing is left."""
    words = words_of(_LEAD.sub("", plain(venue).lstrip(), count=1))[:MOST_WORDS]
    words = words[1:] if words[:1] in (("a",), ("an",)) else words
    distinctive = tuple(word for word in words if word not in _FRAME and not _DATED.fullmatch(word))
    return distinctive or tuple(words)


def _stands_for(short: str, long: str) -> bool:
    """Return True where a venue is an acronym or an abbreviation of another, or is a part of how it is printed."""
    ours, theirs = _distinctive_words(short), _distinctive_words(long)
    core = tuple(w for w in ours if w not in _EVENTS)
    if len(core) >= LETTERS and core == tuple(w for w in theirs if w not in _EVENTS):
        return True
    parts = [part for part in _VENUE_PARTS.split(long[:MOST_CHARACTERS]) if part.strip()]
    if _abbreviates(ours, theirs) or any(ours == _distinctive_words(part) for part in parts):
        return True
    if _abbreviates(_whole(short), _whole(long)):
        return True
    acronyms = [match[0] for match in _ACRONYM.finditer(short[:MOST_CHARACTERS])][:8]
    full = _whole(long)
    return any(_spells(letters_of(a), full) or letters_of(a) in full for a in acronyms if a.lower() not in _FRAME)


def _whole(venue: str) -> tuple[str, ...]:
    """Return all words but links, ordinals and numbers."""
    words = words_of(venue)[:MOST_WORDS]
    return tuple(w for w in words if w not in _LINKS and w not in ("th", "st", "nd", "rd") and not _DATED.fullmatch(w))


def _abbreviates(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return True where each word is short for the word in its place: "nat commun" for "nature communications".

    One word more at the end is a country or a section, where three others agree.
    """
    if abs(len(ours) - len(theirs)) > (min(len(ours), len(theirs)) >= LETTERS) or min(len(ours), len(theirs)) < 2:
        return False
    return all(map(_short_for, ours, theirs))


def _short_for(short: str, long: str) -> bool:
    """Return True for a beginning of a word, or some of its letters in order, as in "natl" for "national"."""
    if len(short) > len(long):
        short, long = long, short
    rest = iter(long)
    if short[0] != long[0] or (len(short) > MOST_ABBREVIATED and not long.startswith(short)):
        return False
    return all(letter in rest for letter in short)


def _spells(acronym: str, words: Sequence[str]) -> bool:
    """Return True where the acronym is made of the beginnings of words in a row, which may leave out those that frame.

    It takes LETTERS words, with one left over at most, or two that are the whole name.
    """
    return any(_runs(acronym, tuple(words[start : start + 12]), 0) for start in range(len(words)))


@lru_cache(16384)
def _runs(acronym: str, words: tuple[str, ...], n_taken: int) -> bool:
    """Return True where the letters are beginnings of these words, in order, after `n_taken` others."""
    if not acronym:
        return n_taken > LETTERS or (n_taken >= LETTERS - (not words) and len(words) <= 1)
    if not words:
        return False
    word, rest = words[0], words[1:]
    most = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(acronym, word, strict=False)))
    if any(_runs(acronym[n:], rest, n_taken + 1) for n in range(most, 0, -1)):
        return True
    return n_taken > 0 and word in (_FRAME | _EVENTS) and _runs(acronym, rest, n_taken)

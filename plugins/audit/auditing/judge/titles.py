"""Titles: the title that is cited, held against the record's, word by word."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from plugins.audit.auditing.judge.normal_form import letters_of, words_of
from plugins.audit.auditing.types import FieldVerdict

MAIN = 3
"""The least words of a title that may be cited without its subtitle; a shorter one is another title's as well."""
DISTINCT = 5
"""The words from which two works hardly have the same title by chance."""
MOST_NOTED = 4
_PARTS = re.compile(r"[:?!.;]|\s[-–—]+\s|[–—]")
_ARTICLES = ("a", "an", "the")


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
        f"{_quoted(ours)} where the record has {_quoted(theirs)}"
        if theirs
        else f"{_quoted(ours)} is not in the record's"
        for ours, theirs in changes
    )


def _quoted(words: tuple[str, ...]) -> str:
    return f"“{' '.join(words)}”" if words else "nothing"

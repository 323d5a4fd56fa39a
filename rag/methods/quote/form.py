"""The form of an answer: what form a question asks for, and how far a text has that form.

Late interaction scores what a text is about. A question, a heading or a list of authors can be about the right thing
and answer nothing, and "how many ferries" is answered by a number of ferries, not by any number. The features here
describe what kind of thing is asked for, and what the text contains that the question does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from indexing import RAISED_DIGITS, RAISED_LETTERS
from indexing.language import (
    AMBIGUOUS_NUMBERS,
    MODERN_YEAR,
    NUMBER_WORDS,
    SCALE_WORDS,
    STOPWORDS,
    lexicon_words,
    names_date,
    stem,
)

FORM_FEATURES = ("number", "counted", "share", "date", "name", "defined", "asks", "cut off", "news", "key")
FORM = (0.112, 0.106, 0.106, 0.109, 0.026, 0.085, -0.084, -0.053, 0.08, 0.06)
"""The weights of the form of a piece, in units of MaxSim: docs/experiments/citations.md says how they were fitted.

That of "key" is set by hand: the texts that it is fitted on have none.
"""
DEFINED = 2.0
"""The value of "defined" of a sentence whose subject is the value that is asked for; "X is" has 1."""
NEAR = 4
"""The words between a number and the noun that it counts, at most."""
MOST_WORDS = 400
"""The words of a piece that are looked at, the first: the bound of the work."""

_A_SHARE = re.compile(r"\d\s?(?:%|per ?cent)|(?:half|third|quarter)s? of\b", re.IGNORECASE)
_LETTERS = rf"[^\W_{RAISED_DIGITS}{RAISED_LETTERS}]+"
WORD = re.compile(rf"{_LETTERS}(?:['’.,:/-]{_LETTERS})*%?")
_COUNT = re.compile(r"\b(?:how many|(?:what|which) (?:is the )?number of|wie ?viele?|combien de)\s+", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\b(?:how (?:much|old|long|high|far|large|big|often|fast|tall|heavy|deep)|(?:what|which) (?:is |was )?(?:the )?"
    r"(?:total |average |default |maximum |minimum )?"
    r"(?:number|amount|price|cost|size|rate|score|value|temperature|speed|distance|margin)|"
    r"wie (?:lange|hoch|alt|oft|gro(?:ß|ss)))\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\b(?:(?:what|which|how (?:large|big|high) (?:a|is the)) (?:is the )?(?:share|percent(?:age)?|proportion|"
    r"fraction)|"
    r"how many percent|percentage|wie ?viel prozent|anteil|pourcentage)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:when|what (?:year|date|day|month|time)|which (?:year|date|day|month)|wann|seit wann|quand)\b", re.IGNORECASE
)
_WHO = re.compile(r"\b(?:who|whom|whose|wer|wem|wen)\b", re.IGNORECASE)
_DEFINE = re.compile(
    r"^\s*(?:(?:what|was|wer)(?:['’]s| is| are| was| were| ist| sind)|qu'est-ce que?|"
    r"what (?:does|do)(?=[^?]*(?:mean|stand for)))\s+"
    r"(?:(?:the|an?|by|meant by|ein|eine|der|die|das)\s+)*(?P<what>[^?]{1,60}?)"
    r"(?:\s+mean|\s+stand for)?\s*\?*\s*$",
    re.IGNORECASE,
)
_YEAR = re.compile(rf"(?<![\w.,$€£/-]){MODERN_YEAR}(?![\w%]|[.,/-]\d)")
_ASKS_VALUE = re.compile(r"\W{0,9}(?:what|how (?:much|high|large|big))(?:['’]s| is| are| was| were) ", re.IGNORECASE)
_STATES_VALUE = re.compile(
    r"([^.;:]{2,80}?) (?:is|are|was|were|totall?ed|amounted to|stood at|came to|reached|equall?ed|averaged) "
    r"(?=(?:\S{1,40} ){0,5}\S{0,40}\d)",
    re.IGNORECASE,
)
_SCALES = (word for word in SCALE_WORDS if not word.endswith("s"))  # "in thousands" says what is counted, not how many
_SPELLED_NUMBERS = frozenset(
    ("half", "third", "quarter", *_SCALES, *(word for word, value in NUMBER_WORDS.items() if value > 1))
).difference(AMBIGUOUS_NUMBERS)
_PLURALS = frozenset(["people", "children", "men", "women"])
_LINKS_TEXT = """
is are was were do does did have has had can could will would should may there in on of at for with by to
from that who which the a an
"""
_LINKS = frozenset(_LINKS_TEXT.split())


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form that the answer to a question should have; `words` and `numbers` are those of the question.

    `count_noun` has the stems of the noun after "how many", `term` those of X in "What is X?".
    """

    words: frozenset[str]
    numbers: frozenset[str]
    number: bool = False
    count_noun: tuple[str, ...] = ()
    share: bool = False
    date: bool = False
    name: bool = False
    term: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def wanted_of(question: str) -> Wanted:
    """Return what a question asks for: English, and the commonest words of German and French.

    >>> wanted_of("How many blue ferries sail?").count_noun
    ('blu', 'ferry')
    """
    words = [w.lower() for w in WORD.findall(question)]
    count, define = _COUNT.search(question), _DEFINE.match(question)
    term = tuple(stem(w) for w in WORD.findall(define["what"])) if define else ()
    share = bool(_SHARE.search(question))
    return Wanted(
        frozenset(map(stem, words)),
        frozenset(_digits(w) for w in words if w[0].isdigit()),
        share or bool(count or _AMOUNT.search(question)),
        tuple(_noun(question[count.end() :])) if count else (),
        share,
        bool(_DATE.search(question)),
        bool(_WHO.search(question)),
        term if len(term) <= NEAR else (),
    )


def form_of(question: str, text: str) -> tuple[float, ...]:
    """Return the values of `FORM_FEATURES` for a text: 1 if it has the form that is wanted, -1 if not, 0 if none is."""
    target = wanted_of(question)
    words = WORD.findall(text)[:MOST_WORDS]
    lower = [w.lower() for w in words]
    stems = list(map(stem, words))
    fresh = [n for n, w in enumerate(lower) if _counts(w) and _digits(w) not in target.numbers]
    new = [s not in target.words and w not in STOPWORDS for s, w in zip(stems, lower, strict=True)]
    has_date = any(names_date(w) or _is_year(w) or ":" in w for w in lower)
    has_name = any(is_new and word[0].isupper() for is_new, word in zip(new[1:], words[1:], strict=True))
    head, colon, rest = text.partition(":")
    key = bool(colon and rest.strip()) and any(
        stem(w) in target.words for w in WORD.findall(head)[:NEAR] if w.lower() not in STOPWORDS
    )
    return (
        _as_sign(target.number, bool(fresh)),
        _as_sign(bool(target.count_noun), _has_count(target.count_noun, stems, fresh)),
        _as_sign(target.share, bool(_A_SHARE.search(text))),
        _as_sign(target.date, has_date),
        _as_sign(target.name, has_name),
        DEFINED
        if _states_value(question, target, text)
        else _as_sign(bool(target.term), _defines(target.term, text.lower(), stems, lower)),
        float(text.rstrip().endswith("?")),
        float(text[:1].islower() or text.rstrip().endswith(("…", "..."))),
        float(any(new) or bool(fresh)),
        float(key and len(words) <= 4 * NEAR),
    )


def other_year(question: str, quote: str, context: str) -> str:
    """Return a line that says that a quote has another year than the question; "" unless that is sure.

    It is sure if the question has one year, the quote has one or is a table row with a year for each value, and neither
    the quote nor `context`, its headings and column headers, has the question's year.

    >>> other_year("What was spent in 2005?", "In 2004, 129 crowns were spent.", "")
    'The year here is 2004, and the question asks about 2005.'
    >>> other_year("What was the surplus in 2021?", "Surplus | 2024: 1,082; 2023: 566", "")
    'The years here are 2023 and 2024, and the question asks about 2021.'
    """
    years, own = set(_YEAR.findall(question)), sorted(set(_YEAR.findall(quote)))
    if len(years) != 1 or not own or not years.isdisjoint({*own, *_YEAR.findall(context)}):
        return ""
    if len(own) == 1:
        return f"The year here is {own[0]}, and the question asks about {years.pop()}."
    if not all(f"{year}:" in quote for year in own):
        return ""
    return f"The years here are {', '.join(own[:-1])} and {own[-1]}, and the question asks about {years.pop()}."


def _noun(rest: str) -> list[str]:
    """Return the stems of the noun that a question counts: its words up to a link or, if it has one, to a plural."""
    noun: list[str] = []
    for word in WORD.findall(rest)[:NEAR]:
        if word.lower() in _LINKS:
            break
        noun.append(stem(word))
        if word.lower().endswith("s") or word.lower() in _PLURALS:
            break
    return noun


def rarity_of(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the stems of a question's words with weights that sum to 1: words in fewer of the texts weigh more.

    Words in every text have no weight, nor do stop words except those in `_TURNING`. Empty if no word has a weight.
    """
    words = dict.fromkeys(stem(w) for w in WORD.findall(question) if w.lower() not in STOPWORDS - _TURNING)
    stems_of_texts = [{stem(w) for w in WORD.findall(text)[:MOST_WORDS]} for text in texts]
    weights = {w: math.log((len(texts) + 1) / (1 + sum(w in own for own in stems_of_texts))) for w in words}
    total = sum(weights.values())
    return {w: weight / total for w, weight in weights.items()} if total > 0 else {}


def coverage_of(text: str, rarity: Mapping[str, float]) -> float:
    """Return the share, 0 to 1 by the weights of `rarity_of`, of the question's words that a text has."""
    own = {stem(w) for w in WORD.findall(text)[:MOST_WORDS]}
    return sum(weight for word, weight in rarity.items() if word in own)


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case, stop words left out."""
    return [low for word in WORD.findall(text)[:MOST_WORDS] if (low := word.lower()) not in STOPWORDS]


def _as_sign(is_wanted: bool, there: bool) -> float:
    """Return 1 or -1 for a wanted feature that is there or not, 0 for one that is not wanted."""
    return (1.0 if there else -1.0) if is_wanted else 0.0


_TURNING = frozenset(lexicon_words("contrast_words"))
_BEING = frozenset(("is", "are", "was", "were", "means", "refers", "denotes", "ist", "sind", "stands", "est", "sont"))
_SUBORDINATORS = frozenset(lexicon_words("subordinators"))


def _counts(word: str) -> bool:
    """Return True for a number; "2nd" is none, as it counts nothing."""
    return word in _SPELLED_NUMBERS or (word[0].isdigit() and not word.endswith(("st", "nd", "rd", "th")))


def _digits(word: str) -> str:
    return word.rstrip("%").replace(",", "")


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and word[:2] in ("17", "18", "19", "20")


def _has_count(noun: Sequence[str], stems: Sequence[str], fresh: Sequence[int]) -> bool:
    """Return True if a number that is not in the question is close before the noun, or follows it ("Ferries: 9")."""
    if not noun:
        return False
    head = noun[-1]
    places = [n for n, s in enumerate(stems) if s == head]
    return any(0 < place - n <= NEAR or 0 < n - place <= 2 for n in fresh for place in places)


def _states_value(question: str, target: Wanted, text: str) -> bool:
    """Return True if the subject of a sentence is the value that a question asks for and a number follows its verb."""
    match = _STATES_VALUE.match(text) if _ASKS_VALUE.match(question) else None
    subject = {stem(word) for word in plain_words(match[1])} if match else set()
    return bool(subject) and subject <= target.words


def _defines(term: Sequence[str], text: str, stems: Sequence[str], lower: Sequence[str]) -> bool:
    """Return True if a text says what a term is: "X is", "X means", "(X)"."""
    size = len(term)
    for n in range(len(stems) - size + 1) if size else ():
        if tuple(stems[n : n + size]) == tuple(term):
            if f"({lower[n]}" in text and f"{lower[n + size - 1]})" in text:
                return True
            if lower[n + size : n + size + 1] and lower[n + size] in _BEING and _SUBORDINATORS.isdisjoint(lower[:n]):
                return True
    return False

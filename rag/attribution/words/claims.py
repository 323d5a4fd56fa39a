"""A sentence as it is written -> its claims: quantities, names, words, negations; and how its parts belong together.

"According to the table, the share fell" claims that the share fell; "To answer this, let us look at the table" claims
nothing, and neither does "The text does not mention a date", which no place can prove. A number or a name that is left
is always claimed. Every rule is linear in the length of the sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from indexing.language import NUMBER_WEIGHT, Quantity, Token, meaning, quantities, tokens
from rag.attribution.words.lexicon import (
    AUXILIARIES,
    CONNECTIVES,
    DETERMINERS,
    FINDING_VERBS,
    INQUIRY_VERBS,
    LINKING_VERBS,
    MEASURE_WORDS,
    NEGATIONS,
    PAST_FORMS,
    RELATION_WORDS,
    REPORTING_WORDS,
    SOURCE_WORDS,
)

MOST_FRAMES = 4
"""The most frames that are taken off a sentence, one after another."""
OPENING = 14
"""The most words of a frame."""
MOSTLY = 0.6
"""The share of a sentence's words that refer to sources from which it claims nothing, if it names nothing new."""
REACH = 40
"""The characters after a negation in which a word of saying is denied."""
_LABEL = re.compile(
    r"\b(?:the\s)?(?:text\s|image\s)?(?:images?|quotes?|sources?|passages?|excerpts?|evidence)\s?#?\d{1,4}\b",
    re.IGNORECASE,
)
"""A source named by its place in what a model was shown, which says nothing of the documents."""
_LEAD = re.compile(
    r"^(?:the\s)?(?:final\s|correct\s|short\s)*(?:answer|conclusion|result|summary)\s*+(?:is\s*+)?:\s*", re.IGNORECASE
)
_THAT = re.compile(r"\s(?:that|:)\s")
_INQUIRY = re.compile(
    r"^(?:(?:first|firstly|next|now|then|so|here|finally|also|thus|therefore)\s*+(?:,\s*+)?)?"
    r"(?:(?:in\sorder\s)?to\s[^,]{1,400},\s*|[^,]{1,60},\s*)?"
    r"(?:let(?:'s|’s|\sus|\sme)|(?:we|i|you|one)(?:'ll|’ll|'ve|’ve)?)\s"
    r"(?:(?:will|can|could|need|needs|must|should|have|has|had|would|may|might|shall|to|now|first|then|also|try|help|start|"
    r"begin|by|carefully|further|directly|us|simply)\s){0,6}(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"^(?:it\s(?:can|could|may)\sbe|it\sis|we|i|you|one)\s(?:(?:can|could|may|also|now|then|clearly|therefore|thus)\s){0,4}"
    rf"(?:{'|'.join(FINDING_VERBS)}|seen|found|known|concluded|inferred|noted|observed|clear|evident)\s(?:that\s)?",
    re.IGNORECASE,
)
_NOT_LISTED = re.compile(
    r"\b(?:not|never|nowhere)\s(?:\w+\s){0,2}(?:listed|mentioned|found|given|included|provided|shown)\b", re.IGNORECASE
)
_ABSENT = re.compile(
    r"\b(?:not|no|none|neither|nor|cannot|without|lacks?|insufficient|unclear|unable|difficult|impossible|incomplete|absent)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def strip_frames(sentence: str) -> str:
    """Return the sentence without words that only introduce it ("As the table shows, ..."), if any are left."""
    text = " ".join(_LABEL.sub(" ", sentence).split())
    text = _LEAD.sub("", text.lstrip(" ,;:"))
    for _ in range(MOST_FRAMES):
        shorter = _strip_frame(text)
        if shorter == text:
            break
        text = shorter
    return text if any(c.isalnum() for c in text) else sentence


def claims_nothing(sentence: str, question: str = "") -> str:
    """Return the reason why a sentence claims nothing that a document could prove; "" if it makes a claim.

    A number or name that neither its sources nor the question have is always claimed.
    """
    text = strip_frames(sentence)
    blank = not any(c.isalpha() for c in text) and not claims_of(text).quantities
    if blank or text.endswith(("?", ":")):
        return "it has no word and no number that could be checked" if blank else "it asks, or announces what follows"
    if _inquires(text, question):
        return "it says what is looked at, not what is there"
    question_stems, words = {t.stem for t in tokens(question)}, claims_of(text).words
    rest = [t for t in words if t.stem not in _REFERRING]
    if _new_numbers(text, question) or any(t.name and t.stem not in question_stems for t in rest):
        return ""
    if (_denies_saying(text) and _speaks_of_sources(words)) or _absent_from_sources(text):
        return "it says what the sources do not say, which no place can prove"
    if words and len(rest) <= (1 - MOSTLY) * len(words):
        return "it speaks of the sources, not of what they say"
    return ""


def denies(text: str) -> bool:
    """Return True if a text has a negation: items under it ("Not among them:") are not proven by their own words."""
    return bool(claims_of(text).negations)


def _inquires(sentence: str, question: str) -> bool:
    """Return True for "To answer this, we look at ..."; a number in digits that follows, and is new, is a claim."""
    match = _INQUIRY.match(sentence)
    if match is None or meaning(match["verb"]) not in _INQUIRIES or sentence.startswith(" that ", match.end()):
        return False
    return not any(c.isdigit() for number in _new_numbers(sentence[match.end() :], question) for c in number)


def _new_numbers(sentence: str, question: str) -> list[str]:
    """Return the numbers that the question does not have, as they are written; labels ("Table 2") name sources."""
    old_ones = {(q.value, q.year) for q in claims_of(question).quantities}
    every = claims_of(sentence)
    return [every.wording(q) for q in every.quantities if q.kind != "label" and (q.value, q.year) not in old_ones]


def _speaks_of_sources(words: Sequence[Token]) -> bool:
    """Return True if one of the first content words is a source, or speaks of one."""
    return any(t.stem in _REFERRING for t in words[:2])


def _absent_from_sources(text: str) -> bool:
    """Return True for "is not listed in the provided sources": absence from them, not from a place in a document."""
    end = re.search(r"\s(?:in|by|from|within)\s(?:the|any|these|this)\s[^,;:]{1,60}$", text)
    return end is not None and refers(text[end.start() :]) and _NOT_LISTED.search(text) is not None


def _denies_saying(text: str) -> bool:
    """Return True for "does not mention", "is not specified", "no information": a word of saying that is denied."""
    return any(
        t.stem in _SAYING for match in _ABSENT.finditer(text) for t in tokens(text[match.start() : match.end() + REACH])
    )


def _strip_frame(sentence: str) -> str:
    """Return the sentence without one frame: "Based on the table, ...", "We conclude that ...", "..., as shown"."""
    first = re.match(r"[^,]{1,120},\s*", sentence)
    if first and refers(first.group()) and sentence[first.end() :].strip():
        return sentence[first.end() :]
    last = re.search(r",\s(?=(?:as|which|according|based|this|where)\b)[^,]{1,120}$", sentence)
    if last and refers(sentence[last.start() :]):
        return sentence[: last.start()] + "."
    if match := _KNOWN.match(sentence):
        return sentence[match.end() :]
    for that in _THAT.finditer(sentence[:200]):
        before = sentence[: that.start()]
        if len(before.split()) <= OPENING and refers(before, _INQUIRIES) and not _ABSENT.search(before):
            return sentence[that.end() :]
        break
    return sentence


def refers(text: str, more: frozenset[str] = frozenset()) -> bool:
    """Return True if a text only refers to sources: each word is a source word, a stop word, or a stem in `more`."""
    return all(t.stop or t.stem in _REFERRING or t.stem in more for t in tokens(text)) and not claims_of(text).negations


def connects(token: Token) -> bool:
    """Return True for a connective, which only joins or stresses: "however", "also"."""
    return token.stem in _CONNECTING and not token.name


_CONNECTING = frozenset(meaning(w) for w in CONNECTIVES)
_REFERRING = _CONNECTING | frozenset(meaning(w) for w in SOURCE_WORDS)
_INQUIRIES = frozenset(meaning(w) for w in INQUIRY_VERBS)
_SAYING = frozenset(meaning(w) for w in REPORTING_WORDS)


ENOUGH = 3.0
"""The weight of the words of its own with which a claim stands by itself: three words, or a name and a word."""
LEAST = 2.0
"""The weight of words, names and numbers that makes a part of a claim a claim itself."""
MOST_PARTS = 8
_JOINT = re.compile(
    r"\s?;\s|,\s(?:and|but|while|whereas|although|though|with|which|where|who|as well as|followed by|such as)\s|"
    r",\s(?=[a-z]{2,14}ing\s)|\s(?:while|whereas|compared (?:to|with))\s|(?<=[a-z0-9%)])\.\s(?=[A-Z])|"
    r"\s(?=(?:found|finds|showed|shows|reported|reports|said|says|indicated|indicates|suggests|means)\sthat\s)"
)


_MEASURES = frozenset(t.stem for word in MEASURE_WORDS for t in tokens(word))


def clauses(claim: str) -> tuple[str, ...]:
    """Return the clauses of a claim, later ones with the first one's names and dates; the claim alone if it has one.

    A piece that says too little by itself is left with the one before it.
    """
    pieces: list[str] = []
    at = 0
    for joint in _JOINT.finditer(claim):
        if joint.start() < at or len(pieces) == MOST_PARTS - 1:
            continue
        if _says_enough(claim[at : joint.start()]) and _says_enough(claim[joint.end() :]):
            pieces.append(claim[at : joint.start()])
            at = joint.end()
    pieces.append(claim[at:])
    if len(pieces) == 1:
        return (claim,)
    first = claims_of(pieces[0])
    return (pieces[0], *(_with_subject(piece, first) for piece in pieces[1:]))


def complete_claim(claim: str, about: Sequence[str]) -> str:
    """Return a claim unchanged if it says enough by itself, else with the words of what it is about in front.

    `about` is the question and the text above the claim, from the outermost; the nearest one with new words is used.
    """
    if own_weight(claim) >= ENOUGH:
        return claim
    claim_stems = {t.stem for t in tokens(claim)}
    for text in reversed(about):
        every = claims_of(text)
        stems = claim_stems | _MEASURES
        missing = [t for t in every.tokens if not t.stop and t.stem not in stems and not refers(every.said_word(t))]
        if missing:
            return f"{' '.join(every.said_word(t) for t in missing)}: {claim}"
    return claim


def own_weight(claim: str) -> float:
    """Return the weight of the different words of a claim that speak of more than its source; numbers are left out."""
    every = claims_of(claim)
    return sum({t.stem: t.weight for t in every.words if not refers(every.said_word(t))}.values())


def _says_enough(piece: str) -> bool:
    every = claims_of(piece)
    return every.weight >= LEAST and len(every.tokens) >= 2


def _with_subject(piece: str, first: Claims) -> str:
    """Return a later clause with the names and dates of the first in front, unless it has its own."""
    own = claims_of(piece)
    lead = []
    if not any(t.name for t in own.words):
        lead += [first.said_word(t) for t in first.words if t.name]
    if not any(q.kind == "moment" for q in own.quantities):
        lead += [first.wording(q) for q in first.quantities if q.kind == "moment"]
    return f"{', '.join(lead)}: {piece}" if lead else piece


_T = TypeVar("_T", Token, Quantity)
Span = tuple[int, int]
"""The (start, end) of some characters of a text."""
NEAR = 4.0
"""The distance, in words, at which a word's tie to a number has fallen to 1/e."""
CLAUSE = 2.5
"""A step between words (`Token.at`) that a negation does not reach over: a comma or more."""
WITHIN = 24
"""The most words, common ones too, among which those are that a negation reaches."""
SCOPE = 3
"""The number of content words that a negation reaches."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a text. `words` are its content words and names without those inside a quantity."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    negations: tuple[Token, ...]

    @property
    def numbers(self) -> tuple[Quantity, ...]:
        """The quantities that must agree ("one" and "half" need not)."""
        return tuple(q for q in self.quantities if not q.soft)

    @property
    def naming(self) -> tuple[Token, ...]:
        """Every word outside quantities, stop words too: headers may differ only in "before" and "after"."""
        number_tokens = _tokens_in_quantities(self.tokens, self.quantities)
        return tuple(t for n, t in enumerate(self.tokens) if n not in number_tokens)

    @property
    def weight(self) -> float:
        """The weight of everything that can be proven, together."""
        return sum(t.weight for t in self.words) + NUMBER_WEIGHT * len(self.numbers)

    def wording(self, quantity: Quantity) -> str:
        """Return a quantity as the text words it."""
        return self.text[quantity.start : quantity.end].strip()

    def said_word(self, token: Token) -> str:
        """Return a word as the text spells it."""
        return self.text[token.start : token.end]

    def phrase(self, token: Token) -> str:
        """Return a word with its neighbours: "did not grow"."""
        start, end = self.with_neighbours(token)
        return self.text[start:end]

    def with_neighbours(self, token: Token) -> Span:
        """Return the (start, end) of a word with its neighbours."""
        at = bisect_left(self.tokens, token.start, key=lambda t: t.start)
        near = self.tokens[max(at - 1, 0) : at + 2]
        return near[0].start, near[-1].end

    def claims_between(self, start: int, end: int) -> Claims:
        """Return the claims in `text[start:end]`; offsets still count from the beginning of the text."""
        return Claims(
            self.text,
            _inside(self.tokens, start, end),
            _inside(self.words, start, end),
            _inside(self.quantities, start, end),
            _inside(self.negations, start, end),
        )


def _inside(items: tuple[_T, ...], start: int, end: int) -> tuple[_T, ...]:
    """Return the items, which are in order, that begin in [start, end)."""
    first = bisect_left(items, start, key=lambda i: i.start)
    return items[first : bisect_left(items, end, lo=first, key=lambda i: i.start)]


@lru_cache(maxsize=4096)
def claims_of(text: str) -> Claims:
    """Return the claims of a text, in time linear in its length."""
    every = tokens(text)
    numbers = tuple(quantities(text))
    number_tokens = _tokens_in_quantities(every, numbers)
    words = tuple(t for n, t in enumerate(every) if n not in number_tokens and not t.stop and t.key not in NEGATIONS)
    return Claims(text, every, words, numbers, tuple(t for t in every if _negates(text, t)))


def predicates(claims: Claims) -> tuple[Token, ...]:
    """Return the predicates, such as "sinks" and "free", recognized by their forms and positions.

    They are those behind a form of "be", "have" or "can", past forms, and, where the sentence has neither, a word
    between a noun and a preposition, a number or the end. Verbs that only tie a value to its thing are left out.
    """
    every, starts = claims.tokens, {t.start for t in claims.words}
    number_starts = {q.start for q in claims.quantities}
    clear = any(t.key in AUXILIARIES or _past(t.key) for t in every)
    verbs = []
    for n, token in enumerate(every):
        if token.start not in starts or token.name or token.key in LINKING_VERBS:
            continue
        before = next((t for t in reversed(every[:n]) if not t.key.endswith("ly") and t.key not in NEGATIONS), None)
        if before is None:
            continue
        past = _past(token.key) and before.key not in DETERMINERS
        last = n + 1 == len(every) or every[n + 1].stop or every[n + 1].start in number_starts
        bare = not clear and last and not before.stop and not token.key.endswith("ly")
        if before.key in AUXILIARIES or past or bare:
            verbs.append(token)
    return tuple(verbs)


def qualifiers(claims: Claims, words: Sequence[Token]) -> tuple[Token, ...]:
    """Return those of the words that qualify what follows, directly before a number or another word.

    "Planned" qualifies in "the planned net cost". A verb ("the Local uses platform 5") and what stands before one do
    not, and no plural, as far as their form tells.
    """
    clear = any(t.key in AUXILIARIES for t in claims.tokens)  # then "cost" is a noun
    verbs = {t.start for t in (*predicates(claims), *(t for t in claims.words if t.key in LINKING_VERBS and not clear))}
    nouns = {t.start for t in claims.words} - {t.start for t in words} - verbs
    numbers = {q.start for q in claims.numbers}
    after = {t.start: n for t, n in pairwise(claims.tokens)}
    result = []
    for token in words:
        onward = after.get(token.start)
        gap = claims.text[token.end : onward.start] if onward else ""
        leads = onward is not None and gap in (" ", "-") and onward.start in nouns
        form = token.key in RELATION_WORDS or (token.key.endswith("s") and not token.key.endswith(("ss", "us")))
        if not (token.name or form) and (leads or token.end + 1 in numbers):
            result.append(token)
    return tuple(result)


def _past(key: str) -> bool:
    return (key.endswith("ed") and len(key) > 4) or key in PAST_FORMS


def _tokens_in_quantities(every: Sequence[Token], quantities: Sequence[Quantity]) -> set[int]:
    """Return the indices of the tokens that lie inside a quantity."""
    starts = [t.start for t in every]
    indices: set[int] = set()
    for quantity in quantities:
        at = bisect_left(starts, quantity.start)
        while at < len(every) and every[at].start < quantity.end:
            indices.add(at)
            at += 1
    return indices


def _negates(text: str, token: Token) -> bool:
    """Return True if a token is a negation here; "No. 3", "no more than" and the like are none."""
    if token.key.endswith(("n't", "n’t")):
        return True
    if token.key not in NEGATIONS or (token.key in ("ne", "pas", "nie") and text[token.start : token.end].isupper()):
        return False
    after = text[token.end : token.end + 14].lower()
    if token.key == "no" and text[token.start] == "N" and re.match(r"\.?\sof\b|\.\s?[:#\d]", after):  # "No of boats"
        return False
    if token.key in ("not", "no") and re.match(r"\s(?:(?:more|less|fewer|later|earlier) than|least)\b", after):
        return False
    return not (token.key == "no" and re.match(r"\.?\s?\d", after)) and not (token.key == "pas" and "ne" in after)


def position(claims: Claims, start: int) -> float:
    """Return the position in words, counted like `Token.at`, of the character at `start`."""
    at = bisect_left(claims.tokens, start, key=lambda t: t.start)
    if at < len(claims.tokens):
        return claims.tokens[at].at
    return claims.tokens[-1].at if claims.tokens else 0.0


def scope(claims: Claims, negation: Token) -> tuple[Token, ...]:
    """Return the content words that a negation reaches: those after it in its clause, else the one before."""
    after: list[Token] = []
    last = negation.at
    first = bisect_left(claims.tokens, negation.end, key=lambda t: t.start)
    for token in claims.tokens[first : first + WITHIN]:
        if token.at - last >= CLAUSE or len(after) == SCOPE:
            break
        last = token.at
        if not token.stop:
            after.append(token)
    at = bisect_left(claims.words, negation.start, key=lambda t: t.start)
    before = list(claims.words[max(at - 1, 0) : at])
    return tuple(after or before)

"""A question -> the questions in it, and the numbers and names that it sets as conditions.

It is matched by patterns, not by a grammar: each match is bounded in length, so that a question of any length is taken
apart at once.

"What did Contoso earn in 2013?" is not answered by a page without a Contoso, or by a document that ends in 2012,
however well the rest fits. Late interaction averages over the words of a question and so forgives a year or a name;
here each counts. Nothing is looked up in a list of ours: a condition is known by its form.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexing.language import MODERN_YEAR, STOPWORDS, lower_words

_ASKING = r"(?:who|whom|whose|what|which|when|where|why|how)"
_VERB = r"(?:is|are|was|were|does|do|did|has|have|had|can|could)"
_QUESTIONS = re.compile(
    rf"^(?P<lead>(?:[^?,]{{1,80}}, )?)(?P<a>{_ASKING}\b[^?]{{4,200}}?),? and (?P<b>{_ASKING}\b[^?]{{4,200}})",
    re.IGNORECASE,
)
"""A pattern of two questions in one: "In 2019, who chaired the board, and when was it founded?"."""
_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bbetween (?P<a>[^,?]{2,80}?) and (?P<b>[^,?]{2,80}?)(?=[,?.]|$| (?:in|on|of|for|at)\b)",
        r"\bcompare (?P<a>[^,?]{2,80}?) (?:with|to|against) (?P<b>[^,?]{2,80}?)(?=[,?.]|$| (?:in|on|for|at|by)\b)",
        r"\bcompare (?P<a>[^,?]{2,80}?) and (?P<b>[^,?]{2,80}?)(?=[,?.]|$| (?:in|on|for|at|by)\b)",
        r"(?:^|(?<=[,?.:] ))(?P<a>[^,?]{2,160}?) (?:compared (?:to|with)|versus|vs\.?) (?P<b>[^,?]{2,80}?)(?=[,?.]|$)",
        rf"(?<=[,:?] )(?!{_ASKING}\b|{_VERB}\b)(?P<a>[^,:?()]{{2,60}}?),? or (?P<b>[^,:?()]{{2,60}})(?=\?)",
        r"(?P<a>\b(?P<word>in|for|of|on|at|during|by) [^,?]{2,40}?) and (?P<b>(?P=word) [^,?]{2,40}?)(?=[,?.]|$)",
        rf"\b(?P<a>{MODERN_YEAR}) and (?P<b>{MODERN_YEAR})\b",
    )
)
"""The patterns of two sides of one question; the words around them are asked of each."""
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|him|his|she|her)\b", re.IGNORECASE)
_LEADING = re.compile(
    rf"^{_ASKING}\b(?: {_VERB}\b| (?:many|much)\b)*(?: \w+(?= (?:the|an?|this|our)\b))? ", re.IGNORECASE
)
_HEAD = re.compile(r"^(?P<head>.{2,60}? of) .")
_THAT = re.compile(r"^(?:that|those) of\b", re.IGNORECASE)
_EMPTY = re.compile(
    rf"\b(?:{_ASKING}|{_VERB}|many|much|the|an?|this|that|these|those|there|of|in|on|at|by|for|from|to|with|as|about|"
    r"and|or|it|its|their|be|been|please|list|name|give|tell|find|me|you|your|we|our|i|not|any|all|than|more|most)\b",
    re.IGNORECASE,
)
LONG = 25
"""The words above which a question is searched for by key phrases too (docs/experiments/retrieval.md)."""
LEAST_WORDS = 2
"""The least words of three letters or more in a form; one with fewer says too little to search for."""


def subquestions(question: str) -> list[str]:
    """Return the two questions in a question, each with the words around them; [] if it cannot be divided.

    The sides are compared ("A versus B", "compare A with B"), chosen between (", A or B?"), joined ("in 2019 and in
    2020") or asked one after the other ("who ..., and when ...?"). A side that says too little by itself is left out.
    """
    two = _QUESTIONS.search(question)
    if two:
        sides = [two["lead"] + two["a"], two["lead"] + _with_subject(two["b"], two["a"])]
    else:
        sides_match = next((match for pattern in _SIDES if (match := pattern.search(question))), None)
        if sides_match is None:
            return []
        a, b = sides_match["a"], sides_match["b"]
        head = _HEAD.match(a)
        b = _THAT.sub(head["head"], b) if head else b  # "the income of Nike with that of Adobe"
        sides = [question[: sides_match.start()] + side + question[sides_match.end() :] for side in (a, b)]
    return [" ".join(side.split()) for side in sides if says_enough(side)]


def key_phrases(question: str) -> list[str]:
    """Return the key phrases of a question of more than LONG words, as one text in a list; [] for a shorter one."""
    if len(question.split()) <= LONG:
        return []
    parts = (phrase.strip(" \t,.;:?!()\"'`") for phrase in _EMPTY.split(question))
    phrases = ", ".join(dict.fromkeys(phrase for phrase in parts if len(phrase) > 1))
    return [phrases] if says_enough(phrases) else []


def says_enough(text: str) -> bool:
    """Return True if a text has at least LEAST_WORDS words of three letters or more."""
    return len(re.findall(r"\w{3,}", text)) >= LEAST_WORDS


def _with_subject(clause: str, before: str) -> str:
    """Return a second question in which a pronoun is replaced by the subject of the first."""
    return _PRONOUN.sub(lambda _: _LEADING.sub("", before), clause, count=1)


MOST_CONDITIONS = 24
"""The conditions that are looked for, the first of a question: the bound of the work."""
BEST_PAGES, TOGETHER_PAGES = 10, 5
"""The pages, best first, among which a condition is looked for, and those of which one may have them all."""
ALIKE = 0.84
"""The least similarity (difflib's ratio) of a name with the word that it is a misspelling of."""
LEAST_SPELLED = 5
"""The least letters of a name that may be misspelt."""
SHOUTED_SHARE = 0.6
"""The share of capitalised words, after the first, above which capitals of a question mean nothing."""

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_FISCAL = re.compile(r"fy?((?:19|20)?\d\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ConditionsMet:
    """How far pages meet conditions: `share` (0 to 1) on the page with the most of them, `nowhere` how many on none."""

    share: float = 1.0
    nowhere: int = 0


def conditions_of(question: str) -> tuple[str, ...]:
    """Return the numbers and names in a question, as they are written; FY2015 is the number 2015.

    A name is a word with a capital that begins no sentence and is no stop word.

    >>> conditions_of("What did the Acme group earn in FY2015, more than 2,300?")
    ('Acme', '2015', '2,300')
    """
    words = list(_WORD.finditer(question))
    shouted = sum(word[0][0].isupper() for word in words[1:]) > SHOUTED_SHARE * (len(words) - 1)
    conditions = []
    for place in words:
        word = place[0]
        if fiscal := _FISCAL.fullmatch(word):
            conditions.append(fiscal[1])
        elif word[0].isdigit() or (not shouted and _is_name(word) and not _begins(question, place.start())):
            conditions.append(word)
    return tuple(dict.fromkeys(conditions))[:MOST_CONDITIONS]


def _is_name(word: str) -> bool:
    return word[0].isupper() and len(word) > 1 and word.lower() not in STOPWORDS


def _begins(question: str, at: int) -> bool:
    """Return True if a sentence of the question begins at character `at`."""
    before = question[:at].rstrip(" \"'([\u201c\u2018")
    return not before or before[-1] in ".?!:"


def conditions_met(conditions: Sequence[str], pages: Sequence[str]) -> ConditionsMet:
    """Return how far the texts of pages, the best first, have the conditions; names may be slightly misspelt."""
    if not conditions or not pages:
        return ConditionsMet(0.0, len(conditions)) if conditions else ConditionsMet()
    texts = [text.lower() for text in pages[:BEST_PAGES]]
    vocabularies = [set(lower_words(text)) for text in texts]
    spellings = [_spellings(condition.lower(), set().union(*vocabularies)) for condition in conditions]
    there = [
        [_page_has(condition, text, words, forms) for condition, forms in zip(conditions, spellings, strict=True)]
        for text, words in zip(texts, vocabularies, strict=True)
    ]
    return ConditionsMet(
        max(sum(page) for page in there[:TOGETHER_PAGES]) / len(conditions),
        sum(not any(page[n] for page in there) for n in range(len(conditions))),
    )


def _page_has(condition: str, text: str, words: set[str], spellings: set[str]) -> bool:
    """Return True if a page, in lower case, has a number as it is written, or a name in one of its spellings."""
    if condition[0].isdigit():
        return condition.lower() in text or condition.replace(",", "") in text
    return not words.isdisjoint(spellings)


def _spellings(name: str, words: set[str]) -> set[str]:
    """Return the words that a name, in lower case, may stand for: itself, its plural or stem, a near misspelling."""
    if name[0].isdigit():
        return set()
    exact = {name, name.rstrip("s"), f"{name}s"} & words
    if exact or len(name) < LEAST_SPELLED:
        return exact
    stem = name[: max(LEAST_SPELLED, len(name) - 2)]
    near = [w for w in words if w[0] == name[0] and abs(len(w) - len(name)) <= 2 and w.isalpha()]
    return {w for w in words if w.startswith(stem)} | set(difflib.get_close_matches(name, near, 3, ALIKE))

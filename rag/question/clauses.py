"""A question -> the questions in it: the sides of a comparison, of a choice, of a conjunction; and its key phrases.

It is matched by patterns, not by a grammar: each match is bounded in length, so that a question of any length is taken
apart at once.
"""

from __future__ import annotations

import re

from indexing.language import MODERN_YEAR

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

"""Inline citations: an answer's sentences with the names that they cite, [n], Figure n and Table n, as MCiteBench does.

A part of a figure, as in "Figure 3(a)", is the figure; "Image 3" is one too. No pattern looks far back or ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag import sentence_spans

_MARK = r"\[\s{0,2}\d{1,3}(?:\s{0,2}[,;\u2013-]\s{0,2}\d{1,3}){0,20}\s{0,2}\]"
_NUMBER = r"\d{1,3}(?:\s?\([a-z]\)|[a-z]\b)?"
_NAMES = re.compile(
    rf"({_MARK})"
    rf"|\b(Fig(?:ure|\.)?|Image|Tab(?:le|\.)?)(s?)\s{{0,2}}({_NUMBER})"
    rf"((?:(?:,?\s?(?:and|&)\s|,\s?){_NUMBER}){{0,10}})",
    re.IGNORECASE,
)
_ASIDE = r"\((?:see )?(?:fig(?:ure|\.)?|image|tab(?:le|\.)?)s?\s?\d{1,3}(?:\([a-z]\)|[a-z])?\)"
_BEHIND = re.compile(rf"([.!?])((?:\s{{0,2}}(?:{_MARK}|{_ASIDE})){{1,10}})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,3})(?:\s{0,2}[\u2013-]\s{0,2}(\d{1,3}))?")
_DIGITS = re.compile(r"\d{1,3}")
MOST_IN_RANGE = 20


def cited_sentences(answer: str) -> list[tuple[str, list[str]]]:
    """Return the sentences of an answer that contain a letter, each with the names that it cites, each name once.

    Marks after the full stop belong to the sentence before it.

    >>> cited_sentences("Oil burns. [1] It smokes, as Figures 2(a) and 3 show.")
    [('Oil burns [1].', ['[1]']), ('It smokes, as Figures 2(a) and 3 show.', ['Figure 2', 'Figure 3'])]
    """
    sentences = []
    for line in answer.splitlines():
        text = _BEHIND.sub(lambda behind: f" {behind[2].strip()}{behind[1]}", line)
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if any(c.isalpha() for c in sentence):
                sentences.append((sentence, cited_names(sentence)))
    return sentences


def cited_names(text: str) -> list[str]:
    """Return the names that a text cites, in order, each once: `[1]`, `Figure 3`, `Table 2`.

    >>> cited_names("See [1, 3-5] and Tab. 2b.")
    ['[1]', '[3]', '[4]', '[5]', 'Table 2']
    """
    return list(dict.fromkeys(name for match in _NAMES.finditer(text) for name in _names_in(match)))


def _names_in(match: re.Match[str]) -> Iterator[str]:
    mark, kind, many, first_number, others = match.groups()
    if mark:
        for first, last in _RANGE.findall(mark):
            low, high = int(first), int(last or first)
            yield from (f"[{n}]" for n in (range(low, high + 1) if 0 <= high - low < MOST_IN_RANGE else (low, high)))
        return
    name = "Table" if kind[0] in "Tt" else "Figure"
    more = _DIGITS.findall(others) if many else []
    yield from (f"{name} {int(n)}" for n in (*_DIGITS.findall(first_number), *more))

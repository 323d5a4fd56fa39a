"""A question what a value is ("What were the sales in 2015?") and the sentence that states it ("Sales were $5 in ...").

Many sentences of a report are about the sales of that year; the one whose subject is just what is asked for, with a
number behind its verb, tells them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from indexing.embed import STOPWORDS
from rag.methods.quote.form import is_month, stem

MOST_QUESTION, MOST_SUBJECT = 200, 80
"""The most characters of a question that is looked at, and of what stands before the verb of a sentence."""
SOON = 6
"""The words behind the verb among which the number stands."""
_ASKED = re.compile(
    r"\W{0,9}(?:what|how (?:much|high|large|big))(?:['’]s| is| are| was| were) (?P<what>[^?]{2,150})", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|totall?ed|amounted to|stood at|came to|reached|equall?ed|averaged) ", re.IGNORECASE
)
_PLACED = re.compile(
    r"\b(?:in|for|at|on|during|from|by|as|per|to|with|between|over|under|after|before|according|within|since)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


def states_value(question: str, text: str) -> bool:
    """Return True for a sentence whose subject is the value that a question asks for, with a number behind its verb.

    >>> states_value("What were the sales of boats in 2015?", "Sales of boats were $5 million in 2015.")
    True
    >>> states_value("What were the sales of boats in 2015?", "Sales of boats to Merrow fell by 5% in 2015.")
    False
    """
    wanted, head = _wanted_of(question)
    verb = _VERB.search(text[:MOST_SUBJECT]) if head else None
    if verb is None:
        return False
    subject = _plain(text[: verb.start()])
    soon = text[verb.end() :].split()[:SOON]
    return head in subject and subject <= wanted and any(c.isdigit() for word in soon for c in word)


@lru_cache(maxsize=64)
def _wanted_of(question: str) -> tuple[frozenset[str], str]:
    """Return the stems of a question about a value, and that of the noun that it asks for; empty for another one."""
    match = _ASKED.match(question[:MOST_QUESTION])
    if match is None:
        return frozenset(), ""
    noun = _WORD.findall(re.split(_PLACED, match["what"], maxsplit=1)[0].partition(" of ")[0])
    return (_plain(question), stem(noun[-1])) if noun else (frozenset(), "")


def _plain(text: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(text) if not is_month(word))
    return frozenset(stem(word) for word in words if word not in STOPWORDS and len(word) > 1)

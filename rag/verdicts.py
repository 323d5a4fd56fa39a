"""The verdicts of checking, what contradicts a sentence, and the sources that it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["quoted", "shown", "computed", "confirmed", "unconfirmed", "contradicted", "remark"]
"""The outcome of checking a sentence. A quote is quoted, a figure that is pointed to is shown, and what code made of
the cited cells is computed.

A written sentence is confirmed where the cited places say it, by their words or in the eyes of a judge
(`Sentence.checked_by`). It is contradicted where the cited place speaks of the same thing and says something else. It
is unconfirmed where nobody could tell: that is no accusation, and it keeps the places that it cites. A remark claims
nothing that could be checked, and is not counted among the claims.
"""
CLAIMED: tuple[Verdict, ...] = ("confirmed", "unconfirmed", "contradicted")
"""The verdicts of claims that somebody wrote: quotes and sums are none, and neither are remarks."""
PROVEN: frozenset[Verdict] = frozenset(("quoted", "computed", "confirmed"))
"""The verdicts of sentences that their citations prove."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The first difference between a sentence and the place that contradicts it, in the words of each.

    `said` is empty where the sentence lacks what the place has ("not"), `found` where it is the other way round.
    `source` is the kind of the place ("table"); `at` is the (start, end) of `said` in the sentence, None where that is
    not one place.
    """

    said: str
    found: str
    source: str
    at: tuple[int, int] | None = None

    def __str__(self) -> str:
        """Return `the sentence says 46%, the table 64%`."""
        if self.said and self.found:
            return f"the sentence says {self.said}, the {self.source} {self.found}"
        if self.said:
            return f"the sentence says {self.said}, which the {self.source} does not"
        return f"the {self.source} says {self.found}, which the sentence does not"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {"said": self.said, "found": self.found, "source": self.source, "at": self.at and list(self.at)}


Followed = Literal["followed", "not here", "no entry"]
"""The outcome of following a mark: to a document, to an entry of which the collection has none, or to no entry."""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A source that a sentence names by a mark ("[3]", "(Smith, 2020)"), and the outcome of looking it up.

    `entry` is what the mark leads to (an entry of the text's bibliography, an address), `document` the name of the
    document of the collection that it is, empty where none is. `verdict` is that of the sentence checked against this
    document alone, None where it was not followed; `elsewhere` are the names of other documents that prove it.
    """

    mark: str
    outcome: Followed
    entry: str = ""
    document: str = ""
    verdict: Verdict | None = None
    elsewhere: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """True if the document is in the collection and does not prove the sentence."""
        return self.outcome == "followed" and self.verdict not in PROVEN

    def __str__(self) -> str:
        """Return `[3] is report.pdf, which does not say this (notes.pdf does)`."""
        if self.outcome == "no entry":
            return f"{self.mark} leads to no entry of this text"
        if self.outcome == "not here":
            return f"{self.mark} was not found among the documents of this collection"
        outcomes = {"contradicted": "says otherwise", "unconfirmed": "does not say this"}
        says = outcomes.get(self.verdict or "unconfirmed", "says this")
        others = f" ({', '.join(self.elsewhere)} does)" if self.elsewhere else ""
        return f"{self.mark} is {self.document}, which {says}{others}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "mark": self.mark,
            "outcome": self.outcome,
            "entry": self.entry,
            "document": self.document,
            "verdict": self.verdict,
            "fails": self.fails,
            "elsewhere": list(self.elsewhere),
        }

"""Sentences that are nearly a quote: what was changed in the gaps between what is the same."""

from __future__ import annotations

import pytest

from rag.attribution.claims import claims_of
from rag.attribution.claims.edits import changes


@pytest.mark.parametrize(
    ("sentence", "text", "said"),
    [
        (
            "The mill was sold to Anna Holm in 1911.",
            "The mill was sold to Anna Berg in 1911. Peter Holm was its miller.",
            "the text says Berg here, not Holm",
        ),
        (
            "Members bought 4,000 shares, and none were not redeemed.",
            "Members bought 4,000 shares, and none were redeemed.",
            "the text does not say 'were not redeemed'",
        ),
        (
            "Connect the bracket to a copper rod and never a steel one.",
            "Connect the bracket to a copper rod before you start the pump.",
            "the text does not say 'and never a'",
        ),
        (
            "The boat of class B was sold to the town in 1911.",
            "The boat of class A was sold to the town in 1911.",
            "the text says A here, not B",
        ),
    ],
    ids=["a name", "a negation", "an end of five words", "a letter"],
)
def test_what_stands_in_a_gap_has_to_agree(sentence: str, text: str, said: str) -> None:
    assert changes(claims_of(sentence), claims_of(text)) == [said]

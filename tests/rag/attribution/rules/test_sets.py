"""Claims about made-up passages and the samples: none that is false is confirmed, none that is true accused."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from indexing import Element
from rag.attribution.rules import compare
from tests.support import fakes

SETS = {"false_claims": 0.9, "qualifiers": 0.9, "times": 0.85, "handwritten": 0.5}
"""The sets, and the least share of their true sentences that words alone confirm."""


def claims(name: str, truth: str) -> Iterator[tuple[str, Element]]:
    pieces = yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))
    for piece in pieces:
        made = fakes.element(piece["text"], kind=piece.get("kind", "table"))
        made = replace(made, caption=piece.get("caption", ""), section=tuple(piece.get("section", ())))
        yield from ((claim, made) for claim in piece[truth])


@pytest.mark.parametrize(
    ("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for name in SETS for pair in claims(name, "false")]
)
def test_a_false_claim_is_not_confirmed(claim: str, element: Element) -> None:
    assert compare(claim, [element]).outcome != "confirmed"


@pytest.mark.parametrize(
    ("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for name in SETS for pair in claims(name, "true")]
)
def test_a_true_claim_is_not_contradicted(claim: str, element: Element) -> None:
    assert compare(claim, [element]).outcome != "contradicted"


@pytest.mark.parametrize("name", SETS)
def test_most_that_is_true_is_confirmed_by_words_alone(name: str) -> None:
    outcomes = [compare(claim, [element]).outcome for claim, element in claims(name, "true")]
    assert outcomes.count("confirmed") >= SETS[name] * len(outcomes)

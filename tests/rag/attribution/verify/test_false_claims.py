"""False claims about made-up passages: none is supported, by rules alone or by a judge that says yes to everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from indexing import Element
from rag.attribution.attribute import attributed
from rag.attribution.verify.verify import verify
from rag.types import Evidence
from rag.usage import NO_USAGE
from tests.support import fakes

CLAIMS = Path(__file__).with_name("false_claims.yaml")


class Yes:
    """A judge that finds everything proven."""

    usage, notes = NO_USAGE, ()

    def entails(self, sentence: str, passage: str, element: Element) -> float | None:  # noqa: ARG002
        return 0.95


def claims(truth: str) -> Iterator[tuple[str, Element]]:
    for piece in yaml.safe_load(CLAIMS.read_text(encoding="utf-8")):
        made = replace(fakes.element(piece["text"], kind=piece["kind"]), caption=piece["caption"])
        yield from ((claim, made) for claim in piece[truth])


def test_there_are_many() -> None:
    assert len(list(claims("false"))) > 100
    assert len(list(claims("true"))) > 30


@pytest.mark.parametrize(("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for pair in claims("false")])
def test_a_false_claim_is_supported_by_nobody(claim: str, element: Element) -> None:
    evidence = [Evidence("E1", element, "made-up.pdf", 0.9)]
    assert verify(claim, element).verdict != "supported"
    assert verify(claim, element, judge=Yes()).verdict != "supported"
    assert attributed(claim, evidence, evidence).verdict != "supported"
    assert attributed(claim, evidence, evidence, Yes()).verdict != "supported"


@pytest.mark.parametrize(("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for pair in claims("true")])
def test_a_true_claim_in_other_words_stays_supported(claim: str, element: Element) -> None:
    assert verify(claim, element).verdict == "supported"
    assert verify(claim, element, judge=Yes()).verdict == "supported"

"""Claims with a word that qualifies a value ("the planned net cost"): their passage has to say it of that value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from indexing import Element
from rag.attribution.verify.verify import verify
from tests.rag.attribution.verify.test_false_claims import Yes
from tests.support import fakes

QUALIFIERS = Path(__file__).with_name("qualifiers.yaml")


def claims(truth: str) -> Iterator[tuple[str, Element]]:
    for piece in yaml.safe_load(QUALIFIERS.read_text(encoding="utf-8")):
        yield from ((claim, fakes.element(piece["text"], kind=piece["kind"])) for claim in piece[truth])


@pytest.mark.parametrize(("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for pair in claims("false")])
def test_a_value_with_a_qualifier_of_its_own_is_not_supported(claim: str, element: Element) -> None:
    assert verify(claim, element).verdict != "supported"
    assert verify(claim, element, judge=Yes()).verdict != "supported"


@pytest.mark.parametrize(("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for pair in claims("true")])
def test_a_value_with_the_qualifier_of_its_passage_is_supported(claim: str, element: Element) -> None:
    assert verify(claim, element).verdict == "supported"
    assert verify(claim, element, judge=Yes()).verdict == "supported"

"""Claims about tables of times: a time counts in its row and its column, as every other quantity does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from indexing import Element
from rag.attribution.verify.verify import verify
from tests.rag.attribution.verify.test_false_claims import Yes
from tests.support import fakes

TIMES = Path(__file__).with_name("times.yaml")


def claims(truth: str) -> Iterator[tuple[str, Element]]:
    for piece in yaml.safe_load(TIMES.read_text(encoding="utf-8")):
        yield from ((claim, fakes.element(piece["text"], kind="table")) for claim in piece[truth])


@pytest.mark.parametrize(("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for pair in claims("false")])
def test_a_time_of_another_row_or_column_is_not_supported(claim: str, element: Element) -> None:
    assert verify(claim, element).verdict != "supported"
    assert verify(claim, element, judge=Yes()).verdict != "supported"


@pytest.mark.parametrize(("claim", "element"), [pytest.param(*pair, id=pair[0][:60]) for pair in claims("true")])
def test_a_time_in_its_row_and_column_is_supported(claim: str, element: Element) -> None:
    assert verify(claim, element).verdict == "supported"


def test_times_in_a_text_count_too() -> None:
    text = fakes.element("The museum opens at 9:30 and closes at half past four. The night tour starts at 8 pm.")
    assert verify("The museum opens at 9:30.", text).verdict == "supported"
    assert verify("The museum closes at 4:30.", text).verdict == "supported"
    for false in ("opens at 10:30", "opens at 4:30", "closes at 9:30", "closes at 5 pm"):
        assert verify(f"The museum {false}.", text).verdict != "supported"
    assert verify("The night tour starts at 8 am.", text).verdict != "supported"

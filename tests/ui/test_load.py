"""The figures of the load: percentiles as they are defined, and refusals counted."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.ui.load import Load, at


@pytest.mark.parametrize(("share", "value"), [(0.5, 10.0), (0.95, 19.0), (0.99, 20.0), (0.01, 1.0), (1.0, 20.0)])
def test_percentiles(share: float, value: float) -> None:
    assert at([float(n) for n in range(1, 21)], share) == value


def test_what_is_told() -> None:
    told = Load([0.2, 0.1], Counter({"429": 3}), [(0.0, 900.0), (5.0, 950.0), (9.0, 920.0)]).told()
    assert told["answers"] == 2
    assert told["seconds"] == {"p50": 0.1, "p95": 0.2, "p99": 0.2}
    assert told["failed"] == {"429": 3}
    assert told["server_mb"] == {"first": 900.0, "last": 920.0, "most": 950.0}
    assert Load().told() == {"answers": 0, "seconds": {}, "failed": {}, "server_mb": {}}


def test_the_memory_of_each_tenth_is_told() -> None:
    load = Load(memory=[(float(n), 100.0 + n // 10) for n in range(100)])
    assert load.told()["server_mb"]["tenths"] == [100.0 + n for n in range(10)]
    assert "tenths" not in Load(memory=load.memory[:9]).told()["server_mb"]

"""MAUVE in a process of its own: the module that is started is there."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from evaluation.harness.mauve_process import mauve

FEATURES = np.random.default_rng(1).standard_normal((40, 8)).astype(np.float32)


def test_the_process_says_what_it_lacks() -> None:
    if find_spec("mauve") is not None:
        pytest.skip("mauve-text is installed")
    with pytest.raises(ValueError, match="No module named 'mauve'"):
        mauve(FEATURES, FEATURES)

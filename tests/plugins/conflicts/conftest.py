"""What the tests of the plugin share: three documents, of which two disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import fakes

if TYPE_CHECKING:
    from indexing import Collection

REPORT = "In 2023, 41% of household waste was recycled."
SLIDES = "39% of household waste was recycled in 2023."


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Two documents that disagree about 2023, and one of another year."""
    from indexing.embed.minilm import MiniLM

    made = fakes.collection(tmp_path_factory.mktemp("town"), MiniLM(threads=1), "town")
    last = "In 2022, 37% of household waste was recycled."
    fakes.index(made, {"report-2023.pdf": [[REPORT]], "slides.pdf": [[SLIDES]], "notes.pdf": [[last]]})
    return made

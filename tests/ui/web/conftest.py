"""What the tests of served pages share: a home with something in it to ask about, and a page over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.ui.forked import Served
from tests.ui.real_collection import mill
from tests.ui.served_page import serving


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """A home with one collection, `made-up`, of one document."""
    folder = tmp_path_factory.mktemp("home")
    mill(folder, embedder)
    return folder / "home"


@pytest.fixture(scope="module")
def served(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page over that home; a module that needs another one has its own."""
    with serving(tmp_path_factory.mktemp("served"), home, collection="made-up") as page:
        yield page

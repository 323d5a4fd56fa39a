"""What the tests of the API share: a server over one collection, `made-up`, of one document of two lines."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from indexing import Document
from indexing.embed.minilm import MiniLM
from tests.ui.real_collection import mill
from tests.ui.web.api.api_server import ApiServer, serving_api


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> tuple[Path, Document]:
    """A home with that collection, and the document."""
    folder = tmp_path_factory.mktemp("rest")
    _, (document,), _ = mill(folder, embedder)
    return folder / "home", document


@pytest.fixture(scope="module")
def server(shelf: tuple[Path, Document], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """A server without accounts over that home."""
    with serving_api(shelf[0], tmp_path_factory.mktemp("served") / "arrived") as running:
        yield running


@pytest.fixture
def api(server: ApiServer) -> Iterator[httpx.Client]:
    """A client of the API."""
    with httpx.Client(base_url=server.address, timeout=60) as client:
        yield client

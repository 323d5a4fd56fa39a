"""A real Chromium, driven by Playwright, in front of the page over the indexed samples.

Skipped, with the reason, only where there is no Chromium (where CI is set that fails); `make browser` installs one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.scripted_server import ScriptedServer
from tests.support.tools import missing
from tests.ui.browser.chromium import FLAGS, SHOTS, executable
from tests.ui.browser.reader import Reader
from tests.ui.forked import Served
from tests.ui.served_page import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright

    from indexing import Collection

Open = Callable[..., Reader]
Write = Callable[..., tuple[ScriptedServer, Served]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here are slow."""
    for item in items:
        if "/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def tools() -> None:
    """What all tests here need, before anything is indexed or served for them."""
    if find_spec("playwright") is None:
        missing("needs Playwright: pip install -e '.[dev]'")
    if executable() is None:
        missing("needs Chromium: make browser (or apt-get install chromium), or name one in VOUCH_CHROMIUM")


@pytest.fixture(scope="session")
def library(samples: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the samples, of this process alone."""
    return Path(shutil.copytree(samples.path.parent, tmp_path_factory.mktemp("library") / "home"))


@pytest.fixture(scope="session")
def page_server(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page over the samples, as it comes out of the box: no model."""
    with serving(tmp_path_factory.mktemp("served"), library, collection="samples") as served:
        yield served


@pytest.fixture(scope="session")
def model_page(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ScriptedServer, Served]]:
    """The page with a model that writes."""
    folder = tmp_path_factory.mktemp("written")
    with ScriptedServer() as server:
        model = {"base_url": server.url, "name": "scripted", "retries": 0}
        path = folder / "profile.yaml"
        path.write_text(yaml.safe_dump({"rag": {"model": model, "method": "vanilla", "judge": "rules"}}))
        with serving(folder, library, collection="samples", profile=str(path)) as served:
            yield server, served


@pytest.fixture
def write(model_page: tuple[ScriptedServer, Served]) -> Iterator[Write]:
    """`write(script, ...)` says what the model of the page writes, as `serve` does, and returns it with the page."""
    server, served = model_page

    def start(*answer: Any) -> tuple[ScriptedServer, Served]:
        server.rewrite(*answer)
        return server, served

    yield start
    assert server.unexpected == [], "more requests than scripts"


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright, which can be started once only in a thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """One browser for the session."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def visited() -> list[BrowserContext]:
    """Contexts of visitors who have left: nothing of theirs is kept but the page's scripts, which Chromium compiled."""
    return []


@pytest.fixture
def visit(chromium: Browser, page_server: Served, visited: list[BrowserContext]) -> Iterator[Open]:
    """`visit()` opens the page as a new visitor: `address` of another page, and options of a browser context."""
    readers: list[Reader] = []
    usual: list[BrowserContext] = []

    def open_page(address: str = page_server.address, **options: Any) -> Reader:
        size = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
        context = visited.pop() if visited and not options else chromium.new_context(**(size | options))
        readers.append(Reader(context, address))
        usual.extend([] if options else [context])
        return readers[-1]

    yield open_page
    problems = [problem for reader in readers for problem in reader.problems]
    for reader in readers:
        if reader.context in usual:
            leave(reader)
            visited.append(reader.context)
        else:
            reader.context.close()
    assert problems == [], "the page complained in the browser's console"


def leave(reader: Reader) -> None:
    """Close the pages of a visitor, and forget what they stored."""
    context = reader.context
    stored = {"origin": reader.address.rstrip("/"), "storageTypes": "local_storage,indexeddb,cache_storage"}
    context.new_cdp_session(context.pages[0]).send("Storage.clearDataForOrigin", stored)
    for page in context.pages:
        page.close()
    context.clear_cookies()

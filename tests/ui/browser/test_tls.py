"""Behind TLS, in Chromium: the page works, its cookies stay its own, and no other site reads or changes anything.

Other sites are a sibling of the domain (the same site for cookies), another port of the same name, and a foreign one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.ui.browser.chromium import executable, flags_with
from tests.ui.browser.reader import Reader
from tests.ui.browser.tls_proxy import ADDRESS, FOREIGN, NAME, OTHER_PORT, SIBLING, TlsProxy, tls_in_front_of
from tests.ui.forked import Served
from tests.ui.served_page import accounts_in, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

Arrive = Callable[..., Reader]
QUESTION = "How many departures were cancelled, and why?"
ADA = {"username": "ada", "password": "correct horse"}
BOB = {"username": "bob", "password": "battery staple"}
JOIN = {"data": [QUESTION, "samples"], "fn_index": 0, "session_hash": "planted"}
FORMS: tuple[tuple[str, dict[str, str], Any], ...] = (
    ("login", BOB, BOB),
    ("logout", {}, {}),
    ("gradio_api/upload", {"files": "%PDF-1.7 planted"}, {}),
    ("gradio_api/queue/join", {"data": "x"}, JOIN),
    ("gradio_api/cancel", {"event_id": "x"}, {"session_hash": "x", "fn_index": 0, "event_id": "x"}),
    ("api/ask", {"question": QUESTION}, {"question": QUESTION, "collection": "samples"}),
)
ATTACKS = Path(__file__).with_name("attacks.js").read_text()
_LOG_IN = """(account) => fetch('login', {method: 'POST', body: new URLSearchParams(account)})
  .then((answer) => answer.status)"""
_SANDBOX = """() => new Promise((resolve) => {
  const frame = Object.assign(document.createElement('iframe'), {sandbox: 'allow-scripts', srcdoc: 'mine'});
  frame.onload = resolve;
  document.body.append(frame);
})"""


@pytest.fixture(scope="module")
def served(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page with two accounts, as it is started behind a proxy."""
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, library, collection="samples", accounts=accounts_in(folder), root_path=ADDRESS) as page:
        yield page


@pytest.fixture(scope="module")
def proxy(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsProxy]:
    with tls_in_front_of(served.address, tmp_path_factory.mktemp("proxy")) as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright: Playwright, proxy: TlsProxy) -> Iterator[Browser]:
    """A Chromium that finds all the names at the proxy."""
    started = playwright.chromium.launch(executable_path=executable(), args=flags_with(proxy.rules))
    yield started
    started.close()


@pytest.fixture(scope="module")
def arrive(browser: Browser) -> Iterator[Arrive]:
    """`arrive(ACCOUNT)`: a person who has logged in, in a browser of their own."""
    contexts: list[BrowserContext] = []

    def logged_in(account: dict[str, str]) -> Reader:
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        page.goto(f"{ADDRESS}/robots.txt")
        assert page.evaluate(_LOG_IN, account) == 200
        page.close()
        return Reader(contexts[-1], f"{ADDRESS}/")

    yield logged_in
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def ada(arrive: Arrive) -> Reader:
    """A person who has asked."""
    reader = arrive(ADA)
    reader.ask(QUESTION)
    return reader


def somebody_else(reader: Reader, origin: str) -> Page:
    """A page of another site, open in the same browser."""
    page = reader.context.new_page()
    page.goto(f"{origin}/")
    assert page.title() == "somebody else"
    return page


def session(context: BrowserContext) -> str:
    """The names and values of the cookies that the page has in this browser."""
    return "; ".join(sorted(f"{c['name']}={c['value']}" for c in context.cookies() if c["domain"] == NAME))


def state(reader: Reader, served: Served, library: Path) -> tuple[str, list[str], list[str]]:
    """What a person has: the session, the history after a reload, and the files of collections and uploads."""
    reader.reload()
    reader.page.wait_for_selector("#v-current .v-turn")
    files = (*library.glob("samples/**/*"), *served.uploads.glob("**/*"))
    turns = reader.page.locator(".v-turn").evaluate_all("(turns) => turns.map((turn) => turn.dataset.turn)")
    return session(reader.context), turns, sorted(str(file) for file in files if file.is_file())


def test_the_page_answers_and_its_cookies_are_its_own(ada: Reader) -> None:
    assert "1,236" in ada.page.locator("#v-current .v-answer").inner_text()
    cookies = ada.context.cookies()
    assert len(cookies) == 2
    for cookie in cookies:
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Lax"), cookie["name"]
        assert cookie["domain"] == NAME, "a dot before it would send it to siblings"
    assert ada.page.evaluate("document.cookie") == ""
    assert ada.problems == []


def places(reader: Reader) -> tuple[str, ...]:
    """What of the page others would like to have, below its address."""
    turn = reader.page.locator("#v-current .v-turn").get_attribute("data-turn")
    image = str(reader.sheet.locator("img").get_attribute("src")).removeprefix(ADDRESS).lstrip("/")
    queue = "gradio_api/queue/data?session_hash=x"
    return ("config", "", "api", "api/collections", "gradio_api/info", queue, "theme.css", "logout", image,
            f"vouch/export/{turn}/html")  # fmt: skip


def refused(proxy: TlsProxy, since: int) -> set[str]:
    """The paths that others have asked for since then, each of which was refused."""
    came = [passed for passed in proxy.passed[since:] if passed.site != "same-origin"]
    assert {passed.status for passed in came} == {403}
    return {passed.path.lstrip("/") for passed in came}


@pytest.mark.parametrize(
    "origin", [SIBLING, "null", *(pytest.param(origin, marks=pytest.mark.thorough) for origin in (OTHER_PORT, FOREIGN))]
)
def test_a_foreign_page_reads_nothing(ada: Reader, proxy: TlsProxy, served: Served, library: Path, origin: str) -> None:
    wanted, before, since = places(ada), state(ada, served, library), len(proxy.passed)
    page = somebody_else(ada, SIBLING if origin == "null" else origin)
    frame = page.main_frame
    if origin == "null":
        page.evaluate(_SANDBOX)
        frame = page.frames[1]
    assert frame.evaluate("self.origin") == origin
    found = frame.evaluate(ATTACKS, {"target": f"{ADDRESS}/", "places": wanted, "forms": FORMS})
    page.close()
    assert len(found) > 120
    assert {name: read for name, read in found.items() if read} == {}
    assert refused(proxy, since) >= {place.split("?")[0] for place in (*wanted, *(place for place, _, _ in FORMS))}
    cookies = {passed.cookies != "" for passed in proxy.passed[since:] if passed.site != "same-origin"}
    assert (True in cookies) == (origin in (SIBLING, OTHER_PORT)), "the cookies go along where the site is the same"
    assert state(ada, served, library) == before


def test_a_cookie_that_a_sibling_sets_is_nobody_s(ada: Reader, served: Served, library: Path) -> None:
    given = httpx.post(f"{served.address}/login", data=BOB).headers.get_list("set-cookie")
    stolen = [cookie.split(";")[0] for cookie in given]
    assert httpx.get(f"{served.address}/config", headers={"cookie": "; ".join(stolen)}).status_code == 200
    before = state(ada, served, library)
    page = somebody_else(ada, SIBLING)
    for cookie in stolen:
        for name in (cookie, cookie.removeprefix("__Host-"), f"\u2000{cookie}"):
            for path in ("/", "/vouch", "/vouch/"):
                page.evaluate(
                    "(cookie) => { document.cookie = cookie; }", f"{name}; Domain=example.test; Path={path}; Secure"
                )
    assert page.evaluate("document.cookie"), "a sibling can set cookies for the domain"
    page.close()
    assert state(ada, served, library) == before, "the session is ada's, and not bob's"
    ada.context.clear_cookies(domain=".example.test")

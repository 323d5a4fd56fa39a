"""The border, over real HTTP: what another site or another port asks is refused, on every kind of route."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.ui.forked import Served
from tests.ui.served_page import accounts_in, serving

pytestmark = [pytest.mark.slow, pytest.mark.gate]
OUTSIDE = "https://docs.example"
ROUTES = [  # one of each kind: the page, data, the queue and its events, uploads, logging in and out, the plain API
    ("GET", "/config"), ("GET", "/gradio_api/info"), ("GET", "/gradio_api/heartbeat/abc"),
    ("GET", "/gradio_api/queue/data?session_hash=a"), ("POST", "/gradio_api/queue/join"),
    ("POST", "/gradio_api/upload"), ("POST", "/login"), ("POST", "/logout"), ("GET", "/api/v1"),
    ("POST", "/api/v1/collections/made-up/ask"), ("GET", "/vouch/page/made-up/0123456789abcdef/1.webp"),
    ("OPTIONS", "/gradio_api/queue/join"),
]  # fmt: skip


@pytest.fixture
def local(served: Served) -> Served:
    """A page on loopback."""
    return served


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page with accounts behind a proxy that speaks TLS, which names it by its own address."""
    folder = tmp_path_factory.mktemp("proxied")
    with serving(folder, folder / "home", accounts=accounts_in(folder), root_path=OUTSIDE) as page:
        yield page


@pytest.fixture(scope="module")
def open_to_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page that others in the network may reach."""
    folder = tmp_path_factory.mktemp("open")
    with serving(folder, folder / "home", host="0.0.0.0") as page:
        yield page


def asked(page: Served, method: str, path: str, **headers: str) -> int:
    """The status of one request; an answer that never ends is as good as its beginning."""
    preflight = {"access-control-request-method": "POST"} if method == "OPTIONS" else {}
    named = {name.replace("_", "-"): value for name, value in headers.items()} | preflight
    with httpx.stream(method, page.address + path, headers=named, timeout=20) as answer:
        assert answer.headers.get("access-control-allow-origin") in (None, headers.get("origin", "")), path
        if answer.status_code == 403:
            assert "access-control-allow-origin" not in answer.headers
            assert "other sites" in "".join(answer.iter_text())
        return answer.status_code


def test_another_origin_gets_nothing_on_loopback(local: Served) -> None:
    ports = ("http://localhost:1", "http://127.0.0.1:1", "http://127.0.0.1")
    for origin in ("null", "http://evil.example", "https://", *ports):
        for method, path in ROUTES:
            assert asked(local, method, path, origin=origin) == 403, (origin, path)


def test_neither_a_sibling_nor_a_foreign_site_gets_anything_by_a_proxy(proxied: Served) -> None:
    siblings = ("https://wiki.docs.example", "https://docs.example:8443", "http://docs.example")
    for origin in ("null", "https://evil.example", *siblings):
        host = urlsplit(origin).netloc
        forged = {"x_forwarded_host": host, "x_forwarded_proto": "https", "forwarded": f"host={origin}"}
        for method, path in ROUTES:
            assert asked(proxied, method, path, host="docs.example", origin=origin) == 403, (origin, path)
            assert asked(proxied, method, path, host="docs.example", origin=origin, **forged) == 403, (origin, path)


def test_what_a_browser_says_another_site_asks_is_refused_without_an_origin_too(local: Served) -> None:
    for site in ("cross-site", "same-site", "nonsense"):
        said = {"sec_fetch_site": site, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
        for method, path in ROUTES:
            assert asked(local, method, path, **said) == 403, (site, path)


def test_our_own_page_and_programs_are_let_in(local: Served, proxied: Served, open_to_all: Served) -> None:
    assert asked(local, "GET", "/config") == 200
    assert asked(local, "GET", "/config", origin=local.address, sec_fetch_site="same-origin") == 200
    assert asked(local, "GET", "/api/v1", sec_fetch_mode="cors") == 200
    assert asked(local, "GET", "/", sec_fetch_site="none") == 200
    assert (
        asked(
            open_to_all,
            "GET",
            "/config",
            origin=open_to_all.address.replace("localhost", "127.0.0.1"),
            host=urlsplit(open_to_all.address).netloc.replace("localhost", "127.0.0.1"),
        )
        == 200
    )
    own = {"origin": OUTSIDE, "sec_fetch_site": "same-origin"}
    assert asked(proxied, "GET", "/config", host="docs.example", **own) == 401
    assert asked(proxied, "GET", "/config", **own) == 401, "the proxy may name us as it does itself"


def test_a_link_leads_to_the_page_and_no_frame_does(local: Served) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert asked(local, "GET", "/", sec_fetch_dest="document", **link) == 200
    assert asked(local, "GET", "/", sec_fetch_dest="iframe", **link) == 403
    assert asked(local, "POST", "/", sec_fetch_dest="document", **link) == 403
    assert asked(local, "GET", "/", sec_fetch_site="cross-site", sec_fetch_mode="no-cors") == 403


def test_no_domain_that_is_pointed_here_is_answered(local: Served, proxied: Served, open_to_all: Served) -> None:
    for host in ("evil.example", "evil.example:7860", "127.0.0.1.evil.example", ""):
        for page in (local, proxied, open_to_all):
            assert asked(page, "GET", "/config", host=host, origin=f"http://{host}") == 403, host
            assert asked(page, "GET", "/config", host=host) == 403, host
        assert asked(local, "GET", "/", host=host) == 403, host
    assert [asked(local, "GET", "/", host=host) for host in ("localhost", "[::1]:80")] == [200, 200]


def test_a_web_socket_is_not_opened(local: Served) -> None:
    handshake = {"upgrade": "websocket", "connection": "Upgrade", "sec_websocket_version": "13"}
    said = {"origin": "http://evil.example", "sec_websocket_key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert asked(local, "GET", "/gradio_api/queue/join", **handshake, **said) == 403


ADA = {"username": "ada", "password": "correct horse"}
BOB = {"username": "bob", "password": "battery staple"}


def logged_in(page: Served, account: dict[str, str] = ADA, **headers: str) -> tuple[httpx.Client, list[str]]:
    """A program that has logged in, and the cookies that it was given."""
    client = httpx.Client(base_url=page.address, headers=headers)
    said = client.post("/login", data=account)
    assert said.status_code == 200
    given = said.headers.get_list("set-cookie") + client.get("/").headers.get_list("set-cookie")
    assert len(given) == 2  # the session, by two names: an account needs no name of its browser
    client.cookies.clear()
    client.headers["cookie"] = "; ".join(cookie.split(";")[0] for cookie in given)
    return client, given


def test_cookies_go_by_tls_to_us_alone(proxied: Served) -> None:
    client, given = logged_in(proxied, host="docs.example")
    with closing(client):
        for cookie in given:
            attributes = [part.strip().lower() for part in cookie.split(";")[1:]]
            assert {"secure", "httponly", "samesite=lax"} <= set(attributes), cookie
            assert sum(part.startswith("samesite") for part in attributes) == 1, cookie
            assert cookie.startswith("__Host-"), "or a browser would take it from a sibling too"
            assert "path=/" in attributes, "or a browser would not take it from us"
            assert not any(part.startswith("domain") for part in attributes), cookie


def test_by_tls_a_cookie_without_the_mark_of_this_host_is_not_read(proxied: Served) -> None:
    client, _ = logged_in(proxied)
    other, _ = logged_in(proxied, account=BOB)
    with closing(client), closing(other):
        own, tossed = client.headers["cookie"], other.headers["cookie"].replace("__Host-", "")
        for planted in ("", "\x85", "\xa0", "__host-", "x__Host-"):
            cookie = "; ".join(planted + part for part in tossed.split("; "))
            for sent, who in ((cookie, None), (f"{own}; {cookie}", "ada"), (f"{cookie}; {own}", "ada")):
                said = httpx.get(f"{proxied.address}/gradio_api/user", headers=[(b"cookie", sent.encode("latin-1"))])
                assert said.json() == who, repr(planted)


def test_cookies_without_tls_are_kept_from_others_too(with_accounts: Served) -> None:
    client, given = logged_in(with_accounts)
    with closing(client):
        for cookie in given:
            attributes = [part.strip().lower() for part in cookie.split(";")[1:]]
            assert {"httponly", "samesite=lax"} <= set(attributes), cookie
            assert "secure" not in attributes, cookie


def test_a_link_logs_nobody_out_and_the_page_does(proxied: Served) -> None:
    client, _ = logged_in(proxied)
    other, _ = logged_in(proxied)
    with closing(client), closing(other):
        assert client.get("/logout").status_code == 405
        assert client.head("/logout").status_code == 405
        assert client.get("/config").status_code == 200
        assert "data-logout" in client.get("/config").text
        assert client.post("/logout", headers={"origin": OUTSIDE}).status_code == 204
        assert client.get("/config").status_code == 401
        assert other.get("/config").status_code == 200


def test_a_login_ends_when_it_is_not_used(tmp_path: Path) -> None:
    state = accounts_in(tmp_path)
    with serving(tmp_path, tmp_path / "home", accounts=state) as page:
        client, _ = logged_in(page)
        with closing(client), closing(sqlite3.connect(state)) as database:
            assert client.get("/config").status_code == 200
            with database:
                database.execute("UPDATE sessions SET used_at = '2026-01-01T00:00:00+00:00'")
            assert client.get("/config").status_code == 401


def test_a_fault_while_a_person_is_identified_is_a_problem_to_programs(tmp_path: Path) -> None:
    state = accounts_in(tmp_path)
    with serving(tmp_path, tmp_path / "home", accounts=state) as page:
        client, _ = logged_in(page)
        with closing(client), closing(sqlite3.connect(state)) as database:
            with database:
                database.execute("ALTER TABLE sessions RENAME TO lost")
            client.headers["connection"] = "close"  # the server ends it in any case
            said, shown = client.get("/api/v1/collections"), client.get("/config")
    assert (said.status_code, said.headers["content-type"]) == (500, "application/problem+json")
    assert said.json()["next"].startswith("tell whoever runs the server")
    assert (shown.status_code, shown.text) == (500, "something unexpected went wrong")

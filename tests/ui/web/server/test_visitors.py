"""Visitors are known by a cookie, and addresses and origins as they are."""

from typing import Any

import pytest

from tests.ui.asgi import request
from ui.access import Access
from ui.errors import AddressError
from ui.web.server.origin_check import ServerAddress
from ui.web.server.route_filter import Receive, Scope, Send, counted_as, is_own
from ui.web.server.visitors import COOKIE, Visitors, may_see, visitor
from ui.web.signatures import Signatures

SIGNATURES = Signatures(b"k" * 32)


def seen(path: str = "/", cookie: str = "", **more: Any) -> tuple[str, list[str]]:
    """Whose request it is, and the cookies that the response brings."""
    who: list[str] = []

    async def page(scope: Scope, _receive: Receive, send: Send) -> None:
        who.append(visitor(scope))
        assert may_see(scope)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"1")]})
        await send({"type": "http.response.body", "body": b"hello"})

    headers = [(b"cookie", cookie.encode("latin-1"))] if cookie else []
    reply = request(Visitors(page, SIGNATURES, Access()), path, headers=headers, **more)
    return who[0], [v.decode() for k, v in reply.raw_headers if k == b"set-cookie"]


def cookies(path: str = "/", cookie: str = "", **more: Any) -> list[str]:
    return seen(path, cookie, **more)[1]


def given() -> str:
    """A cookie that the server gave, as a browser sends it back."""
    return cookies()[0].split(";")[0]


def test_a_browser_gets_a_name_that_scripts_and_other_sites_cannot_use() -> None:
    (cookie,) = cookies()
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie
    assert "Secure" in cookies(scheme="https")[0]


@pytest.mark.parametrize(
    "value",
    [
        "", "short", "../../../../../etc/passwd" + "_" * 7, "a" * 32, "a" * 33, f"{'a' * 32}.{'0' * 32}", '"<b>"',
        "a\xffb",
    ],
)  # fmt: skip
def test_a_made_up_name_is_nobody_and_a_fresh_one_is_given(value: str) -> None:
    """A name that somebody else chose, and planted, would be known to them: S6."""
    who, fresh = seen(cookie=f"{COOKIE}={value}")
    assert who == ""
    assert len(fresh) == 1


def test_a_name_that_another_server_gave_is_nobody() -> None:
    name = given().partition("=")[2].partition(".")[0]
    foreign = Signatures(b"x" * 32).of(COOKIE, name)
    assert seen(cookie=f"{COOKIE}={name}.{foreign}")[0] == ""


def test_who_is_not_known_sees_nothing() -> None:
    assert not may_see({"type": "http"})


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("10.0.0.1", "10.0.0.1"), ("2001:db8::1", "2001:db8::/64"), ("2001:db8::ffff:1:2:3%eth0", "2001:db8::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"), ("", ""), ("x" * 100, "x" * 64),
    ],
)  # fmt: skip
def test_an_address_is_counted_as_what_one_machine_has(host: str, counted: str) -> None:
    assert counted_as(host) == counted
    assert is_own(counted_as("::1"))
    assert not is_own(counted_as("2001:db8::1"))


@pytest.mark.parametrize(
    ("root_path", "origin"),
    [
        ("", ""), ("/vouch", ""), ("https://docs.example/vouch", "https://docs.example"),
        ("https://Docs.example:443", "https://docs.example"),
        ("https://docs.example:8443/", "https://docs.example:8443"), ("http://[::1]:80/vouch", "http://[::1]"),
    ],
)  # fmt: skip
def test_the_origin_is_the_one_that_a_browser_would_say(root_path: str, origin: str) -> None:
    assert ServerAddress(root_path=root_path).origin == origin


@pytest.mark.parametrize(
    "path",
    [
        "https://docs.example:x", "https://docs.example:99999", "https://[::1", "vouch", "/a b",
        "javascript:alert(1)", "/x?y", "//evil.example",
    ],
)  # fmt: skip
def test_an_odd_root_path_is_refused(path: str) -> None:
    with pytest.raises(AddressError, match="--root-path"):
        ServerAddress(root_path=path)

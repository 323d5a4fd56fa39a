"""Visitors: a browser gets one signed name and keeps it, and a made-up one is nobody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.asgi import request
from ui.access import Access
from ui.web.server.guard import Receive, Scope, Send
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
        "",
        "short",
        "../../../../../etc/passwd" + "_" * 7,
        "a" * 32,
        "a" * 33,
        f"{'a' * 32}.{'0' * 32}",
        '"<b>"',
        "a\xffb",
    ],
)
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

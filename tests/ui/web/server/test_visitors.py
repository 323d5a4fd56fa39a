"""Visitors: a browser gets one name, keeps it, and cannot make one up that we would take for ours."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ui.web.server.guard import Message, Receive, Scope, Send
from ui.web.server.visitors import COOKIE, Visitors, visitor


async def page(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"1")]})
    await send({"type": "http.response.body", "body": b"hello"})


def cookies(path: str = "/", cookie: str = "", **more: Any) -> list[str]:
    """The cookies that a response brings."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    headers = [(b"cookie", cookie.encode())] if cookie else []
    asyncio.run(Visitors(page)({"type": "http", "path": path, "headers": headers, **more}, receive, send))
    return [v.decode() for k, v in sent[0]["headers"] if k == b"set-cookie"]


def named(cookie: str) -> str:
    return visitor([(b"host", b"x"), (b"cookie", cookie.encode("latin-1"))])


def test_a_browser_gets_a_name_that_scripts_and_other_sites_cannot_use() -> None:
    (cookie,) = cookies()
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie
    assert "Secure" in cookies(scheme="https")[0]


def test_the_name_is_kept() -> None:
    (cookie,) = cookies()
    pair = cookie.split(";")[0]
    assert len(named(pair)) == 32
    assert cookies(cookie=pair) == []


def test_two_browsers_have_two_names() -> None:
    assert cookies()[0] != cookies()[0]


def test_only_the_page_itself_names_anybody() -> None:
    assert cookies("/gradio_api/queue/join") == []


def test_a_proxy_may_serve_the_page_below_a_path() -> None:
    assert cookies("/vouch/", root_path="/vouch") != []


@pytest.mark.parametrize("value", ["", "short", "../../../../../etc/passwd" + "_" * 7, "a" * 33, '"<b>"', "a\xffb"])
def test_a_made_up_name_is_nobody(value: str) -> None:
    assert named(f"{COOKIE}={value}") == ""

"""The border of the page: each request is checked before Gradio sees it, and each cookie as it leaves.

Gradio itself allows other origins, with cookies: every one where the Host is not loopback, and on loopback every port.
"""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from ipaddress import ip_address

from starlette.applications import Starlette

from ui.web.server.access import ServerAddress
from ui.web.server.guard import SHARED, App, Message, Receive, Scope, Send, refuse, route

_FOREIGN = (
    "This page rejects requests from other sites. If this is its own address, name it when you start the page: "
    "vouch serve --root-path https://NAME/PATH"
)
_NOT_KEPT = re.compile(r"(?:httponly|secure|(?:samesite|path|domain)=.*)", re.IGNORECASE)
"""The attributes of a cookie that are set here, whatever they were."""
_LINKED = ("/", "/join", "/sso/callback")
"""The addresses that a link elsewhere may lead to: the page, an invitation, the way back from single sign-on."""
_KEPT = b"; Path=/; HttpOnly; SameSite=Lax"
_BY_THIS_HOST = b"__Host-"
"""The beginning of a cookie's name by TLS: a browser takes such a cookie from this host alone, and from no sibling that
sets one for the whole domain, which would put a person into somebody else's session."""


class Border:
    """The ASGI middleware around all of Gradio that answers 403 to what another site, or a page on another port, asks.

    Programs say neither Origin nor Sec-Fetch-Site, and are let in; a browser cannot leave them out for a site, nor can
    a site forge them or the Host.
    """

    _app: App

    def __init__(self, server_address: ServerAddress) -> None:
        """Keep the names and the origin of `server_address`."""
        self._address = server_address
        self._origin = server_address.origin
        self._names = frozenset((*server_address.hosts, *(() if server_address.local else _of_this_machine())))

    def enclose(self, app: Starlette) -> None:
        """Stand in front of all of `app`, the middleware too that it was given by others, before it takes a request."""
        self._app = app.middleware_stack or app.build_middleware_stack()
        app.middleware_stack = self

    def name_origin(self, address: str) -> None:
        """Take the public address that Gradio's servers gave to a shared page for our own."""
        self._origin = ServerAddress(root_path=address).origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, with its cookies kept from other sites, or answer 403."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if self._is_ours(scope):
            tls = self._origin.startswith("https:") or scope.get("scheme") == "https"
            prefix, attributes = (_BY_THIS_HOST, _KEPT + b"; Secure") if tls else (b"", _KEPT)
            await self._app(_with_own_cookies(scope, prefix), receive, _keeping_cookies(send, prefix, attributes))
        elif scope["type"] == "http":
            await refuse(scope, send, 403, _FOREIGN)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _is_ours(self, scope: Scope) -> bool:
        """Return True for a request of a program, of our own page, or of a person who follows a link to the page."""
        host = _all(scope, b"host")
        origin = _all(scope, b"origin")
        if len(host) != 1 or len(origin) > 1 or not self._is_called(host[0]):
            return False
        if origin and origin[0] != (self._origin or f"http://{host[0]}".lower()):
            return False
        site = _all(scope, b"sec-fetch-site")
        return all(value in ("same-origin", "none") for value in site) or _follows_a_link(scope)

    def _is_called(self, host: str) -> bool:
        """Return True when a Host header names this server; an IP address is no name that a site could point here."""
        name = re.sub(r":\d+$", "", host).lower()
        if self._address.share:  # how Gradio's servers call us is theirs to choose
            return bool(name)
        name = name.strip("[]")
        return name in self._names or (not self._address.local and _is_number(name))


def _all(scope: Scope, wanted: bytes) -> list[str]:
    """Return the values of all headers of one name."""
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]


def _follows_a_link(scope: Scope) -> bool:
    """Return True when a person comes to the page, or a shared answer, by a link, in a window of its own."""
    mode, kind = _all(scope, b"sec-fetch-mode"), _all(scope, b"sec-fetch-dest")
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and (route(scope) in _LINKED or route(scope).startswith(SHARED))
        and mode == ["navigate"]
        and kind == ["document"]
    )


def _of_this_machine() -> tuple[str, ...]:
    """Return the names by which others in the same network may call this machine."""
    name = socket.gethostname().lower()
    return (name, f"{name}.local")


def _is_number(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


def _with_own_cookies(scope: Scope, prefix: bytes) -> Scope:
    """Return the scope with the cookies alone whose names begin with `prefix`, and without it."""
    headers = []
    for name, value in scope["headers"]:
        if name == b"cookie":
            parts = (part.strip(b" ") for part in value.split(b";"))
            own = b"; ".join(part[len(prefix) :] for part in parts if part.startswith(prefix))
            headers += [(name, own)] if own else []
        else:
            headers.append((name, value))
    return {**scope, "headers": headers}


def _keeping_cookies(send: Send, prefix: bytes, attributes: bytes) -> Send:
    """Return a `send` whose cookies have `prefix` before their names, and these attributes."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, prefix + _without_attributes(value) + attributes if name.lower() == b"set-cookie" else value)
                for name, value in message.get("headers", [])
            ]
        await send(message)

    return sending


def _without_attributes(cookie: bytes) -> bytes:
    parts = (part.strip() for part in cookie.decode("latin-1").split(";"))
    return "; ".join(part for part in parts if not _NOT_KEPT.fullmatch(part)).encode("latin-1")

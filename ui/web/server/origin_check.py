"""The address of the page, its host names, and the origin check of each request before Gradio sees it.

Gradio itself allows other origins, with cookies: every one where the Host is not loopback, and on loopback every port.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx
from starlette.applications import Starlette

from ui.errors import AddressError
from ui.web.server.route_filter import SHARED, App, Message, Receive, Scope, Send, refuse, route

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address to listen at, and its options.

    With `accounts` people have to log in. `root_path` is the path, or the whole address, at which a proxy in front of
    the page serves it; `share` asks Gradio's servers for a public address; `mcp` offers the tools to language models,
    who come by tokens where there are accounts.
    """

    host: str = LOOPBACK[0]
    port: int = 7860
    accounts: bool = False
    root_path: str = ""
    share: bool = False
    mcp: bool = False

    def __post_init__(self) -> None:
        """Raise AddressError for options that cannot work, or that are unsafe together."""
        if self.root_path and not re.fullmatch(r"(?:https?://[\w.:\[\]-]+)?(?:/[\w.~-]+)*/?", self.root_path):
            raise AddressError(f"--root-path {self.root_path!r}: give a path such as /vouch, or an address with one")
        try:
            _ = self.origin
        except ValueError:
            raise AddressError(f"--root-path {self.root_path!r}: that is not the address of a server") from None
        if self.share and not self.accounts:
            raise AddressError("--share puts the page on the internet: say who may use it with --accounts")
        if self.mcp and find_spec("mcp") is None:
            raise AddressError("--mcp needs a package that is not installed: pip install 'vouch[mcp]'")

    @property
    def local(self) -> bool:
        """True if only this machine can reach the page."""
        return self.host in LOOPBACK and not self.share

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host names that requests may use, without port; others are refused, which prevents DNS rebinding.

        If others can reach the page, `OriginCheck` also accepts IP addresses and the names of the machine.
        """
        outside = urlsplit(self.root_path).hostname
        return (*dict.fromkeys((*LOOPBACK, self.host.strip("[]").lower(), *([outside] if outside else []))),)

    @property
    def origin(self) -> str:
        """The origin of the page in browsers ("https://docs.example"), if `--root-path` is a full address; else "".

        Raises ValueError for an invalid port.
        """
        parts = urlsplit(self.root_path)
        if not parts.hostname:
            return ""
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        usual = {"http": 80, "https": 443}[parts.scheme]
        return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port not in (None, usual) else "")

    @property
    def warning(self) -> str:
        """The warning to print when the page is started, that everybody can change collections; "" if it is safe."""
        if self.host in LOOPBACK or self.accounts:
            return ""
        return (
            f"vouch: anybody who reaches {self.host} can read and change these collections: add --accounts, or leave "
            "out --host"
        )


@contextmanager
def explain_start_failure(address: ServerAddress) -> Iterator[None]:
    """Add advice to the errors of a start: the port is not free, or Gradio's test request to the server failed."""
    try:
        yield
    except httpx.TransportError as error:
        raise AddressError(
            f"the page cannot be reached from this machine itself ({error}): check that /etc/hosts has 127.0.0.1 "
            "localhost, and that no proxy is used (no_proxy=localhost,127.0.0.1)"
        ) from error
    except OSError as error:
        raise OSError(
            f"cannot listen on {address.host}, port {address.port}: another program may have it; try --port"
        ) from error


_FOREIGN = (
    "This page rejects requests from other sites. If this is its own address, name it when you start the page: "
    "vouch serve --root-path https://NAME/PATH"
)
_REPLACED_ATTRIBUTES = re.compile(r"(?:httponly|secure|(?:samesite|path|domain)=.*)", re.IGNORECASE)
"""The attributes of a cookie that are set here, whatever they were."""
_LINKED = ("/", "/join", "/sso/callback")
"""The addresses that a link elsewhere may lead to: the page, an invitation, the way back from single sign-on."""
_ATTRIBUTES = b"; Path=/; HttpOnly; SameSite=Lax"
_HOST_PREFIX = b"__Host-"
"""The beginning of a cookie's name by TLS: a browser takes such a cookie from this host alone, and from no sibling that
sets one for the whole domain, which would put a person into somebody else's session."""


class OriginCheck:
    """The ASGI middleware around all of Gradio that answers 403 to requests from another site, or another port.

    Programs send neither Origin nor Sec-Fetch-Site, and are let in; browsers always send them for a site, and a site
    cannot forge them or the Host.
    """

    _app: App

    def __init__(self, server_address: ServerAddress) -> None:
        """Keep the names and the origin of `server_address`."""
        self._address = server_address
        self._origin = server_address.origin
        self._names = frozenset((*server_address.hosts, *(() if server_address.local else _machine_names())))

    def wrap(self, app: Starlette) -> None:
        """Make this the outermost middleware of `app`, which must not have taken a request yet."""
        self._app = app.middleware_stack or app.build_middleware_stack()
        app.middleware_stack = self

    def name_origin(self, address: str) -> None:
        """Set the origin to the public address that Gradio's servers gave to a shared page."""
        self._origin = ServerAddress(root_path=address).origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, its cookies restricted to this site, or answer 403 (close code 1008)."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if self._is_allowed(scope):
            tls = self._origin.startswith("https:") or scope.get("scheme") == "https"
            prefix, attributes = (_HOST_PREFIX, _ATTRIBUTES + b"; Secure") if tls else (b"", _ATTRIBUTES)
            await self._app(_with_own_cookies(scope, prefix), receive, _protect_cookies(send, prefix, attributes))
        elif scope["type"] == "http":
            await refuse(scope, send, 403, _FOREIGN)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _is_allowed(self, scope: Scope) -> bool:
        """Return True for a request of a program, of this page, or of a person who follows a link to it."""
        host = _header_values(scope, b"host")
        origin = _header_values(scope, b"origin")
        if len(host) != 1 or len(origin) > 1 or not self._is_own_host(host[0]):
            return False
        if origin and origin[0] != (self._origin or f"http://{host[0]}".lower()):
            return False
        site = _header_values(scope, b"sec-fetch-site")
        return all(value in ("same-origin", "none") for value in site) or _follows_a_link(scope)

    def _is_own_host(self, host: str) -> bool:
        """Return True if a Host header names this server; if it is public, so does an IP address: DNS forges none."""
        name = re.sub(r":\d+$", "", host).lower()
        if self._address.share:  # how Gradio's servers call us is theirs to choose
            return bool(name)
        name = name.strip("[]")
        return name in self._names or (not self._address.local and _is_ip_address(name))


def _header_values(scope: Scope, header: bytes) -> list[str]:
    """Return the values of all headers of one name."""
    return [value.decode("latin-1") for name, value in scope["headers"] if name == header]


def _follows_a_link(scope: Scope) -> bool:
    """Return True for a browser that opens the page, or a shared answer, by a link, and not in a frame."""
    mode, kind = _header_values(scope, b"sec-fetch-mode"), _header_values(scope, b"sec-fetch-dest")
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and (route(scope) in _LINKED or route(scope).startswith(SHARED))
        and mode == ["navigate"]
        and kind == ["document"]
    )


def _machine_names() -> tuple[str, ...]:
    """Return the names by which others in the same network can reach this machine."""
    name = socket.gethostname().lower()
    return (name, f"{name}.local")


def _is_ip_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


def _with_own_cookies(scope: Scope, prefix: bytes) -> Scope:
    """Return the scope with only the cookies whose names begin with `prefix`, which is removed."""
    headers = []
    for name, value in scope["headers"]:
        if name == b"cookie":
            parts = (part.strip(b" ") for part in value.split(b";"))
            own = b"; ".join(part[len(prefix) :] for part in parts if part.startswith(prefix))
            headers += [(name, own)] if own else []
        else:
            headers.append((name, value))
    return {**scope, "headers": headers}


def _protect_cookies(send: Send, prefix: bytes, attributes: bytes) -> Send:
    """Return a `send` that puts `prefix` before the names of cookies, and replaces their attributes."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, prefix + _without_attributes(value) + attributes if name.lower() == b"set-cookie" else value)
                for name, value in message.get("headers", [])
            ]
        await send(message)

    return sending


def _without_attributes(cookie: bytes) -> bytes:
    """Return a Set-Cookie value without the attributes that `_protect_cookies` adds itself."""
    parts = (part.strip() for part in cookie.decode("latin-1").split(";"))
    return "; ".join(part for part in parts if not _REPLACED_ATTRIBUTES.fullmatch(part)).encode("latin-1")

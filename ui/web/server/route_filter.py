"""The guard of the page that `vouch serve` shows: a list of allowed requests, and of content that a browser may load.

Gradio serves routes that Vouch does not need: files from its cache, a proxy, a fetch of any address (`file=http://...`).
None of them is reachable here. The response headers keep the browser from loading anything from another host. Here is
also what all middleware shares: refusals, bodies, and the addresses that requests come from and go to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_ALLOWED = re.compile(
    r"/(?:|health|ready|metrics|config/?|theme\.css|favicon\.ico|manifest\.json|robots\.txt|login/?|join/?|account/?|sso/(?:login|callback)|logout|(?:assets|static|svelte)/[\w./@-]+"
    r"|vouch/(?:page|heat)/[\w.-]+/[\w.-]+/[0-9]+\.(?:webp|svg)|vouch/export/[0-9a-f]+/[a-z]+|vouch/answer/[\w-]+|vouch/paper/[0-9a-f]+/[0-9]+\.webp"
    r"|gradio_api/(?:app_id|cancel|heartbeat/\w+|info/?|queue/(?:join|data)|reset/?|startup-events|theme\.css"
    r"|upload|upload_progress|user/?|login_check/?))"
)
MCP = re.compile(r"/mcp/?|/gradio_api/mcp(?:/(?:http/?)?)?")
"""The addresses of the tools for language models: /mcp, and where Gradio served them before."""
METADATA = re.compile(r"/\.well-known/oauth-protected-resource(?:/mcp)?")
"""The addresses at which a client learns how to come in there (RFC 9728)."""
REST = "/api/v1"
"""The beginning of the addresses of the API, which answers each of them itself, and passes none on."""
PROBLEM = "application/problem+json"
_OWN = re.compile(r"/vouch/(?:page|heat|export|paper|answer)/")
"""Our own routes, which begin as `--root-path /vouch` does: a proxy that takes that off asks for them so."""
SHARED = "/vouch/answer/"
"""The beginning of the addresses of shared answers, to which links may lead from anywhere."""
UPLOAD = "/gradio_api/upload"
JOIN = "/gradio_api/queue/join"
"""The address at which an event of the page enters Gradio's queue."""
_HASHED = re.compile(r"/(?:assets|svelte)/[\w./@-]+-[\w-]{8}\.(?:js|css|woff2?)")
"""The pattern of Gradio's own files with the hash of their content in their name: they never change."""
_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        # Gradio's own front end is started by inline scripts and compiles its templates.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'; worker-src 'self' blob:; connect-src 'self'; "
        "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with "no-referrer" browsers send our own forms with the origin null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_PHRASES = {499: "Request taken back"}
_NEXT = {
    403: "send it from this site, or name the address when you start the page",
    408: "send it again over a faster connection",
    413: "send less, or try again later",
    429: "wait for an answer, or stop one, then try again",
    500: "tell whoever runs the server; its log has the details",
    503: "try again in a minute",
}
_NOT_SERVED = {
    "error": "This page does not serve that.",
    "next": "programs begin at GET /api/v1, which leads to its description; the page for people is at /",
    "docs": "docs/api.md of Vouch",
}


class RouteFilter:
    """The ASGI middleware that answers 403 to every request not on the list."""

    def __init__(self, app: App, mcp: bool = False) -> None:
        """Keep `app`. With `mcp`, the tools for language models may be reached too."""
        self._app = app
        self._mcp = mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if its path is on the list, else answer 403."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        path = route(scope)
        if not self._is_listed(path):
            await JSONResponse(_NOT_SERVED, 403)(scope, receive, _with_headers(send, path))
        else:
            await self._app(scope, receive, _with_headers(send, path))

    def _is_listed(self, path: str) -> bool:
        """Return True for a path of the API, or one that the page needs and that has no `..`."""
        return is_rest(path) or (".." not in path and self._is_of_the_page(path))

    def _is_of_the_page(self, path: str) -> bool:
        of_tools = self._mcp and (MCP.fullmatch(path) or METADATA.fullmatch(path))
        return bool(_ALLOWED.fullmatch(path) or of_tools)


def is_rest(path: str) -> bool:
    """Return True for an address of the API."""
    return path == REST or path.startswith(f"{REST}/")


def route(scope: Scope) -> str:
    """Return the path of a request without the root path at which a proxy serves the page (`--root-path`)."""
    path, root = str(scope["path"]), str(scope.get("root_path", "")).rstrip("/")
    has_root = root and path.startswith(f"{root}/") and not _OWN.match(path)
    return path[len(root) :] if has_root else path


def _with_headers(send: Send, path: str) -> Send:
    """Return a `send` that adds our security headers to the response to `path`, and says whether it may be cached."""
    ours = dict(_HEADERS)
    if path.startswith("/vouch/") or is_rest(
        path
    ):  # images and files: nothing in them may run or load, should they be opened alone
        ours["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
    if _HASHED.fullmatch(path):
        ours["cache-control"] = "private, max-age=31536000, immutable"
    elif not (path.startswith("/vouch/") or is_rest(path)):  # which say themselves what may be kept
        ours["cache-control"] = "no-store"

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            other_headers = [(k, v) for k, v in message.get("headers", []) if k.decode("latin-1").lower() not in ours]
            message["headers"] = other_headers + [(k.encode(), v.encode()) for k, v in ours.items()]
        await send(message)

    return sending


async def refuse(scope: Scope, send: Send, status: int, reason: str, *, as_json: bool = False, wait: int = 5) -> None:
    """Send a refusal that quotes nothing of the request: to programs of the API as a problem, else as text.

    With `as_json` it is JSON, which Gradio's scripts read; `wait` is the Retry-After of 429 and 503 in seconds.
    """
    kind, body = "text/plain; charset=utf-8", reason.encode()
    if is_rest(route(scope)):
        kind, body = PROBLEM, problem(status, reason, _NEXT.get(status, "correct the request as the detail says"))
    elif as_json:
        kind, body = "application/json", json.dumps({"detail": reason, "error": reason}).encode()
    headers = [
        (b"content-type", kind.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
    ]
    headers += [(b"retry-after", str(wait).encode())] if status in (429, 503) else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def answer_fault(_request: Request, _error: Exception) -> App:
    """Return the response to a request that raised an unexpected exception: 500; the log has the exception."""

    async def answer(scope: Scope, _receive: Receive, send: Send) -> None:
        await refuse(scope, send, 500, "something unexpected went wrong")

    return answer


def problem(status: int, detail: str, then: str, kind: str = "", faults: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return a refusal as problem+json (RFC 9457); `then` is the next step, `faults` are (field, message)."""
    phrase = _PHRASES.get(status) or HTTPStatus(status).phrase
    values: dict[str, Any] = {
        "type": f"urn:vouch:problem:{kind or phrase.lower().replace(' ', '-')}",
        "title": (kind or phrase.lower()).replace("-", " ").capitalize(),
        "status": status,
        "detail": detail,
        "next": then,
    }
    if faults:
        values["errors"] = [{"at": at, "says": says} for at, says in faults]
    return json.dumps(values).encode()


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns a body which was read already, then the disconnect."""
    returned = False

    async def again() -> Message:
        nonlocal returned
        if not returned:
            returned = True
            return {"type": "http.request", "body": body, "more_body": False}
        while (message := await receive())["type"] == "http.request":  # what nobody reads
            continue
        return message

    return again


async def read_body(receive: Receive) -> bytes:
    """Return the complete body of a request; `Bodies` has limited its length."""
    body, more = bytearray(), True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


def caller(scope: Scope) -> str:
    """Return the client's address as limits count it; behind a proxy on this machine, the one that the proxy names."""
    host, _ = scope.get("client") or ("", 0)
    return counted_as(str(host))


def counted_as(host: str) -> str:
    """Return the form in which limits count an address: an IPv4 address, or the /64 network of an IPv6 one."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network(f"{address}/64", strict=False))


def is_own(address: str) -> bool:
    """Return True if an address in the form of `counted_as` is of this machine, as that of a local proxy is."""
    return address in ("::/64", "") or address.startswith("127.")


def called_at(scope: Scope, origin: str = "") -> str:
    """Return the address of the page without a slash at its end; `origin` is that of `--root-path`.

    If that is "", the request names the origin, whose Host `OriginCheck` has checked.
    """
    root = str(scope.get("root_path", "")).rstrip("/")
    root = "/" + root.partition("://")[2].partition("/")[2] if "://" in root else root
    if not origin:
        url = Request(scope).url
        origin = f"{url.scheme}://{url.netloc}"
    return f"{origin}{root.rstrip('/')}"

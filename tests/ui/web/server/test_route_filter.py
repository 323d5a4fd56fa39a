"""The door: what is on the list comes in, everything else is told no."""

import pytest

from tests.ui.asgi import request
from ui.web.server.route_filter import Receive, RouteFilter, Scope, Send


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that sends back the body it was given."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"X-Frame", b"1"), (b"Referrer-Policy", b"x")]}
    )
    await send({"type": "http.response.body", "body": body or scope["path"].encode()})


def call(path: str, *, mcp: bool = False, root_path: str = "") -> tuple[int, dict[bytes, bytes], bytes]:
    """(status, headers, body) of one request through the guard."""
    reply = request(RouteFilter(echo, mcp=mcp), path, root_path=root_path)
    return reply.status, dict(reply.raw_headers), reply.body


@pytest.mark.parametrize(
    "path",
    [
        "/", "/config", "/theme.css", "/assets/index-Ab_1.js", "/static/js/a.min.js", "/gradio_api/queue/join",
        "/gradio_api/upload", "/gradio_api/heartbeat/abc123", "/gradio_api/queue/data",
    ],
)  # fmt: skip
def test_what_the_page_needs_comes_in(path: str) -> None:
    assert call(path)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd", "/gradio_api/file=http://169.254.169.254/", "/gradio_api/file/etc/passwd",
        "/gradio_api/proxy=https://x.hf.space/", "/monitoring", "/gradio_api/vibe-code/", "/gradio_api/deep_link",
        "/assets/../../etc/passwd", "/static/..", "/docs", "/openapi.json", "/gradio_api/run/predict",
        "//etc/passwd", "/gradio_api/call/x", "/gradio_api/process_recording", "/.env", "/\n", "/config\n",
    ],
)  # fmt: skip
def test_everything_else_is_refused(path: str) -> None:
    status, headers, body = call(path)
    assert (status, headers[b"x-content-type-options"]) == (403, b"nosniff")
    assert path.encode() not in body or path == "/\n"


def test_headers_keep_the_browser_at_home() -> None:
    _, headers, _ = call("/")
    assert b"default-src 'self'" in headers[b"content-security-policy"]
    assert headers[b"referrer-policy"] == b"same-origin"
    assert headers[b"X-Frame"] == b"1"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/vouch/page/samples/183ced397ef5d6ff/3.webp", 200), ("/vouch/heat/samples/183ced397ef5d6ff/3.svg", 200),
        ("/vouch/export/0123456789abcdef/json", 200), ("/vouch/page/samples/../3.webp", 403),
        ("/vouch/page/a/b/c/3.webp", 403), ("/vouch/page/samples/183ced397ef5d6ff/3.png", 403),
        ("/vouch/file/etc/passwd", 403),
    ],
)  # fmt: skip
def test_our_own_routes_are_on_the_list_and_nothing_beside_them(path: str, status: int) -> None:
    assert call(path)[0] == status


def test_only_files_that_never_change_are_kept() -> None:
    assert b"immutable" in call("/assets/index-Ab_1cdEf.js")[1][b"cache-control"]
    assert call("/assets/index.js")[1][b"cache-control"] == b"no-store"
    assert call("/config")[1][b"cache-control"] == b"no-store"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/.well-known/oauth-protected-resource/mcp"])
def test_the_tools_and_their_metadata_are_there_with_the_option_only(path: str) -> None:
    assert call(path)[0] == 403
    assert call(path, mcp=True)[0] == 200
    assert call(f"{path.rstrip('/')}/x", mcp=True)[0] == 403

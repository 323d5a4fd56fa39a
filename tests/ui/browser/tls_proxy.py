"""A proxy that ends TLS in front of a page, and other sites beside it, as names of one port of loopback.

`https://vouch.example.test/vouch/` is the page, with its path taken off as docs/app.md tells nginx to. Any other name
or port is a site of somebody else, whose pages are empty: a test writes the script. `/bounce?to=ADDRESS` there sends a
browser on with its method and body.
"""

import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

NAME = "vouch.example.test"
PATH = "/vouch"
ADDRESS = f"https://{NAME}{PATH}"
SIBLING, FOREIGN, OTHER_PORT = "https://evil.example.test", "https://foreign.test", f"https://{NAME}:8443"
_OF_ONE_HOP = {b"host", b"connection", b"keep-alive", b"transfer-encoding", b"x-forwarded-for", b"x-forwarded-proto"}
_SAY_WHO_ASKS = {b"origin", b"sec-fetch-site", b"referer"}
_METHODS = ["GET", "HEAD", "POST", "OPTIONS"]


@dataclass(frozen=True)
class Passed:
    """A request that reached the page, and the status of its answer."""

    method: str
    path: str
    site: str
    cookies: str
    status: int


@dataclass
class TlsProxy:
    """What stands in front of the page at `upstream`, and what it has `passed` on to it, the oldest first.

    With `blind`, the page is not told which site asks: it sees a program. `rules` map the names for Chromium.
    """

    upstream: str
    passed: list[Passed] = field(default_factory=list)
    blind: bool = False
    port: int = 0

    @property
    def rules(self) -> str:
        """What `--host-resolver-rules` has to say."""
        return f"MAP *.example.test 127.0.0.1:{self.port}, MAP foreign.test 127.0.0.1:{self.port}, MAP * ~NOTFOUND"

    async def answer(self, request: Request) -> Response:
        """The answer of the site that is asked."""
        if request.headers.get("host") == NAME:
            return await self._pass_on(request)
        if request.url.path == "/bounce":
            return RedirectResponse(request.query_params["to"], 307)
        return HTMLResponse("<!doctype html><title>somebody else</title>")

    async def _pass_on(self, request: Request) -> Response:
        left_out = _OF_ONE_HOP | (_SAY_WHO_ASKS if self.blind else set())
        headers = [(name, value) for name, value in request.headers.raw if name not in left_out]
        headers += [(b"host", NAME.encode()), (b"x-forwarded-for", b"127.0.0.9"), (b"x-forwarded-proto", b"https")]
        path = request.url.path.removeprefix(PATH) or "/"
        address = f"{self.upstream}{path}" + (f"?{request.url.query}" if request.url.query else "")
        client: httpx.AsyncClient = request.state.client
        sent = client.build_request(request.method, address, headers=headers, content=await request.body())
        got = await client.send(sent, stream=True)
        site, cookies = (request.headers.get(name, "") for name in ("sec-fetch-site", "cookie"))
        self.passed.append(Passed(request.method, path, site, cookies, got.status_code))
        reply = StreamingResponse(got.aiter_raw(), got.status_code, background=BackgroundTask(got.aclose))
        named = [(name.lower(), value) for name, value in got.headers.raw]
        reply.raw_headers = [(name, value) for name, value in named if name not in _OF_ONE_HOP]
        return reply


@asynccontextmanager
async def _connected(_: Starlette) -> AsyncIterator[dict[str, httpx.AsyncClient]]:
    """What every request finds in its state: the connections to the page."""
    no_limit = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    async with httpx.AsyncClient(timeout=None, trust_env=False, verify=False, limits=no_limit) as client:
        yield {"client": client}


class _Server(uvicorn.Server):
    """A server that tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()


@contextmanager
def tls_in_front_of(upstream: str, folder: Path) -> Iterator[TlsProxy]:
    """The proxy, while it runs; `folder` takes its certificate, which nobody trusts."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made_by = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={NAME} -keyout {key} -out {certificate}"
    subprocess.run(made_by.split(), check=True, capture_output=True)
    proxy = TlsProxy(upstream)
    app = Starlette(routes=[Route("/{path:path}", proxy.answer, methods=_METHODS)], lifespan=_connected)
    config = uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    config.ssl_keyfile, config.ssl_certfile = key, certificate
    server = _Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        proxy.port = listening.getsockname()[1]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            assert server.listens.wait(30), "the proxy does not come up"
            yield proxy
        finally:
            server.should_exit = True
            thread.join()

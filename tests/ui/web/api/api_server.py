"""The API as `vouch serve` puts it together, but without Gradio's page: a real server on loopback, in a thread."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import uvicorn
from starlette.applications import Starlette

from rag import Profile
from tests.support.cookie_access import CookieAccess
from ui.state import StateStore, open_state
from ui.web.api.application import server_context
from ui.web.app import _page_middleware
from ui.web.ask.asking import Asking
from ui.web.health import Departure
from ui.web.open_collections import OpenCollections
from ui.web.server.origin_check import OriginCheck, ServerAddress
from ui.web.uploads.receive import Uploads

ADA, BOB = {"cookie": "access-token-unsecure-abc=ada"}, {"cookie": "access-token-unsecure-abc=bob"}
"""The cookies of two people who are logged in, where the server has accounts."""


@dataclass(frozen=True)
class ApiServer:
    """A running server: `address` is that of the API, `root` the one that it begins with."""

    root: str
    asking: Asking
    uploads: Uploads

    @property
    def address(self) -> str:
        return f"{self.root}/api/v1"


@contextmanager
def serving_api(
    home: Path,
    arrived: Path,
    *,
    accounts: bool = False,
    rag: Any = None,
    state: StateStore | None = None,
    **limits: Any,
) -> Iterator[ApiServer]:
    """A server over the collections in `home`."""
    profile = Profile(indexing={"workers": 1, "visual": "none"}, ui=limits, **({"rag": rag} if rag else {}))
    open_collections = OpenCollections(profile, home, access=CookieAccess() if accounts else None)
    arrived.mkdir(exist_ok=True)
    if state is None:
        state = open_state(arrived.with_name(f"{arrived.name}-state"))
        open_collections.at_close(state.close)
    asking = Asking(open_collections, state)
    uploads = Uploads(open_collections, arrived)
    server_address = ServerAddress()
    context = server_context(asking, uploads)
    page = SimpleNamespace(fns={}, _queue=SimpleNamespace(event_ids_to_events={}))
    app = Starlette(middleware=_page_middleware(cast("Any", page), server_address, context, Departure()))
    OriginCheck(server_address).wrap(app)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen(64)  # whoever comes before the server has started waits
        config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        try:
            yield ApiServer(f"http://127.0.0.1:{bound.getsockname()[1]}", asking, uploads)
        finally:
            server.should_exit = True
            thread.join(timeout=20)
            open_collections.close()
    assert not thread.is_alive()


@contextmanager
def restarted(home: Path, own: Path) -> Iterator[tuple[ApiServer, httpx.Client]]:
    """A server over `home` with the state in `own`, as an earlier one has left it, and Ada who talks to it."""
    with (
        open_state(own) as state,
        serving_api(home, own / "arrived", accounts=True, state=state) as server,
        httpx.Client(base_url=server.address, headers=ADA, timeout=60) as api,
    ):
        yield server, api

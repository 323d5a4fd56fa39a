"""The page as `vouch serve` shows it, over what is in a folder, for the time of a test."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import network
from tests.ui.forked import Served, forked, free_port


def accounts_in(folder: Path) -> str:
    """The path of a file with two accounts, ada and bob, as `serving` takes it."""
    path = folder / "who.txt"
    path.write_text("ada:correct horse\nbob:battery staple\n")
    path.chmod(0o600)
    return str(path)


@contextmanager
def serving(folder: Path, home: Path, **options: Any) -> Iterator[Served]:
    """A page over the collections in `home`; `options` are those of `serve`. `folder` takes its log and uploads."""
    uploads = folder / "uploads"
    places = {"GRADIO_TEMP_DIR": str(uploads), "VOUCH_HOME": str(home)}
    with forked(serve, folder / "log.txt", uploads, options, **places) as page:
        yield page


def serve(
    listening: Callable[[str], None],
    collection: str | None = None,
    profile: str = "default",
    accounts: str = "",
    descriptors: int = 0,
    state: str = "",
    **server_address: Any,
) -> None:
    """Serve as long as `listening` does not return, which is given the address.

    `accounts` is the path of a file of names and passwords, `state` that of people. `descriptors` is the number of
    files and connections that the process may have open. The rest are fields of `ServerAddress`.
    """
    if descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    from indexing import machine_folder
    from rag import load_profile
    from ui.settings import ui_settings
    from ui.state import open_state
    from ui.web.app import build_page, launch, uploads_of
    from ui.web.ask.asking import Asking
    from ui.web.open_collections import OpenCollections
    from ui.web.people import PeopleOfServer, accounts_of
    from ui.web.server.access import ServerAddress
    from ui.web.server.accounts import read_accounts

    network.cut()
    store = open_state(Path.cwd(), state) if state else None
    server = PeopleOfServer(store, ui_settings(load_profile(profile))) if store else None
    people, audit = (server.people, server.audit) if server else (None, None)
    open_collections = OpenCollections(load_profile(profile), people=people, audit=audit)
    kept = store or open_state(machine_folder(open_collections.home))
    asking = Asking(open_collections, kept)
    book = accounts_of(store) if store else read_accounts(accounts) if accounts else None
    entrance = ServerAddress(port=free_port(), accounts=book, **server_address)
    uploads = uploads_of(open_collections)
    page = build_page(asking, uploads, collection, bool(book), bool(store))
    listening(launch(page, entrance, asking, uploads, block=False, server=server))
    open_collections.close()
    kept.close()

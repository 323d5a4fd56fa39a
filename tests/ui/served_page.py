"""The page as `vouch serve` shows it, over what is in a folder, for the time of a test."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import network
from tests.ui.forked import Served, forked, free_port


def accounts_in(folder: Path) -> str:
    """The path of a state with two people who own every collection, ada and bob, as `serving` takes it."""
    from plugins.team.people import People
    from ui.state import open_state

    path = str(folder / "people.sqlite")
    with open_state(folder, path) as state:
        for name, password in (("ada", "correct horse"), ("bob", "battery staple")):
            People(state).add(name, password)
            People(state).give("*", "owner", user=name)
    return path


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
    **options: Any,
) -> None:
    """Serve as long as `listening` does not return, which is given the address.

    `accounts` is the address of a state with people. `descriptors` is the number of files and connections that the
    process may have open. The rest are fields of `ServerAddress`.
    """
    if descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    from indexing import default_home
    from rag import load_profile
    from ui.access import open_access
    from ui.settings import ui_settings
    from ui.state import open_state
    from ui.web.app import build_page, launch, uploads_of
    from ui.web.ask.asking import Asking
    from ui.web.open_collections import OpenCollections
    from ui.web.server.origin_check import ServerAddress

    network.cut()
    wanted = load_profile(profile)
    state = open_state(Path.cwd(), accounts) if accounts else open_state(default_home())
    access = open_access(state, ui_settings(wanted), accounts=bool(accounts))
    open_collections = OpenCollections(wanted, access=access)
    asking = Asking(open_collections, state)
    server_address = ServerAddress(port=free_port(), accounts=bool(accounts), **options)
    uploads = uploads_of(open_collections)
    page = build_page(asking, uploads, collection)
    listening(launch(page, server_address, asking, uploads, block=False))
    open_collections.close()
    state.close()

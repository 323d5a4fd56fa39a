"""`python -m tests.ui.served_page [OPTIONS AS JSON]`: the page as `vouch serve` shows it, over what is in VOUCH_HOME.

A process of its own, with the network cut: Gradio leaves event loops open when it is stopped inside another program.
It prints its address, ends with stdin, and then says what tried to leave the machine. `serving` starts and ends one.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_OF_TESTS = ("HF_HUB_OFFLINE", "GRADIO_ANALYTICS_ENABLED", "DO_NOT_TRACK")
"""What `tests/conftest.py` silences: the page has to be silent without it, as it comes out of the box."""


@dataclass(frozen=True)
class Served:
    """A running page: `log` is where its terminal output goes, `uploads` where uploads do, `pid` is its process."""

    address: str
    log: Path
    uploads: Path
    pid: int


def accounts_in(folder: Path) -> str:
    """The path of a file with two accounts, ada and bob, as `main` takes it."""
    path = folder / "who.txt"
    path.write_text("ada:correct horse\nbob:battery staple\n")
    path.chmod(0o600)
    return str(path)


@contextmanager
def serving(folder: Path, home: Path, **options: Any) -> Iterator[Served]:
    """A page over the collections in `home`; `options` are those of `main`. `folder` takes its log and uploads."""
    log, uploads = folder / "log.txt", folder / "uploads"
    kept = {name: value for name, value in os.environ.items() if name not in _OF_TESTS}
    own = {"GRADIO_TEMP_DIR": str(uploads), "PYTHONPATH": str(ROOT), "VOUCH_HOME": str(home)}
    own["HF_HOME"] = str(folder / "hub")  # where a library would keep what it has fetched once
    command = [sys.executable, "-m", "tests.ui.served_page", json.dumps(options)]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            cwd=folder,
            env=kept | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as run,
    ):
        assert run.stdout is not None
        address = run.stdout.readline().strip().rstrip("/")
        assert address.startswith("http"), f"{address}\n{log.read_text()}"
        try:
            yield Served(address, log, uploads, run.pid)
        finally:
            rest, _ = run.communicate(timeout=60)
        assert json.loads(rest) == [], "the page tried to reach another machine"


def main(
    collection: str | None = None,
    profile: str = "default",
    accounts: str = "",
    descriptors: int = 0,
    state: str = "",
    **server_address: Any,
) -> None:
    """Serve until stdin is closed. `accounts` is the path of a file of names and passwords, `state` that of people.

    `descriptors` is the number of files and connections that the process may have open. The rest are fields of
    `ServerAddress`.
    """
    if descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    from indexing import machine_folder
    from rag import load_profile
    from tests.support import network
    from ui.settings import ui_settings
    from ui.state import open_state
    from ui.web.app import build_page, launch, uploads_of
    from ui.web.ask.asking import Asking
    from ui.web.open_collections import OpenCollections
    from ui.web.people import PeopleOfServer, accounts_of
    from ui.web.server.access import ServerAddress
    from ui.web.server.accounts import read_accounts

    network.cut()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    store = open_state(Path.cwd(), state) if state else None
    server = PeopleOfServer(store, ui_settings(load_profile(profile))) if store else None
    people, audit = (server.people, server.audit) if server else (None, None)
    open_collections = OpenCollections(load_profile(profile), people=people, audit=audit)
    kept = store or open_state(machine_folder(open_collections.home))
    asking = Asking(open_collections, kept)
    book = accounts_of(store) if store else read_accounts(accounts) if accounts else None
    entrance = ServerAddress(port=port, accounts=book, **server_address)
    say = sys.stdout
    uploads = uploads_of(open_collections)
    page = build_page(asking, uploads, collection, bool(book), bool(store))
    say.write(launch(page, entrance, asking, uploads, block=False, server=server) + "\n")
    say.flush()
    sys.stdin.read()
    open_collections.close()
    kept.close()
    say.write(json.dumps(network.attempts))
    say.flush()


if __name__ == "__main__":
    main(**json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}"))

"""A real server of Azure's blob protocol (Azurite) in a process of its own on 127.0.0.1."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import select
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

CONTAINER = "vouch-tests"
ACCOUNT = "markeraccount"
KEY = base64.b64encode(b"MARKER of an account key, thirty-two bytes or more").decode()
"""The account that the server is given; the key is a mark that must never be shown."""
_BUILT = Path(__file__).resolve().parents[2] / "build" / "azurite" / "node_modules" / ".bin" / "azurite-blob"
_SECONDS = 60.0


def azurite() -> str | None:
    """Return the command that serves: the one that `make azurite` built, or one of the machine; None without one."""
    return str(_BUILT) if _BUILT.exists() else shutil.which("azurite-blob")


class AzureServer:
    """The server at a port, with one container made."""

    def __init__(self, port: int) -> None:
        """Make the container, by a request that the key signs."""
        self.endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
        told = {"x-ms-date": f"{datetime.now(UTC):%a, %d %b %Y %H:%M:%S GMT}", "x-ms-version": "2021-12-02"}
        headers = "".join(f"{name}:{value}\n" for name, value in sorted(told.items()))
        empty = "\n" * 12
        signed = f"PUT{empty}{headers}/{ACCOUNT}/{ACCOUNT}/{CONTAINER}\nrestype:container".encode()
        sign = base64.b64encode(hmac.digest(base64.b64decode(KEY), signed, hashlib.sha256)).decode()
        made = urllib.request.Request(
            f"{self.endpoint}/{CONTAINER}?restype=container",
            method="PUT",
            headers={**told, "Authorization": f"SharedKey {ACCOUNT}:{sign}", "Content-Length": "0"},
        )
        with urllib.request.urlopen(made, timeout=30):
            pass

    def home(self) -> str:
        """Return the address of a home that is empty."""
        return f"az://{CONTAINER}/{uuid4().hex}/home"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which it is found."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
            "AZURE_STORAGE_ENDPOINT": self.endpoint,
        }


@contextlib.contextmanager
def azure_server(command: str, folder: Path) -> Iterator[AzureServer]:
    """Run the server, with its data in a folder; yield it once it listens."""
    words = [command, "--location", str(folder), "--blobPort", "0", "--disableTelemetry", "--skipApiVersionCheck"]
    environment = {**os.environ, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(words, env=environment, text=True, **both) as process:
        try:
            yield AzureServer(_port_of(process))
        finally:
            process.kill()


def _port_of(process: subprocess.Popen[str]) -> int:
    """Return the port that the server says it listens on."""
    assert process.stdout is not None
    said, until = [], time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None:
        if not select.select([process.stdout], [], [], 0.2)[0]:
            continue
        said.append(process.stdout.readline())
        if "successfully listens on" in said[-1]:
            return int(said[-1].strip().rpartition(":")[2])
    raise AssertionError(f"Azurite does not listen: {''.join(said)}")

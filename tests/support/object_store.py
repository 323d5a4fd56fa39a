"""A real S3 server (moto) in a process of its own on 127.0.0.1, behind a gate that can be shut."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from uuid import uuid4

BUCKET = "vouch-tests"
SECRETS = {
    "AWS_ACCESS_KEY_ID": "MARKERaccesskeyid",
    "AWS_SECRET_ACCESS_KEY": "MARKERsecretaccesskey",
    "AWS_SESSION_TOKEN": "MARKERsessiontoken",
}
_SERVE = """
import threading
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
threading.Event().wait()
"""


class Gate:
    """A port of this machine that hands every connection on to the server, unless it is shut."""

    def __init__(self, port: int) -> None:
        """Listen; `port` is the server's."""
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self.shut = False
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close_gate(self) -> None:
        """Cut every connection, and those to come."""
        self.shut = True
        for each in list(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Cut every connection and stop listening."""
        self.close_gate()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            if self.shut:
                caller.close()
                continue
            self.connections += 1
            threading.Thread(target=self._forward, args=(caller,), daemon=True).start()

    def _forward(self, caller: socket.socket) -> None:
        with contextlib.suppress(OSError), caller, socket.create_connection(("127.0.0.1", self._server)) as server:
            self._open |= {caller, server}
            ways = {caller: server, server: caller}
            while True:
                for ready in select.select(list(ways), [], [])[0]:
                    content = ready.recv(1 << 16)
                    if not content:
                        return
                    ways[ready].sendall(content)


class S3Server:
    """The server and its gate, which is the endpoint."""

    def __init__(self, port: int) -> None:
        """Open the gate to the server at a port, and make the bucket."""
        self.gate = Gate(port)
        self.port = port
        made = urllib.request.Request(f"http://127.0.0.1:{port}/{BUCKET}", method="PUT")
        with contextlib.suppress(OSError), urllib.request.urlopen(made, timeout=30):
            pass

    def home(self) -> str:
        """Return the address of a home that is empty."""
        return f"s3://{BUCKET}/{uuid4().hex}/home"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which it is found; the credentials are marks that must never be shown."""
        return {**SECRETS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.gate.port}", "AWS_REGION": "us-east-1"}


@contextlib.contextmanager
def s3_server() -> Iterator[int]:
    """Run the server; yield its port."""
    environment = {**os.environ, **SECRETS, "AWS_DEFAULT_REGION": "us-east-1"}
    with subprocess.Popen(
        [sys.executable, "-c", _SERVE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()

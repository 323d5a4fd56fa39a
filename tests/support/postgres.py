"""Debian's PostgreSQL, started by the tests: on a free port of loopback, in a temporary folder, ended with them."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY_IS_ROOT = ("runuser", "-u", "postgres", "--")
"""The beginning of a command as the user of Debian's package: PostgreSQL refuses to run as root."""


def programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl` of the newest version that is installed; None where none is."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def running(programs: Path) -> Iterator[str]:
    """The address of an empty server, by which each database of it can be reached: `postgresql://...:PORT/`."""
    user = _NOBODY_IS_ROOT if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory(prefix="vouch-pg-") as folder, socket.socket() as free:
        if user:
            shutil.chown(folder, "postgres")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        data = f"{folder}/data"

        def run(*command: str) -> None:
            done = subprocess.run([*user, *command], cwd="/", capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stderr

        run(f"{programs}/initdb", "-D", data, "-U", "vouch", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-locale")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        log = f"{folder}/log"
        run(f"{programs}/pg_ctl", "-D", data, "-o", options, "-l", log, "-w", "start")
        try:
            yield f"postgresql://vouch@127.0.0.1:{port}/"
        finally:
            run(f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")

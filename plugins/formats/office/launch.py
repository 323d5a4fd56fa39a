"""The launcher of LibreOffice: confines this process, then replaces it by the program to run.

It is run as a file by a bare interpreter (`python -I -S launch.py JSON`), so that nothing runs between fork and exec in
a process with threads. A measure that the system does not allow is left out: each is independent.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

NOT_STARTED = 97
"""The exit code where the program could not be started, or its parent is gone."""
_NEW_USER, _NEW_NET = 0x1000_0000, 0x4000_0000  # CLONE_NEWUSER, CLONE_NEWNET
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38  # options of prctl(2)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the system calls of Landlock, then its rights
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_SOCKET = 1 << 9
_TRUNCATE, _DEVICE_CONTROL = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_CONTROL


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _BeneathPath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def _limit(limits: dict[str, Any]) -> None:
    """Limit the CPU seconds of this process, its bytes of memory, and the bytes of each file that it writes."""
    bounds = ((resource.RLIMIT_CPU, limits["seconds"]), (resource.RLIMIT_AS, limits["memory"]),
              (resource.RLIMIT_FSIZE, limits["file_bytes"]), (resource.RLIMIT_CORE, 0))  # fmt: skip
    for which, most in bounds:
        with contextlib.suppress(ValueError, OSError):
            _, hard = resource.getrlimit(which)
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(which, (limit, limit))


def _leave_network(libc: ctypes.CDLL) -> None:
    """Move this process into an empty network namespace, as the same user, where that is allowed."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEW_USER | _NEW_NET):
        return
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with contextlib.suppress(OSError), Path("/proc/self", name).open("w", encoding="ascii") as file:
            file.write(line)


def landlock_version(libc: ctypes.CDLL) -> int:
    """Return the version of Landlock that the kernel supports; 0 or less without."""
    return int(libc.syscall(_CREATE_RULESET, None, 0, 1))


def _confine_files(libc: ctypes.CDLL, read: Iterable[str], write: Iterable[str], sockets: Iterable[str]) -> None:
    """Have Landlock refuse all files but those below `read` (to read) and `write`, and every TCP connection.

    In the folders `sockets` only sockets can be created. Without Landlock nothing is confined.
    """
    version = landlock_version(libc)
    if version < 1:
        return
    newer = (version >= 2, version >= 3, version >= 5)  # each added a right to the first 13
    files = (1 << 13) - 1 | sum(bit << 13 + n for n, bit in enumerate(newer))
    ruleset = _Ruleset(files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset_fd = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), size, 0)
    if ruleset_fd < 0:
        return
    rules = (
        [(path, _READ) for path in read]
        + [(path, files) for path in write]
        + [(path, _MAKE_SOCKET) for path in sockets]
    )
    for path, access in rules:
        try:
            path_fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = access & files if Path(path).is_dir() else access & files & _ON_FILES
        libc.syscall(_ADD_RULE, ruleset_fd, 1, ctypes.byref(_BeneathPath(rights, path_fd)), 0)
        os.close(path_fd)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.syscall(_RESTRICT_SELF, ruleset_fd, 0)
    os.close(ruleset_fd)


def main(limits: dict[str, Any]) -> int:
    """Apply `limits` to this process and replace it by the program; return NOT_STARTED if that fails."""
    _limit(limits)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if limits["confined"]:
            _leave_network(libc)
            _confine_files(libc, limits["read"], limits["write"], limits["sockets"])
        libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)  # last: a change of the user resets it
        if os.getppid() != limits["parent"]:
            return NOT_STARTED
    with contextlib.suppress(OSError):
        os.execve(limits["command"][0], limits["command"], limits["environment"])  # noqa: S606  no shell is wanted
    return NOT_STARTED


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))

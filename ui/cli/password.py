"""The password of locked documents: typed, read from a file descriptor or the environment, or an argument."""

from __future__ import annotations

import getpass
import os
import sys
from argparse import Namespace

VARIABLE = "VOUCH_PASSWORD"
_LONGEST = 4096
"""The most bytes of a password that is read; PDF itself takes 127."""


def password_of(args: Namespace) -> str | None:
    """Return the password of `--password`, `--password-fd` (first line) or VOUCH_PASSWORD; None for none.

    `--password -` asks for it. Raises OSError for a descriptor that cannot be read.
    """
    if args.password == "-":
        return getpass.getpass("Password: ")
    if args.password is not None:
        warning = f"other users of this machine can see a password on the command line: use --password - or {VARIABLE}"
        print(f"vouch: {warning}", file=sys.stderr)
        return str(args.password)
    if args.password_fd is not None:
        return _read_line(args.password_fd)
    return os.environ.get(VARIABLE) or None


def _read_line(descriptor: int) -> str:
    """Return the first line of a file descriptor, cut after 4,097 bytes. Raises OSError that says what to do."""
    try:
        with open(descriptor, "rb", closefd=False) as file:
            line = file.readline(_LONGEST + 1)
    except OSError as error:
        raise OSError(f"--password-fd {descriptor}: {error.strerror}: open it in the shell first") from None
    return line.decode(errors="replace").rstrip("\r\n")

"""The command `vouch admin`: manage the users, groups, roles, tokens and sessions of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.admin.options import EXAMPLES, add_admin_options

if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import AbstractContextManager

    from ui.cli.admin.audited import CommandAudit

__all__ = ["EXAMPLES", "add_admin_options", "command_audit", "run_admin"]


def command_audit() -> AbstractContextManager[CommandAudit]:
    """Return the audit log of the people of this machine's home; a state is made by nobody here.

    Raises StateUnreadable when it is entered.
    """
    from ui.cli.admin.audited import opened_audit

    return opened_audit()


def run_admin(args: Namespace) -> int:
    """Run `vouch admin`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.admin.command import run

    return run(args)

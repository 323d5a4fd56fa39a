"""`vouch admin`: the people of a server, their groups, roles, tokens, invitations and sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.admin.options import EXAMPLES, add_admin_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["EXAMPLES", "add_admin_options", "run_admin"]


def run_admin(args: Namespace) -> int:
    """Run `vouch admin`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.admin.command import run

    return run(args)

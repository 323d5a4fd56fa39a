"""The command `vouch audit`: check that the references of a paper exist and are what they claim to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.cli.audit.options import add_audit_options

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["add_audit_options", "run_audit"]


def run_audit(args: Namespace) -> int:
    """Run `vouch audit`; all that it needs is imported now, which `vouch --help` need not wait for."""
    from ui.cli.audit.command import run

    return run(args)

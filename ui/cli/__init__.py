"""The `vouch` command: its subcommands, their options, and what they print."""

from ui.cli.parser import main

__all__ = ["main"]

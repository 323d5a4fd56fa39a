"""The `vouch` command."""

from ui.cli.parser import main

__all__ = ["main"]

"""The commands that open a page in a browser: `vouch serve` and `vouch confirm`."""

from ui.cli.pages.serve import run_confirm, run_serve

__all__ = ["run_confirm", "run_serve"]

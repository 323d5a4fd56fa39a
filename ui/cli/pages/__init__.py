"""Pages: the commands that show one in a browser."""

from ui.cli.pages.serve import run_confirm, run_serve

__all__ = ["run_confirm", "run_serve"]

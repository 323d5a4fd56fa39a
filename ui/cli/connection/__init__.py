"""`vouch connect`: a model is found, asked what it can take, and written into a profile."""

from ui.cli.connection.connect import connect

__all__ = ["connect"]

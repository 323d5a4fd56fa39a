"""The command `vouch connect`: find a model, probe what it can take, and write it into a profile."""

from ui.cli.connection.connect import connect

__all__ = ["connect"]

"""The `vouch` command: its subcommands, their options, and what they print."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ui.cli.parser import main

if TYPE_CHECKING:
    from ui.cli.options import add_password, add_profile
    from ui.cli.password import password_of

__all__ = ["add_password", "add_profile", "main", "password_of"]
_MODULES = {"add_password": "options", "add_profile": "options", "password_of": "password"}


def __getattr__(name: str) -> Any:
    """Import what commands of plugins share when it is first asked for."""
    if name in _MODULES:
        return getattr(import_module(f"ui.cli.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

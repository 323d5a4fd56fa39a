"""The `vouch` command: its subcommands, their options, and what they print."""

from typing import TYPE_CHECKING, Any

from ui.cli.parser import main

if TYPE_CHECKING:
    from ui.cli.password import password_of

__all__ = ["main", "password_of"]


def __getattr__(name: str) -> Any:
    """Import what commands of plugins share when it is first asked for."""
    if name == "password_of":
        from ui.cli.password import password_of

        return password_of
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

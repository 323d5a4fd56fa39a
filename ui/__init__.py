"""The user interface: the `vouch` command, the page that `vouch serve` shows, and boxes drawn on pages.

Importing this package loads nothing heavy: `draw_overlay` and `save_overlays` bring Pillow in at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ui.show import draw_overlay, save_overlays

__all__ = ["draw_overlay", "save_overlays"]


def __getattr__(name: str) -> Any:
    """Load the drawing functions when they are first asked for."""
    if name in __all__:
        from ui import show

        return getattr(show, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The user interfaces: the `vouch` command, the page of `vouch serve`, and boxes drawn on pages.

Importing this package loads nothing heavy: `draw_overlay` and `save_overlays` bring Pillow in at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ui.errors import (
        AccessDenied,
        AddressError,
        ApiRefusal,
        AuditUnwritable,
        BadPerson,
        BadRequest,
        ClientError,
        ExportError,
        KeptUnreadable,
        NotAllowed,
        NotSignedOn,
        OverQuota,
        OverSpace,
        RequestConflict,
        RequestUnfit,
        ServerAway,
        ServerTrouble,
        ThingMissing,
        TooManyRequests,
        UploadError,
    )
    from ui.settings import UiSettings
    from ui.show import draw_overlay, save_overlays

__all__ = [
    "AccessDenied",
    "AddressError",
    "ApiRefusal",
    "AuditUnwritable",
    "BadPerson",
    "BadRequest",
    "ClientError",
    "ExportError",
    "KeptUnreadable",
    "NotAllowed",
    "NotSignedOn",
    "OverQuota",
    "OverSpace",
    "RequestConflict",
    "RequestUnfit",
    "ServerAway",
    "ServerTrouble",
    "ThingMissing",
    "TooManyRequests",
    "UiSettings",
    "UploadError",
    "draw_overlay",
    "save_overlays",
]

_ELSEWHERE = {"draw_overlay": "ui.show", "save_overlays": "ui.show", "UiSettings": "ui.settings"}


def __getattr__(name: str) -> Any:
    """Import the drawing functions, the settings and the errors on first use."""
    if name in __all__:
        return getattr(import_module(_ELSEWHERE.get(name, "ui.errors")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The list of a visitor's conversations as HTML: open, rename, take away, delete. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.show import render

if TYPE_CHECKING:
    from ui.state import Conversation


def conversations_html(found: Sequence[Conversation], current: str, words: str | None = "") -> str:
    """Return the list, the `current` one marked; `words` are those that were searched for, "" or None for none."""
    return render(
        "web/ask/templates/conversations.html", found=found, current=current, searched=bool((words or "").strip())
    )

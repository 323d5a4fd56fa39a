"""What the page hands to a tab of a plugin."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from ui.web.ask import Asking
from ui.web.uploads import Uploads


@dataclass(frozen=True, slots=True)
class PageContext:
    """The page that is being built, its services, its collection box, and the tab itself."""

    page: gr.Blocks
    asking: Asking
    uploads: Uploads
    choice: gr.Dropdown
    tab: gr.Tab

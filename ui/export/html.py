"""An exported answer as one HTML file that needs nothing else: no script, pictures inside, light, dark and print. Pure.

Everything is escaped, and a policy in the file forbids anything that might slip through: scripts, addresses, forms.
"""

from __future__ import annotations

import base64

from ui.export.sources import MARK, ExportContents
from ui.show import render, verdict_counts


def html_page(exported: ExportContents) -> str:
    """Return the whole file."""
    page = render(
        "export/templates/page.html",
        mark=MARK,
        answer=exported.answer,
        sources=[(source, base64.b64encode(source.png).decode()) for source in exported.sources],
        notes=exported.notes,
        footer=_footer(exported),
    )
    return f"{page}\n"


def _footer(exported: ExportContents) -> str:
    answer = exported.answer
    counts = "" if answer.abstained else verdict_counts(answer)
    return ". ".join(filter(None, (counts, "To find a source again: vouch resolve ANCHOR")))

"""The tables of the state, as they are in the newest version: what `versions/` makes of an older one.

Times are text in UTC, as `datetime.isoformat` writes them, so that both databases keep the same.
"""

from __future__ import annotations

from sqlalchemy import MetaData

METADATA = MetaData()
"""All tables. Each part of the state adds its own in a module of its own, imported by `ui.state`."""

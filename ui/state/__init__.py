"""State: people, their rights and their conversations, which `vouch serve` keeps in SQLite or PostgreSQL."""

from ui.state.database import StateStore, open_state
from ui.state.people import People
from ui.state.tables import METADATA

__all__ = ["METADATA", "People", "StateStore", "open_state"]

"""The environment of migrations: Alembic runs this module, with the connection that `open_state` has made."""

from __future__ import annotations

from alembic import context

from ui.state.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
context.run_migrations()

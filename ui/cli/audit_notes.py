"""The audit log of commands: what they change or copy is logged, if the server of this home has accounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from indexing import IndexReport, default_home
from ui.access import Access, acting_as, command_line, has_people, open_access


@contextmanager
def command_access() -> Iterator[Access]:
    """Yield the access control of this machine's home, by which a command writes the audit log; it creates no state.

    Without accounts it logs nothing. Raises StateUnreadable, and AddressError if no plugin for the accounts is loaded.
    """
    from ui.settings import UiSettings
    from ui.state import is_kept, open_state

    folder = default_home()
    if not is_kept(folder):
        yield Access()
        return
    with open_state(folder) as state, acting_as(command_line()):
        # A command does not know the profile of the server: it deletes no old entries.
        yield open_access(state, UiSettings(audit_days=36_500), accounts=True) if has_people(state) else Access()


def note_report(access: Access, report: IndexReport) -> None:
    """Log the files that a run read, or failed to read. Raises AuditUnwritable."""
    for file in report.files:
        if file.status != "skipped":
            access.note("add-document", report.collection, file.name, "failed" if file.status == "failed" else "done")

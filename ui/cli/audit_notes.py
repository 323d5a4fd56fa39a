"""The access of a command: what it changes or copies is written into the audit log, where a server has accounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from indexing import IndexReport, default_home
from ui.access import Access, acting_as, command_line, has_people, open_access


@contextmanager
def command_access() -> Iterator[Access]:
    """Yield the access of the people of this machine's home; a state is made by nobody here.

    Raises StateUnreadable, and AddressError where there are people and no plugin knows them.
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
    """Note the files that a run read or could not read. Raises AuditUnwritable."""
    for file in report.files:
        if file.status != "skipped":
            access.note("add-document", report.collection, file.name, "failed" if file.status == "failed" else "done")

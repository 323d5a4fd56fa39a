"""The audit log of commands: what changes or copies collections here is told of, where a server has accounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from indexing import IndexReport, default_home, machine_folder
from ui.state import AuditLog, People, StateStore, is_kept, open_state
from ui.state.audit import Actor, Deed, command_line


class CommandAudit:
    """The state of a server with accounts, as one command uses it; without such a server nothing is told."""

    def __init__(self, state: StateStore | None) -> None:
        """Keep the store; None where there are no people."""
        self._state = state
        self._log = AuditLog(state)
        self._by: Actor = command_line()

    def note(self, deed: Deed, collection: str, thing: str = "", *, done: bool = True) -> None:
        """Tell of a deed. Raises AuditUnwritable."""
        self._log.note(deed, collection, thing, "done" if done else "failed", by=self._by)

    def record_report(self, report: IndexReport) -> None:
        """Log the files that a run read or could not read. Raises AuditUnwritable."""
        for file in report.files:
            if file.status != "skipped":
                self.note("add-document", report.collection, file.name, done=file.status != "failed")

    def forget_collection(self, collection: str) -> None:
        """Take away all roles in a collection that was deleted."""
        if self._state is not None:
            People(self._state).forget_collection(collection)


@contextmanager
def opened_audit() -> Iterator[CommandAudit]:
    """Yield the audit log of the people of this machine's home; a state is made by nobody here."""
    folder = machine_folder(default_home())
    if not is_kept(folder):
        yield CommandAudit(None)
        return
    with open_state(folder) as state:
        yield CommandAudit(state if People(state).users() else None)

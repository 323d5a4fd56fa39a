"""The audit log: who read or changed what, from where, and whether it was allowed."""

from ui.state.audit.actor import SCENE, Actor, Channel, acting_as, at_scene, command_line, person, present_actor
from ui.state.audit.deeds import CHANGES, DEEDS, QUESTIONS, READS, Change, Deed, Outcome
from ui.state.audit.log import MOST_QUESTION, AuditEntry, AuditLog, audit_entries
from ui.state.audit.tables import AUDIT

__all__ = [
    "AUDIT",
    "CHANGES",
    "DEEDS",
    "MOST_QUESTION",
    "QUESTIONS",
    "READS",
    "SCENE",
    "Actor",
    "AuditEntry",
    "AuditLog",
    "Change",
    "Channel",
    "Deed",
    "Outcome",
    "acting_as",
    "at_scene",
    "audit_entries",
    "command_line",
    "person",
    "present_actor",
]

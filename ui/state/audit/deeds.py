"""The closed list of actions in the audit log. docs/team.md explains each."""

from __future__ import annotations

from typing import Literal, get_args

Read = Literal["open", "ask", "search", "check", "audit", "see-page", "export", "open-link"]
Change = Literal[
    "log-in",
    "log-out",
    "join",
    "make-collection",
    "begin-index",
    "begin-reindex",
    "add-document",
    "remove-document",
    "unlock-document",
    "compact",
    "delete-collection",
    "share-answer",
    "unshare-answer",
    "add-user",
    "remove-user",
    "set-password",
    "set-admin",
    "add-group",
    "remove-group",
    "join-group",
    "leave-group",
    "give-role",
    "take-role",
    "make-token",
    "revoke-token",
    "invite",
    "end-sessions",
    "set-quota",
    "back-up",
    "restore",
]
Deed = Literal[Read, Change]
READS: tuple[Read, ...] = get_args(Read)
"""The deeds that change nothing: their entries are written in batches."""
CHANGES: tuple[Change, ...] = get_args(Change)
"""The deeds that change something: the entry of each is written before its answer is given."""
DEEDS: tuple[Deed, ...] = (*READS, *CHANGES)
QUESTIONS: frozenset[Deed] = frozenset(("ask", "search", "check", "audit"))
"""The deeds that quotas of questions count."""
Outcome = Literal["done", "refused", "failed"]
"""The outcome: it was allowed and is done, the rule or a quota refused it, or it was allowed and did not succeed."""

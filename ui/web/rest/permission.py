"""Permission: who may do what by the API; the one place where that is decided.

Each operation names its least role. A reader asks, searches and sees pages, an editor adds and removes documents, an
owner deletes a collection.
"""

from __future__ import annotations

from typing import Literal

from ui.web.server import ACCOUNT, Scope, caller, may_see, visitor

Role = Literal["reader", "editor", "owner"]
PAGE_LETS: frozenset[Role] = frozenset({"reader", "editor", "owner"})
"""The roles of everybody who may see the page: what can be done there can be done here."""


def may(scope: Scope, action: Role, collection: str | None) -> bool:  # noqa: ARG001 - the page knows no roles yet
    """Return True where whoever asks may do what that role may, in a collection; None stands for no one of them."""
    return may_see(scope) and action in PAGE_LETS


def who(scope: Scope) -> str:
    """Return by what a caller's jobs, answers and keys are known: its account or browser, else its address."""
    return visitor(scope) or f"address {caller(scope)}"


def account_of(scope: Scope) -> str:
    """Return the account that asks, "" where there are none: its uploads are in its name."""
    named = visitor(scope)
    return named.removeprefix(ACCOUNT) if named.startswith(ACCOUNT) else ""

"""Permission: who may do what by the API; the one place where that is decided.

Each operation names its least role. A reader asks, searches and sees pages, an editor adds and removes documents, an
owner deletes a collection.
"""

from __future__ import annotations

from ui.state.people import Role
from ui.web.server import ACCOUNT, Scope, allowed, caller, identity, may_see, visitor


def may(scope: Scope, least: Role, collection: str | None) -> bool:
    """Return True where whoever asks has at least that role in a collection; None asks only if they may come in."""
    return may_see(scope) if collection is None else allowed(scope, least, collection)


def who(scope: Scope) -> str:
    """Return by what a caller's jobs, answers and keys are known: its account or browser, else its address."""
    return visitor(scope) or f"address {caller(scope)}"


def account_of(scope: Scope) -> str:
    """Return the account that asks, "" where there are none: its uploads are in its name."""
    named = visitor(scope)
    return identity(scope).name or (named.removeprefix(ACCOUNT) if named.startswith(ACCOUNT) else "")

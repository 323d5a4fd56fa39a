"""Access: who asks, what they may do, and what is written down about it.

`Access` is that of a server without accounts, where whoever comes in owns everything. A plugin brings another one
(`AccessControl` in vouch/hooks.py): the core calls the methods of this class and knows nothing else of accounts.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from indexing import CollectionMissing
from ui.errors import AddressError, NotAllowed, OverQuota
from vouch.hooks import additions, left_out_advice, load

if TYPE_CHECKING:
    from starlette.middleware import Middleware

    from indexing import Document
    from ui.settings import UiSettings
    from ui.state import StateStore

Scope = MutableMapping[str, Any]
Role = Literal["reader", "editor", "owner"]
ROLES: tuple[Role, ...] = get_args(Role)
"""The roles in a collection, the least first: a reader asks, searches and sees pages; an editor adds and removes
documents too; an owner deletes the collection.
"""
ALL_COLLECTIONS = "*"
"""The name that stands for every collection in a role, including future ones."""

Read = Literal["open", "ask", "search", "check", "audit", "see-page", "export", "open-link"]
Change = Literal[
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
    "back-up",
    "restore",
    "choose-model",
]
Deed = Read | Change
"""An action that the audit log knows; docs/team.md explains each."""
READS: tuple[Read, ...] = get_args(Read)
"""The deeds that change nothing."""
CHANGES: tuple[Change, ...] = get_args(Change)
"""The deeds that change something."""
QUESTIONS: frozenset[Deed] = frozenset(("ask", "search", "check", "audit"))
"""The deeds that quotas of questions count."""
Outcome = Literal["done", "refused", "failed"]
"""The outcome: it was allowed and is done, the rule or a quota refused it, or it was allowed and did not succeed."""
ActorKind = Literal["person", "token", "proxy", "command line", "stranger"]
Channel = Literal["page", "api", "command line"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A person, or a program that uses one of a person's tokens.

    `roles` maps collections to roles. A token (its number; 0 for none) can limit them: to the role `most`, and to the
    collections `only` (None: all). `proxied` is True if a reverse proxy named the person.
    """

    name: str = ""
    user_id: int = 0
    admin: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)
    most: Role = "owner"
    only: frozenset[str] | None = None
    token: int = 0
    proxied: bool = False

    def role(self, collection: str) -> Role | None:
        """Return the role in a collection; None if this identity must not learn whether the collection exists."""
        if self.only is not None and collection not in self.only:
            return None
        applicable: list[Role] = [role for key in (collection, ALL_COLLECTIONS) if (role := self.roles.get(key))]
        highest = "owner" if self.admin else max(applicable, key=ROLES.index, default=None)
        return None if highest is None else min(highest, self.most, key=ROLES.index)

    @property
    def known_as(self) -> str:
        """The owner name of stored data: `<user id> <name>`, and ` token <n>` for a token, which owns data itself."""
        return f"{self.user_id} {self.name}" + (f" token {self.token}" if self.token else "")


NOBODY = Identity()
"""The identity of a stranger, who is not logged in and has no role."""
EVERYTHING = Identity(roles={ALL_COLLECTIONS: "owner"})
"""The identity of everyone on a server without accounts, and of the server's own work."""
ACTING: ContextVar[Identity] = ContextVar("ACTING", default=NOBODY)
"""The identity in whose name this thread or task works. A thread that is started without its context has no role."""


def may(identity: Identity, least: Role, collection: str) -> bool:
    """Return True if the identity has at least the role `least` in a collection, whether that exists or not."""
    role = identity.role(collection)
    return role is not None and ROLES.index(role) >= ROLES.index(least)


@contextmanager
def acting(identity: Identity) -> Iterator[None]:
    """Work in the name of `identity` until the block ends."""
    token = ACTING.set(identity)
    try:
        yield
    finally:
        ACTING.reset(token)


@dataclass(frozen=True, slots=True)
class Scene:
    """The origin of a request: the client's address, the channel, and the visitor that limits count it for."""

    address: str = ""
    channel: Channel = "page"
    visitor: str = ""


SCENE: ContextVar[Scene] = ContextVar("SCENE", default=Scene())  # noqa: B039 - it is frozen
"""The origin of the request that this thread or task works for."""


@contextmanager
def at_scene(address: str, channel: Channel, visitor: str = "") -> Iterator[None]:
    """Log actions in the block as done from `address` through `channel`."""
    token = SCENE.set(Scene(address, channel, visitor))
    try:
        yield
    finally:
        SCENE.reset(token)


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an entry in the audit log; `token` is the number of the token that a program used, 0 for none."""

    name: str
    kind: ActorKind
    token: int = 0
    address: str = ""
    channel: Channel = "page"


_STAND_IN: ContextVar[Actor | None] = ContextVar("_STAND_IN", default=None)


@contextmanager
def acting_as(actor: Actor | None) -> Iterator[None]:
    """Log actions in the block as done by `actor`: a command, or the sender of a request that was answered already."""
    token = _STAND_IN.set(actor)
    try:
        yield
    finally:
        _STAND_IN.reset(token)


def present_actor() -> Actor | None:
    """Return the author of what is done now, by the identity and the request in the context; None for the server."""
    who, scene = ACTING.get(), SCENE.get()
    if who is EVERYTHING:
        return None
    if actor := _STAND_IN.get():
        return actor
    kind: ActorKind = "token" if who.token else "proxy" if who.proxied else "person" if who.user_id else "stranger"
    return Actor(who.name, kind, who.token, scene.address, scene.channel)


def command_line() -> Actor:
    """Return the author of what a command does: the account of this machine that runs it."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "unknown"
    return Actor(name, "command line", 0, "", "command line")


@contextmanager
def noting_outcome(note: Callable[[Outcome], None]) -> Iterator[None]:
    """Call `note` with the outcome when the block ends: done, refused (by a role or quota), or failed."""
    outcome: Outcome = "failed"
    try:
        yield
        outcome = "done"
    except (NotAllowed, CollectionMissing, OverQuota):
        outcome = "refused"
        raise
    finally:
        note(outcome)


class Access:
    """The access control that a server asks before it shows or changes something: this one allows everything.

    Every method may be called from any thread.
    """

    has_accounts = False
    """True where people log in, and can do what their roles allow."""

    def may(self, least: Role, collection: str) -> bool:  # noqa: ARG002
        """Return True if the acting identity has at least the role `least` in a collection, which need not exist."""
        return True

    def grant_ownership(self, collection: str) -> None:
        """Make the acting identity the owner of a new collection, unless it has a role there, and log that."""

    def forget_collection(self, collection: str) -> None:
        """Delete all roles in a deleted collection, so that a later one of that name does not inherit them."""

    def note(
        self, deed: Deed, collection: str = "", thing: str = "", outcome: Outcome = "done", question: str = ""
    ) -> None:
        """Write an action of the acting identity on `thing` to the audit log. Raises AuditUnwritable."""

    @contextmanager
    def record(self, deed: Deed, collection: str = "", thing: str = "") -> Iterator[None]:
        """Write an action and its outcome to the audit log when the block ends, also by an exception."""
        with noting_outcome(lambda outcome: self.note(deed, collection, thing, outcome)):
            yield

    def count_question(self) -> None:
        """Count a question of the acting identity. Raises OverQuota for one too many, which is not counted."""

    def limits_space(self, account: str) -> bool:  # noqa: ARG002
        """Return True if there are quotas of space, for collections or for this account."""
        return False

    def check_space(
        self, collection: str, account: str, documents_of: Callable[[str | None], Iterable[Document]], space: Space
    ) -> None:
        """Raise OverSpace if a collection, or an account ("" for none), has less space left than `space`.

        `documents_of` returns the documents of a collection, of all collections for None.
        """

    def identify(self, scope: Scope) -> Identity | None:  # noqa: ARG002
        """Return the identity of a request's sender, None for a stranger; called on a worker thread."""
        return None

    def admit(self, scope: Scope, identity: Identity | None) -> Scope:  # noqa: ARG002
        """Return the scope for Gradio: its session cookie names `identity`, and is left out for None."""
        return scope

    def page_options(self) -> dict[str, Any]:
        """Return the options that make Gradio's `launch` require a login."""
        return {"auth": None}

    def sessions(self) -> MutableMapping[str, str]:
        """Return Gradio's table of sessions: user names by the session token in a cookie."""
        return {}

    def middleware(self, sign: Callable[..., str], origin: str) -> list[Middleware]:  # noqa: ARG002
        """Return the middleware that serves the account pages.

        `sign` returns the server's signature of some texts; `origin` is the public origin of the page, "" to take it
        from each request.
        """
        return []


@dataclass(frozen=True, slots=True)
class Space:
    """The space that new documents need: bytes in their collection, bytes of their account, and pages."""

    bytes: int = 0
    own_bytes: int = 0
    pages: int = 0


def open_access(state: StateStore, settings: UiSettings, *, accounts: bool) -> Access:
    """Return the access control of a server: that of the accounts plugin if it is loaded, else one that allows all.

    `accounts` is the option of that name. Raises AddressError without the plugin if the state has people, or the option
    or the settings ask for accounts or quotas: such a server is not opened to everybody.
    """
    for control in additions("access"):
        access: Access = load(control.open)(state, settings, accounts)
        return access
    reasons = ["the accounts of this home"] if has_people(state) else ["--accounts"] if accounts else []
    reasons += [f"ui.{key}" for key in settings.keys_of_accounts]
    if reasons:
        advice = left_out_advice() or "run vouch doctor, which says why, or install Vouch anew"
        raise AddressError(
            f"{', '.join(reasons)}: only the plugin team knows accounts and quotas, and it is not loaded: {advice}"
        )
    return Access()


def has_people(state: StateStore) -> bool:
    """Return True if the state has users who can log in, also if no plugin for accounts is loaded."""
    from sqlalchemy import inspect

    with state.transaction() as connection:
        if not inspect(connection).has_table("users"):
            return False
        return connection.exec_driver_sql("SELECT 1 FROM users LIMIT 1").first() is not None

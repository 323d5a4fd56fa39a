"""Actors: who does something, under which name, from which address, through page, API or command line."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from ui.state.people import ACTING, EVERYTHING, Identity

ActorKind = Literal["person", "token", "proxy", "command line", "stranger"]
Channel = Literal["page", "api", "command line"]


@dataclass(frozen=True, slots=True)
class Scene:
    """The place of a request: its address, the channel that it came by, and its visitor, as limits count them."""

    address: str = ""
    channel: Channel = "page"
    visitor: str = ""


SCENE: ContextVar[Scene] = ContextVar("SCENE", default=Scene())  # noqa: B039 - it is frozen
"""The place of the request that this thread or task works for."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who does something; `token` is the number of the token by which a program came, 0 for none."""

    name: str
    kind: ActorKind
    token: int = 0
    address: str = ""
    channel: Channel = "page"


_STAND_IN: ContextVar[Actor | None] = ContextVar("_STAND_IN", default=None)


def person(name: str) -> Actor:
    """Return the person of that name at the scene of the request, which does not know them yet."""
    scene = SCENE.get()
    return Actor(name, "person" if name else "stranger", 0, scene.address, scene.channel)


@contextmanager
def acting_as(actor: Actor | None) -> Iterator[None]:
    """Log actions in the block as done by `actor`, whose request has already been answered."""
    token = _STAND_IN.set(actor)
    try:
        yield
    finally:
        _STAND_IN.reset(token)


@contextmanager
def at_scene(address: str, channel: Channel, visitor: str = "") -> Iterator[None]:
    """Log actions in the block as done from `address` through `channel`."""
    token = SCENE.set(Scene(address, channel, visitor))
    try:
        yield
    finally:
        SCENE.reset(token)


def present_actor(identity: Identity | None = None) -> Actor | None:
    """Return who acts here, or `identity` in their place, at the scene of the request; None for the server itself."""
    if identity is None and ACTING.get() is EVERYTHING:
        return None
    if identity is None and (actor := _STAND_IN.get()):
        return actor
    who, scene = identity or ACTING.get(), SCENE.get()
    kind: ActorKind = "token" if who.token else "proxy" if who.proxied else "person" if who.user_id else "stranger"
    return Actor(who.name, kind, who.token, scene.address, scene.channel)


def command_line() -> Actor:
    """Return the account of this machine that runs a command."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "unknown"
    return Actor(name, "command line", 0, "", "command line")

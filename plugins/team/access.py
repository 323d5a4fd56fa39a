"""The access to a server with quotas alone, or with accounts: who sends a request, their roles, and the audit log.

People are known by a session, by a token or by the header of a proxy. Gradio would keep sessions in memory, by a
cookie. Here they are in the state store, and each request gets a cookie with the person's name and a secret key of
this run instead: what a browser sends under that cookie's name never reaches Gradio.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from starlette.middleware import Middleware
from starlette.requests import Request

from plugins.team.audit_log import AuditLog, person
from plugins.team.credentials import LoginGate, LoginSessions, Tokens
from plugins.team.pages import AccountPages, token_cookies
from plugins.team.people import People, normal_name
from plugins.team.quotas import QuotaAccess, Quotas
from plugins.team.single_sign_on import SingleSignOn
from ui import AddressError, UiSettings
from ui.access import ACTING, Access, Deed, Identity, Outcome, Role, Scope, has_people, may, present_actor
from ui.show import render
from ui.state import StateStore
from ui.web.server import PEER

_BEARER = "bearer "
_SENT = "vouch.sessions"
"""The key of the session cookies that the browser sent, in a request's scope."""


def open_access(state: StateStore, settings: UiSettings, accounts: bool) -> Access:
    """Return TeamAccess with `accounts`, else QuotaAccess. Raises AddressError where nobody could log in."""
    if not accounts:
        return QuotaAccess(settings)
    if not has_people(state):
        raise AddressError("--accounts: nobody can log in yet: vouch admin user add NAME --admin")
    return TeamAccess(state, settings)


class TeamAccess(QuotaAccess):
    """The access of a server with accounts. Raises AddressError for single sign-on that cannot work."""

    has_accounts = True

    def __init__(self, state: StateStore, settings: UiSettings) -> None:
        """Keep the open store; the settings say how long a login lasts, and which proxies are trusted."""
        super().__init__(settings, Quotas(state))
        self.people = People(state)
        self.audit = AuditLog(state, settings.audit_days, settings.audit_questions)
        self.login_sessions = LoginSessions(state, settings.session_hours, settings.session_days)
        self.tokens = Tokens(state)
        self.gate = LoginGate(self.people, self._note_failed_login)
        self._settings = settings
        self._key = secrets.token_hex(32)
        secret = os.environ.get(settings.sso_secret_variable, "")
        self.sign_on = SingleSignOn(settings.sso_issuer, settings.sso_client, secret) if settings.sso_issuer else None

    def may(self, least: Role, collection: str) -> bool:
        """Return True if the current person has at least the role `least` in a collection, existing or not."""
        return may(ACTING.get(), least, collection)

    def grant_ownership(self, collection: str) -> None:
        """Make the creator of a new collection its owner, unless they have a role in it already, and log it."""
        actor = present_actor()
        creator = self.people.identity(actor.name) if actor is not None else None
        if creator is not None and collection not in creator.roles:
            self.people.give(collection, "owner", user=creator.name)
        self.note("make-collection", collection)

    def forget_collection(self, collection: str) -> None:
        """Remove all roles in a deleted collection, so that they do not apply to a new one of its name."""
        self.people.forget_collection(collection)

    def note(
        self,
        deed: Deed,
        collection: str = "",
        thing: str = "",
        outcome: Outcome = "done",
        question: str = "",
    ) -> None:
        """Write an action of the current person into the audit log. Raises AuditUnwritable."""
        self.audit.note(deed, collection, thing, outcome, question)

    def begin_session(self, token: str, name: str) -> None:
        """Begin the session of an authenticated person, and log it."""
        self.login_sessions.begin(token, name)
        self.audit.note("log-in", by=person(normal_name(name)))

    def end_session(self, token: str) -> None:
        """End a session, and log whose it was."""
        identity = self.login_sessions.find(token)
        self.login_sessions.end(token)
        if identity is not None:
            self.audit.note("log-out", by=person(identity.name))

    def _note_failed_login(self, name: str) -> None:
        self.audit.note("log-in", outcome="refused", by=person(name))

    def identify(self, scope: Scope) -> Identity | None:
        """Return the identity of a request's sender, None if unknown. A bearer token alone counts if one is sent."""
        request = Request(scope)
        header = request.headers.get("authorization", "")
        if header[: len(_BEARER)].lower() == _BEARER:
            return self.tokens.find(header[len(_BEARER) :].strip())
        name = self._named_by_proxy(request)
        if name is not None:
            identity = self.people.identity(name)
            return replace(identity, proxied=True) if identity is not None else None
        for token in _sent_sessions(scope).values():
            if (identity := self.login_sessions.find(token)) is not None:
                return identity
        return None

    def _named_by_proxy(self, request: Request) -> str | None:
        """Return the name that a trusted proxy sends; None without one: then there may be a session."""
        header, networks = self._settings.proxy_user_header, self._settings.proxy_addresses
        names = request.headers.getlist(header) if header else []
        if len(names) != 1 or not names[0]:
            return None
        peer = _address(str(request.scope.get(PEER, "")))
        return names[0] if peer is not None and any(peer in network for network in networks) else None

    def admit(self, scope: Scope, identity: Identity | None) -> Scope:
        """Return the scope with its session cookies replaced by one cookie of ours, none for an unknown sender."""
        cookies = token_cookies(scope)
        headers = []
        for name, value in scope["headers"]:
            if name == b"cookie":
                parts = [part.strip() for part in value.decode("latin-1").split(";")]
                other_cookies = "; ".join(part for part in parts if part.partition("=")[0].strip() not in cookies)
                headers += [(name, other_cookies.encode("latin-1"))] if other_cookies else []
            else:
                headers.append((name, value))
        if identity is not None:
            headers.append((b"cookie", f"{cookies[1]}={self._key}{identity.name.encode().hex()}".encode()))
        return {**scope, "headers": headers, _SENT: _sent_sessions(scope)}

    def session_cookies(self, scope: Scope) -> dict[str, str]:
        """Return the session cookies that a browser sent, from a scope that `admit` returned."""
        cookies: dict[str, str] = scope[_SENT]
        return cookies

    def name_of(self, token: str) -> str | None:
        """Return the name in a cookie of ours, or of the person of a session; None for any other token."""
        key, name = token[: len(self._key)], token[len(self._key) :]
        if hmac.compare_digest(key.encode(errors="replace"), self._key.encode()):
            with suppress(ValueError):
                return bytes.fromhex(name).decode()
        identity = self.login_sessions.find(token)
        return identity.name if identity is not None else None

    def page_options(self) -> dict[str, Any]:
        """Return the options of Gradio's `launch` that make it ask for a login."""
        message = render("plugins.team:templates/login.html", sign_on=self.sign_on is not None)
        return {"auth": self.gate.admits_soon, "auth_message": message}

    def sessions(self) -> MutableMapping[str, str]:
        """Return the mapping in which Gradio looks up the name of a person by the token in a cookie."""
        return _Sessions(self)

    def middleware(self, sign: Callable[..., str], origin: str) -> list[Middleware]:
        """Return the middleware that serves the account pages; see `Access.middleware`."""
        return [Middleware(AccountPages, access=self, sign=sign, origin=origin)]


class _Sessions(MutableMapping[str, str]):
    """The sessions as Gradio looks them up. Safe to use from several threads."""

    def __init__(self, access: TeamAccess) -> None:
        self._access = access

    def __getitem__(self, token: str) -> str:
        name = self._access.name_of(token) if token else None  # Gradio looks up None, too, where there is no cookie
        if name is None:
            raise KeyError(token)
        return name

    def __setitem__(self, token: str, name: str) -> None:
        self._access.begin_session(token, name)

    def __delitem__(self, token: str) -> None:
        self._access.end_session(token)

    def __iter__(self) -> Iterator[str]:
        return iter(())  # only hashes of tokens are kept

    def __len__(self) -> int:
        return 0


def _sent_sessions(scope: Scope) -> dict[str, str]:
    cookies = Request(scope).cookies
    return {name: token for name in token_cookies(scope) if (token := cookies.get(name, ""))}


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Return a connection's IP address, an IPv4-mapped one as IPv4; None if it is invalid."""
    with suppress(ValueError):
        address = ip_address(text.partition("%")[0])
        return getattr(address, "ipv4_mapped", None) or address
    return None

"""The doorkeeper: knows people by a session, by a token or by the header of a proxy, and vouches for them to Gradio.

Gradio keeps sessions of its own in memory, by a cookie. Here they are in the state store, and Gradio is told who asks
by a cookie that the doorkeeper puts into the request himself, with a key of this run: what a browser sends under that
name never reaches Gradio.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.requests import Request

from ui.errors import AddressError
from ui.settings import UiSettings
from ui.state import AuditLog, People, StateStore
from ui.state.audit import person
from ui.state.people import Identity, Tokens, Visits
from ui.web.people.sso import SingleSignOn
from ui.web.server import PEER, Accounts, Scope, token_cookies

_BEARER = "bearer "


class PeopleOfServer:
    """The people of one running page: their accounts, sessions and tokens, and the ways in which they come.

    Raises AddressError for single sign-on that cannot work.
    """

    def __init__(self, state: StateStore, settings: UiSettings) -> None:
        """Keep the store, which is open; the settings say how long a login lasts, and which proxy is believed."""
        self.people = People(state)
        self.settings = settings
        self.audit = AuditLog(state, settings.audit_days, settings.audit_questions)
        self.visits = Visits(state, settings.session_hours, settings.session_days)
        self.tokens = Tokens(state)
        self.doorkeeper = Doorkeeper(self)
        secret = os.environ.get(settings.sso_secret_variable, "")
        self.sign_on = SingleSignOn(settings.sso_issuer, settings.sso_client, secret) if settings.sso_issuer else None

    def log_in(self, token: str, name: str) -> None:
        """Begin the session of somebody who proved who they are, and tell the audit log."""
        self.visits.begin(token, name)
        self.audit.note("log-in", by=person(self.people.kept_name(name)))

    def log_out(self, token: str) -> None:
        """End a session, and tell the audit log whose it was."""
        visit = self.visits.find(token)
        self.visits.end(token)
        if visit is not None:
            self.audit.note("log-out", by=person(visit.name))

    def failed_log_in(self, name: str) -> None:
        """Tell the audit log of a wrong password of somebody, "" for a name that nobody has."""
        self.audit.note("log-in", outcome="refused", by=person(name))


def accounts_of(state: StateStore) -> Accounts:
    """Return the accounts of a store, for logins. Raises AddressError where there is nobody who could log in."""
    people = People(state)
    if not people.users():
        raise AddressError("--accounts: nobody can log in yet: vouch admin user add NAME --admin")
    return Accounts(people)


class Doorkeeper(MutableMapping[str, str]):
    """The `Entrance` of a page with people, and Gradio's list of sessions. Safe to use from several threads."""

    def __init__(self, server: PeopleOfServer) -> None:
        """Keep the people; the key by which this run knows its own cookies is made here."""
        self._server = server
        self._key = secrets.token_hex(32)

    def identify(self, scope: Scope) -> Identity | None:
        """Return whose request it is, None for a stranger's. A token that is sent is all that counts."""
        request = Request(scope)
        header = request.headers.get("authorization", "")
        if header[: len(_BEARER)].lower() == _BEARER:
            return self._server.tokens.find(header[len(_BEARER) :].strip())
        named = self._named_by_proxy(request)
        if named is not None:
            found = self._server.people.identity(named)
            return replace(found, proxied=True) if found is not None else None
        for cookie in token_cookies(scope):
            token = request.cookies.get(cookie, "")
            if token and (found := self._server.visits.find(token)) is not None:
                return found
        return None

    def _named_by_proxy(self, request: Request) -> str | None:
        """Return whom a proxy names that is believed, None where none does: then there may be a session."""
        header, believed = self._server.settings.proxy_user_header, self._server.settings.proxy_addresses
        given = request.headers.getlist(header) if header else []
        if len(given) != 1 or not given[0]:
            return None
        peer = _address(str(request.scope.get(PEER, "")))
        return given[0] if peer is not None and any(peer in network for network in believed) else None

    def admit(self, scope: Scope, identity: Identity | None) -> Scope:
        """Return the scope with a cookie of ours in the place of those that name a session."""
        theirs = token_cookies(scope)
        headers = []
        for name, value in scope["headers"]:
            if name == b"cookie":
                parts = [part.strip() for part in value.decode("latin-1").split(";")]
                kept = "; ".join(part for part in parts if part.partition("=")[0].strip() not in theirs)
                headers += [(name, kept.encode("latin-1"))] if kept else []
            else:
                headers.append((name, value))
        if identity is not None:
            ours = f"{theirs[1]}={self._key}{identity.name.encode().hex()}"
            headers.append((b"cookie", ours.encode()))
        return {**scope, "headers": headers}

    def __getitem__(self, token: str) -> str:
        """Return the name in a cookie of ours, or of a session; raises KeyError for any other."""
        if not token:  # Gradio looks up None, too, where there is no cookie
            raise KeyError(token)
        key, name = token[: len(self._key)], token[len(self._key) :]
        if hmac.compare_digest(key.encode(errors="replace"), self._key.encode()):
            with suppress(ValueError):
                return bytes.fromhex(name).decode()
        visit = self._server.visits.find(token)
        if visit is None:
            raise KeyError(token)
        return visit.name

    def __setitem__(self, token: str, name: str) -> None:
        """Begin a session, as Gradio does for whom the accounts let in."""
        self._server.log_in(token, name)

    def __delitem__(self, token: str) -> None:
        """End a session."""
        self._server.log_out(token)

    def __iter__(self) -> Iterator[str]:
        """Iterate over no tokens: only their hashes are kept."""
        return iter(())

    def __len__(self) -> int:
        """Return no number: only hashes are kept."""
        return 0


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address of a connection; one of IPv4 that came by IPv6 as it is in IPv4."""
    with suppress(ValueError):
        address = ip_address(text.partition("%")[0])
        return getattr(address, "ipv4_mapped", None) or address
    return None

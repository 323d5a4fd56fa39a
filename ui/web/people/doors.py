"""Doors: pages at which people come in (by invitation, by single sign-on) and change their password: plain forms."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ui.errors import BadPerson, NotSignedOn
from ui.show import render
from ui.state.audit import person
from ui.state.people import LEAST_PASSWORD, join
from ui.web.people.doorkeeper import PeopleOfServer
from ui.web.people.sso import SignedOn, SignOnStart, SingleSignOn
from ui.web.server import Accounts, App, Receive, Scope, Send, called_at, identity, route, token_cookies, whole
from ui.web.signatures import Signatures

_PATHS = ("/join", "/account", "/sso/login", "/sso/callback")
_STARTED = "vouch-sso"
"""The cookie that binds a sign-on to the browser in which it was begun."""
_SIGN_ON_SECONDS = 600
_UNKNOWN = "You have no account here yet: ask an admin to add you with vouch admin user add {name} --no-password"
_TOO_MANY = "Too many wrong invitations or passwords came from your address: try again in ten minutes."
_NOT_THIS = "That sign-on was started in another browser, or too long ago: start again."


class Doors:
    """The ASGI middleware that answers at the doors, and passes on all other requests."""

    def __init__(
        self,
        app: App,
        server: PeopleOfServer,
        accounts: Accounts,
        signatures: Signatures,
        origin: str = "",
        sign_on: SingleSignOn | None = None,
    ) -> None:
        """Keep the parts; `origin` is the address at which the page is called, "" where each request says it."""
        self._app = app
        self._server = server
        self._accounts = accounts
        self._signatures = signatures
        self._origin = origin
        self._sign_on = sign_on

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        path = route(scope).rstrip("/") if scope["type"] == "http" else ""
        if path not in _PATHS:
            await self._app(scope, receive, send)
            return
        if scope["method"] == "POST":
            sent = parse_qs((await whole(receive)).decode(errors="replace"), max_num_fields=10)
            fields = {name: values[0] for name, values in sent.items()}
            answer = await self._accounts.in_turn(self._respond, path, Request(scope), fields)
        else:
            answer = await anyio.to_thread.run_sync(self._respond, path, Request(scope), {})
        await answer(scope, receive, send)

    def _respond(self, path: str, request: Request, fields: dict[str, str]) -> Response:
        if request.method not in ("GET", "POST") or (path.startswith("/sso/") and request.method != "GET"):
            return _page("join", 405, said="That request is not valid: reload the page.")
        doors: dict[str, Callable[[Request, dict[str, str]], Response]] = {
            "/join": self._create_account,
            "/account": self._change_password,
            "/sso/login": self._begin_sign_on,
            "/sso/callback": self._come_back,
        }
        try:
            return doors[path](request, fields)
        except (BadPerson, NotSignedOn) as error:
            return _page("account" if path == "/account" else "join", 400, said=f"{error}.")

    def _create_account(self, request: Request, fields: dict[str, str]) -> Response:
        """Create the account that an invitation is for."""
        if request.method == "GET":
            return _page("join")
        if not self._accounts.may_join():
            return _page("join", 429, said=_TOO_MANY)
        name, password = fields.get("username", ""), fields.get("password", "")
        try:
            join(self._server.people.state, fields.get("invitation", "").strip(), name, password)
        except BadPerson:
            self._accounts.count_failure()
            raise
        self._server.audit.note("join", by=person(self._server.people.kept_name(name)))
        return _page("done", said="Your account was created. Log in with your name and password.")

    def _change_password(self, request: Request, fields: dict[str, str]) -> Response:
        """Change the password of the person who is logged in; the current one is required."""
        person = identity(request.scope)
        if not person.user_id or person.token:
            return _page("join", 401, said="Log in first.")
        if request.method == "GET":
            return _page("account", name=person.name)
        if not self._accounts.admits(person.name, fields.get("password", "")):
            self._server.audit.note("set-password", thing=person.name, outcome="refused")
            return _page("account", 403, said="That is not your current password.", name=person.name)
        with self._server.audit.record("set-password", thing=person.name):
            self._server.people.set_password(person.name, fields.get("new", ""))
        return _page("done", said="Your password was changed, and you were logged out everywhere. Log in again.")

    def _begin_sign_on(self, request: Request, _: dict[str, str]) -> Response:
        """Redirect a browser to the provider, with a cookie that it has to send back."""
        if self._sign_on is None:
            return _page("join", 404, said="There is no single sign-on here.")
        sign_on = self._sign_on.start(self._redirect(request))
        answer = RedirectResponse(sign_on.address, 303)
        cookie = json.dumps([sign_on.state, sign_on.nonce, sign_on.verifier, time.time() + _SIGN_ON_SECONDS])
        value = base64.urlsafe_b64encode(cookie.encode()).decode()
        answer.set_cookie(_STARTED, f"{value}.{self._signatures.of(_STARTED, value)}", max_age=_SIGN_ON_SECONDS)
        return answer

    def _come_back(self, request: Request, _: dict[str, str]) -> Response:
        """Begin the session of whoever comes back from the provider with its proof."""
        sign_on = self._pending_sign_on(request)
        parameters = request.query_params
        if self._sign_on is None or sign_on is None or not secrets.compare_digest(
            parameters.get("state", "").encode(), sign_on.state.encode()
        ):  # fmt: skip
            raise NotSignedOn(_NOT_THIS.rstrip("."))
        who = self._sign_on.finish(self._redirect(request), parameters.get("code", ""), sign_on)
        token = secrets.token_urlsafe(24)
        self._server.log_in(token, self._user(who))
        answer = RedirectResponse(f"{self._base(request)}/", 303)
        answer.set_cookie(token_cookies(request.scope)[1], token)
        answer.delete_cookie(_STARTED)
        return answer

    def _pending_sign_on(self, request: Request) -> SignOnStart | None:
        """Return the sign-on that this browser began recently, None if there is none."""
        value, _, signature = request.cookies.get(_STARTED, "").partition(".")
        if not self._signatures.fit(signature, _STARTED, value):
            return None
        with suppress(ValueError, TypeError):
            state, nonce, verifier, until = json.loads(base64.urlsafe_b64decode(value))
            if time.time() < until:
                return SignOnStart("", state, nonce, verifier)
        return None

    def _user(self, who: SignedOn) -> str:
        """Return the user whom a provider vouches for: the one bound to its person, else one who waits by that address.

        A user without a password whose name is a verified e-mail address is bound to the first who proves it.
        """
        people = self._server.people
        user = people.of_subject(who.subject) or (people.bind_subject(who.email, who.subject) if who.email else None)
        if user is None:
            raise NotSignedOn(_UNKNOWN.format(name=who.email or "NAME"))
        return user

    def _redirect(self, request: Request) -> str:
        return f"{self._base(request)}/sso/callback"

    def _base(self, request: Request) -> str:
        return called_at(request.scope, self._origin)


def _page(template: str, status: int = 200, **holes: Any) -> Response:
    values = {"said": "", "name": "", "least": LEAST_PASSWORD} | holes
    return HTMLResponse(render(f"web/people/templates/{template}.html", **values), status)

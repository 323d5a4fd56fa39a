"""The pages for joining by invitation, for single sign-on, for changing a password, and for logging out."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from plugins.team.audit_log import person
from plugins.team.people import LEAST_PASSWORD, normal_name
from plugins.team.single_sign_on import SignOnStart
from ui import BadPerson, NotSignedOn
from ui.show import render
from ui.web.server import App, Receive, Scope, Send, called_at, identity, read_body, route

if TYPE_CHECKING:
    from plugins.team.access import TeamAccess

_STARTED = "vouch-sso"
"""The cookie that binds a sign-on to the browser in which it was begun."""
_SIGN_ON_SECONDS = 600
_INVALID = "That request is not valid: reload the page."
_UNKNOWN = "You have no account here yet: ask an admin to add you with vouch admin user add {name} --no-password"
_TOO_MANY = "Too many wrong invitations or passwords came from your address: try again in ten minutes."
_NOT_THIS = "That sign-on was started in another browser, or too long ago: start again"


class AccountPages:
    """The ASGI middleware that serves these pages, and passes on all other requests."""

    def __init__(self, app: App, access: TeamAccess, sign: Callable[..., str], origin: str = "") -> None:
        """Keep app and access; `sign` returns the server's signature of texts.

        `origin` is the address of the page, "" if it is taken from each request.
        """
        self._app = app
        self._access = access
        self._sign = sign
        self._origin = origin
        self._pages: dict[str, Callable[[Request, dict[str, str]], Response]] = {
            "/join": self._create_account,
            "/account": self._change_password,
            "/logout": self._log_out,
            "/sso/login": self._begin_sign_on,
            "/sso/callback": self._finish_sign_on,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for one of the pages, in a thread; pass on any other."""
        path = route(scope).rstrip("/") if scope["type"] == "http" else ""
        if path not in self._pages:
            await self._app(scope, receive, send)
            return
        if scope["method"] == "POST":
            form = parse_qs((await read_body(receive)).decode(errors="replace"), max_num_fields=10)
            fields = {name: values[0] for name, values in form.items()}
            response = await self._access.gate.in_turn(self._respond, path, Request(scope), fields)
        else:
            response = await anyio.to_thread.run_sync(self._respond, path, Request(scope), {})
        await response(scope, receive, send)

    def _respond(self, path: str, request: Request, fields: dict[str, str]) -> Response:
        if path != "/logout" and request.method not in (("GET",) if path.startswith("/sso/") else ("GET", "POST")):
            return _page("join", 405, message=_INVALID)
        try:
            return self._pages[path](request, fields)
        except (BadPerson, NotSignedOn) as error:
            return _page("account" if path == "/account" else "join", 400, message=f"{error}.")

    def _log_out(self, request: Request, _: dict[str, str]) -> Response:
        """End a session when its own page asks by POST; a link to /logout ends none."""
        if request.method != "POST":
            return PlainTextResponse("Log out with POST, as the page does.", 405, headers={"allow": "POST"})
        response = Response(status_code=204)
        for name, token in self._access.session_cookies(request.scope).items():
            self._access.end_session(token)
            response.delete_cookie(name)
        return response

    def _create_account(self, request: Request, fields: dict[str, str]) -> Response:
        """Create the account that an invitation is for."""
        if request.method == "GET":
            return _page("join")
        gate = self._access.gate
        if not gate.may_join():
            return _page("join", 429, message=_TOO_MANY)
        name = fields.get("username", "")
        try:
            self._access.people.join(fields.get("invitation", "").strip(), name, fields.get("password", ""))
        except BadPerson:
            gate.count_failure()
            raise
        self._access.audit.note("join", by=person(normal_name(name)))
        return _page("done", message="Your account was created. Log in with your name and password.")

    def _change_password(self, request: Request, fields: dict[str, str]) -> Response:
        """Change the password of the person who is logged in; the current one is required."""
        name = identity(request.scope).name
        if not name or identity(request.scope).token:
            return _page("join", 401, message="Log in first.")
        if request.method == "GET":
            return _page("account", name=name)
        if not self._access.gate.admits(name, fields.get("password", "")):
            self._access.audit.note("set-password", thing=name, outcome="refused")
            return _page("account", 403, message="That is not your current password.", name=name)
        with self._access.audit.record("set-password", thing=name):
            self._access.people.set_password(name, fields.get("new", ""))
        return _page("done", message="Your password was changed, and you were logged out everywhere. Log in again.")

    def _begin_sign_on(self, request: Request, _: dict[str, str]) -> Response:
        """Redirect a browser to the provider, with a cookie that it has to send back."""
        if self._access.sign_on is None:
            return _page("join", 404, message="There is no single sign-on here.")
        sign_on = self._access.sign_on.start(self._url(request, "/sso/callback"))
        response = RedirectResponse(sign_on.address, 303)
        cookie = json.dumps([sign_on.state, sign_on.nonce, sign_on.verifier, time.time() + _SIGN_ON_SECONDS])
        value = base64.urlsafe_b64encode(cookie.encode()).decode()
        response.set_cookie(_STARTED, f"{value}.{self._sign(_STARTED, value)}", max_age=_SIGN_ON_SECONDS)
        return response

    def _finish_sign_on(self, request: Request, _: dict[str, str]) -> Response:
        """Begin the session of a person who returns from the provider with a valid proof."""
        sign_on, query = self._pending_sign_on(request), request.query_params
        if self._access.sign_on is None or sign_on is None or not hmac.compare_digest(
            query.get("state", "").encode(), sign_on.state.encode()
        ):  # fmt: skip
            raise NotSignedOn(_NOT_THIS)
        address = self._url(request, "/sso/callback")
        subject, email = self._access.sign_on.finish(address, query.get("code", ""), sign_on)
        name = self._access.people.of_subject(subject, email)
        if name is None:
            raise NotSignedOn(_UNKNOWN.format(name=email or "NAME"))
        token = secrets.token_urlsafe(24)
        self._access.begin_session(token, name)
        response = RedirectResponse(self._url(request, "/"), 303)
        response.set_cookie(token_cookies(request.scope)[1], token)
        response.delete_cookie(_STARTED)
        return response

    def _pending_sign_on(self, request: Request) -> SignOnStart | None:
        """Return the sign-on that this browser began recently, None if there is none."""
        value, _, signature = request.cookies.get(_STARTED, "").partition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(_STARTED, value).encode()):
            return None
        with suppress(ValueError, TypeError):
            state, nonce, verifier, until = json.loads(base64.urlsafe_b64decode(value))
            if time.time() < until:
                return SignOnStart("", state, nonce, verifier)
        return None

    def _url(self, request: Request, path: str) -> str:
        return f"{called_at(request.scope, self._origin)}{path}"


def token_cookies(scope: Scope) -> tuple[str, str]:
    """Return the names of the two cookies in which Gradio stores the token of a session."""
    made_for = scope["app"].cookie_id
    return f"access-token-{made_for}", f"access-token-unsecure-{made_for}"


def _page(template: str, status: int = 200, message: str = "", name: str = "") -> Response:
    html = render(f"plugins.team:templates/{template}.html", said=message, name=name, least=LEAST_PASSWORD)
    return HTMLResponse(html, status)

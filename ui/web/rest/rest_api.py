"""The HTTP API under /api/v1: each request is matched with the route table, found fit, worked on, and told of."""

from __future__ import annotations

import inspect
import json
from functools import partial
from typing import TYPE_CHECKING, cast

import anyio.to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ui.errors import ApiRefusal, OverSpace, TooLate, TooMuch
from ui.web.rest import answering, jobs, shelves
from ui.web.rest.cursors import tagged
from ui.web.rest.description import described
from ui.web.rest.problems import DOCS, nothing_here, refusal_of, told, unfit
from ui.web.rest.repeats import Repeats, checked_key, fingerprint, repeated
from ui.web.rest.route_table import ApiCall, Desk, Operation, Threads, check_role, parts_of
from ui.web.server import REST, App, Receive, Scope, Send, is_rest, may_see, route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.web.ask import Asking
    from ui.web.uploads import Uploads

OPERATIONS: Sequence[Operation] = (*shelves.OPERATIONS, *answering.OPERATIONS, *jobs.OPERATIONS)
"""The route table."""
_GONE = 499


class RestApi:
    """The ASGI middleware that answers requests under /api/v1, and passes on all others."""

    def __init__(self, app: App, asking: Asking, uploads: Uploads) -> None:
        """Keep the parts."""
        self._app = app
        self._audit = asking.open_collections.audit
        self._description = b""
        self._desk = Desk(
            asking,
            uploads,
            uploads.settings,
            jobs.Jobs(uploads, asking),
            answering.KeptAnswers(asking.state),
            Repeats(),
            self._described,
            Threads(uploads.settings.max_all_asks),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        path = route(scope) if scope["type"] == "http" else ""
        if not is_rest(path):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self._answered(request, path.removeprefix(REST))
        except OverSpace as error:
            response = told(refusal_of(error))
        except (TooMuch, TooLate):  # `Bodies` tells it, once it has taken what still comes
            raise
        except ClientDisconnect:
            response = Response(status_code=_GONE)
        except Exception as error:  # noqa: BLE001 - the edge of the process: told as a problem, a fault of ours logged
            response = told(refusal_of(error))
        response.headers.setdefault("cache-control", "no-store")
        await response(scope, receive, send)

    def _described(self) -> bytes:
        if not self._description:
            self._description = json.dumps(described(OPERATIONS, self._desk.limits)).encode()
        return self._description

    async def _answered(self, request: Request, path: str) -> Response:
        """Answer a request. Raises ApiRefusal and other errors of ours."""
        found = [(one, match) for one in OPERATIONS if (match := one.pattern.fullmatch(path.removesuffix("/")))]
        if not found:
            raise nothing_here()
        method = "GET" if request.method == "HEAD" else request.method
        chosen = next(((one, match) for one, match in found if one.method == method), None)
        if chosen is None:
            return _other_method(request.method, [one for one, _ in found])
        operation, match = chosen
        if operation.least is not None and not may_see(request.scope):
            raise _log_in()
        parts = parts_of(match.groupdict())
        if operation.least is not None:
            check_role(request.scope, operation.least, parts.get("collection"), self._audit, operation.deed)
        query, body = _query(operation, request), await _body(operation, request)
        call = ApiCall(request, operation, parts, query, body, self._audit)
        response = await self._worked(call)
        if operation.cached:
            known = request.headers.get("if-none-match", "")
            keep = response.headers.get("cache-control", "private, no-cache")
            return response if response.status_code == 304 else tagged(response, known, keep)
        return response

    async def _worked(self, call: ApiCall) -> Response:
        """Do the work of a call, once for each Idempotency-Key."""
        key = call.request.headers.get("idempotency-key")
        if key is None or not call.operation.repeatable or call.operation.uploads:  # those see to it themselves
            return await self._done(call)
        who, said = call.who, fingerprint(call.operation.name, call.request.url.path, await call.request.body())
        if "text/event-stream" in call.request.headers.get("accept", ""):
            return await self._done(call)  # it is refused
        if done := self._desk.repeats.begin(who, checked_key(key), said):
            return repeated(done)
        response: Response | None = None
        try:
            response = await self._done(call)
        finally:
            self._desk.repeats.end(who, key, response)
        return response

    async def _done(self, call: ApiCall) -> Response:
        work = call.operation.work
        if inspect.iscoroutinefunction(work):
            return cast("Response", await work(self._desk, call))
        limiter = self._desk.threads.of("slow" if call.operation.slow else "quick")
        return cast("Response", await anyio.to_thread.run_sync(partial(work, self._desk, call), limiter=limiter))


def _log_in() -> ApiRefusal:
    then = "POST username and password to /login and send the cookie, or a token: Authorization: Bearer vch_..."
    return ApiRefusal(
        401, "unknown-caller", "log in first", then, headers={"www-authenticate": 'Session realm="Vouch"'}
    )


def _other_method(method: str, found: Sequence[Operation]) -> Response:
    """Tell which methods an address takes."""
    known = {one.method for one in found}
    allowed = ", ".join(sorted({*known, "OPTIONS", *(("HEAD",) if "GET" in known else ())}))
    if method == "OPTIONS":
        return Response(status_code=204, headers={"allow": allowed})
    why = f"this address takes {allowed}, not {method[:20]}"
    return told(ApiRefusal(405, "other-method", why, DOCS, headers={"allow": allowed}))


def _query(operation: Operation, request: Request) -> BaseModel | None:
    """Return the query as its model. Raises ApiRefusal, 422."""
    sent = request.query_params.multi_items()
    names = [name for name, _ in sent]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ApiRefusal(422, "unfit-request", f"{twice[:60]}: given twice", "send it once")
    if operation.query is None:
        if sent:
            why = f"there is no parameter {names[0][:60]!r}: none is expected here"
            raise ApiRefusal(422, "unfit-request", why, "leave out the query")
        return None
    try:
        return operation.query.model_validate(dict(sent))
    except ValidationError as error:
        raise unfit(error, "the query", operation.query.model_fields) from None


async def _body(operation: Operation, request: Request) -> BaseModel | None:
    """Return the body as its model. Raises ApiRefusal: 400, 415 or 422."""
    if operation.takes is None:
        return None
    # A page of another site cannot send this type without asking first, which is not allowed to it.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        then = "send JSON with content-type: application/json"
        raise ApiRefusal(415, "unfit-type", f"the content type of the body is not JSON: {kind[:60] or 'none'}", then)
    content = await request.body()
    try:
        return operation.takes.model_validate_json(content)
    except ValidationError as error:
        raise unfit(error, "the body", operation.takes.model_fields) from None

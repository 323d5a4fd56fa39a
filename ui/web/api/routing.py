"""The routes of the API: how an operation is declared, and what is checked before FastAPI reads a body."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from http import HTTPStatus
from typing import Any, TypeVar, get_type_hints

import anyio.to_thread
from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from indexing import COLLECTION_NAME
from ui.access import Deed, Role
from ui.errors import ApiRefusal, OverSpace, TooLate, TooMuch
from ui.web.api.context import ApiCall
from ui.web.api.problems import no_json, nothing_here, refusal_of, response_of, unfit
from ui.web.api.streams import interrupt_on_disconnect
from ui.web.server import PROBLEM, REST

Endpoint = Callable[..., Any]
F = TypeVar("F", bound=Endpoint)
JSON = "application/json"
STREAM = "text/event-stream"
_GONE = 499
_EVERY = (400, 401, 403)
_OF_POSTS = (408, 413, 415, 422, 429, 503)
_PROBLEM = {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemRecord"}}}
_TEXT = {"schema": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of an operation: the least role (None: no login needed), and its name in the audit log if refused.

    `slow`: it has a thread of the limit for slow work, and is stopped when the caller disconnects. `refusals` are the
    statuses of its problems besides the usual ones.
    """

    least: Role | None
    deed: Deed = "open"
    slow: bool = False
    refusals: tuple[int, ...] = ()


_RULES: dict[Endpoint, Rules] = {}


class OperationRoute(APIRoute):
    """A route that checks role and form of a request first, and turns exceptions into problem+json."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that answers a request to the route."""
        respond, rules, field_names = super().get_route_handler(), _RULES[self.endpoint], _fields_of(self.endpoint)

        async def answer(request: Request) -> Response:
            try:
                _check_caller(rules, request)
                _check_form(self, request, field_names)
                response = await respond(request)
            except OverSpace as error:
                response = response_of(refusal_of(error))
            except (TooMuch, TooLate):  # `Bodies` answers, once it has taken what still comes
                raise
            except ClientDisconnect:
                response = Response(status_code=_GONE)
            except RequestValidationError as error:
                response = response_of(unfit(error.errors(), field_names))
            except HTTPException:  # FastAPI could not read the body
                response = response_of(no_json("it is not UTF-8, nested too deeply, or has too long a number"))
            except Exception as error:  # noqa: BLE001 - the boundary of the process: a fault of ours is logged
                response = response_of(refusal_of(error))
            response.headers.setdefault("cache-control", "no-store")
            return response

        return answer


class OperationRouter(APIRouter):
    """A router whose routes are declared as operations, with their rules."""

    def operation(
        self,
        method: str,
        path: str,
        rules: Rules,
        *,
        status: int = 200,
        name: str = "",
        gives: type[BaseModel] | None = None,
        content: Mapping[str, Any] | None = None,
        takes: Mapping[str, Any] | None = None,
    ) -> Callable[[F], F]:
        """Return a decorator that adds a function as an operation; its docstring is the description.

        For OpenAPI `gives` and `content` describe a response other than the returned record, `takes` a body other than
        JSON. A function that is not a coroutine runs on a thread.
        """

        def declare(function: F) -> F:
            endpoint = function if inspect.iscoroutinefunction(function) else _on_thread(function, rules.slow)
            _RULES[endpoint] = rules
            text = " ".join((inspect.getdoc(function) or "").split())
            hint = get_type_hints(function).get("return")
            self.add_api_route(
                f"{REST}{path}",
                endpoint,
                methods=[method],
                route_class_override=OperationRoute,
                status_code=status,
                operation_id=name or function.__name__,
                tags=[path.strip("/").partition("/")[0] or "start"],
                summary=text.partition(". ")[0].partition(": ")[0].rstrip("."),
                description=text + (f" Least role: {rules.least}." if rules.least else ""),
                response_model=gives or (hint if isinstance(hint, type) and issubclass(hint, BaseModel) else None),
                response_class=Response if content and gives is None else self.default_response_class,
                responses=_responses(method, path, status, rules, content),
                openapi_extra=({"x-least-role": rules.least} if rules.least else {})
                | ({"requestBody": {"required": True, "content": takes}} if takes else {}),
            )
            return function

        return declare


def _responses(
    method: str, path: str, status: int, rules: Rules, content: Mapping[str, Any] | None
) -> dict[int | str, dict[str, Any]]:
    """Return the responses of an operation for OpenAPI, by status, besides the record that it returns."""
    table: dict[int | str, dict[str, Any]] = {status: {"headers": {"Location": _TEXT}}} if status in (201, 202) else {}
    if content:
        table.setdefault(status, {})["content"] = dict(content)
    statuses = {*_EVERY, *rules.refusals, *(_OF_POSTS if method == "POST" else ()), *((404,) if "{" in path else ())}
    for code in sorted(statuses):
        table[code] = {"description": f"{HTTPStatus(code).phrase}.", "content": _PROBLEM}
    return table | {"default": {"description": "Any other error.", "content": _PROBLEM}}


def _on_thread(function: Endpoint, slow: bool) -> Endpoint:
    """Return a coroutine function that calls `function` on a thread, within the server's limit of such threads."""

    @wraps(function)
    async def call_on_thread(**arguments: Any) -> Any:
        call: ApiCall = arguments["call"]
        work = partial(function, **arguments)
        if not slow:
            return await anyio.to_thread.run_sync(work, limiter=call.server.quick)
        async with interrupt_on_disconnect(call.request.receive):
            return await anyio.to_thread.run_sync(work, limiter=call.server.slow)

    return call_on_thread


def _fields_of(function: Endpoint) -> dict[str, list[str]]:
    """Return the field names of a function's models: under "query" those of the query, under "body" of the body."""
    field_names: dict[str, list[str]] = {}
    for hint in get_type_hints(function, include_extras=True).values():
        model = getattr(hint, "__origin__", hint)
        if isinstance(model, type) and issubclass(model, BaseModel):
            field_names["query" if hasattr(hint, "__metadata__") else "body"] = list(model.model_fields)
    return field_names


def _check_caller(rules: Rules, request: Request) -> None:
    """Raise ApiRefusal for a stranger, and for a caller whose role is too low."""
    call = ApiCall(request.app.state.server, request)
    if rules.least is None:
        return
    if not call.may(rules.least):
        then = "POST username and password to /login and send the cookie, or a token: Authorization: Bearer vch_..."
        challenge = {"www-authenticate": 'Session realm="Vouch"'}
        raise ApiRefusal(401, "unknown-caller", "log in first", then, headers=challenge)
    if (collection := request.path_params.get("collection")) is not None:
        if not re.fullmatch(COLLECTION_NAME, collection):
            raise nothing_here("there is nothing at this address: that is not a valid collection")
        call.require(rules.least, collection, rules.deed)


def _check_form(route: APIRoute, request: Request, field_names: Mapping[str, Sequence[str]]) -> None:
    """Raise ApiRefusal for a query where none is expected, a parameter given twice, and a body that is not JSON."""
    names = [name for name, _ in request.query_params.multi_items()]
    if names and "query" not in field_names:
        why = f"there is no parameter {names[0][:60]!r}: none is expected here"
        raise ApiRefusal(422, "unfit-request", why, "leave out the query")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ApiRefusal(422, "unfit-request", f"{twice[:60]}: given twice", "send it once")
    # A page of another site cannot send this type without asking first, which is not allowed to it.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if route.body_field is not None and kind != JSON:
        why = f"the content type of the body is not JSON: {kind[:60] or 'none'}"
        raise ApiRefusal(415, "unfit-type", why, f"send JSON with content-type: {JSON}")

"""The routes of the API: how an operation is declared, its context, and answers that stop with their reader."""

from __future__ import annotations

import inspect
import re
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import partial, wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_type_hints

import anyio
import anyio.to_thread
from fastapi import APIRouter, Depends, Path
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from indexing import COLLECTION_NAME
from rag import Answered, Checked, Planned, Searched
from ui.access import NOBODY, Deed, Role
from ui.errors import ApiRefusal, Interrupted, OverSpace, TooLate, TooMuch
from ui.web.api.problems import no_collection, no_json, nothing_here, refusal_of, response_of, unfit
from ui.web.messages import STREAMED, AnswerRecord, Form, record_of
from ui.web.server import PROBLEM, REST, Receive, Scope, Send, caller, has_role, identity, visitor

if TYPE_CHECKING:
    from rag import Answer, Event
    from ui.state import GivenAnswerStore
    from ui.web.api.jobs import Jobs
    from ui.web.ask import Asking
    from ui.web.uploads import Uploads


@dataclass(frozen=True, slots=True)
class ServerContext:
    """The parts of a running server that operations work with.

    `asks`, `slow` and `quick` limit the threads for questions, for other slow operations, and for quick ones.
    """

    asking: Asking
    uploads: Uploads
    jobs: Jobs
    answers: GivenAnswerStore
    asks: anyio.CapacityLimiter
    slow: anyio.CapacityLimiter
    quick: anyio.CapacityLimiter


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A request to an operation, over HTTP or by a tool."""

    server: ServerContext
    request: Request

    @property
    def who(self) -> str:
        """The caller who owns jobs and answers: an account or a browser, else an address."""
        return visitor(self.request.scope) or f"address {caller(self.request.scope)}"

    @property
    def account(self) -> str:
        """The name of the caller's account, "" where there are no accounts."""
        return identity(self.request.scope).name

    def may(self, least: Role, collection: str | None = None) -> bool:
        """Return True if the caller has at least that role in a collection; without one, if they are logged in."""
        scope = self.request.scope
        return identity(scope) is not NOBODY if collection is None else has_role(scope, least, collection)

    def require(self, least: Role, collection: str, deed: Deed = "open") -> None:
        """Raise ApiRefusal for a caller without at least that role, and write that to the audit log.

        It is 404 if they may not even read the collection, as for one that does not exist; otherwise 403.
        """
        if self.may(least, collection):
            return
        self.server.asking.open_collections.access.note(deed, collection, outcome="refused")
        if not self.may("reader", collection):
            raise no_collection()
        raise ApiRefusal(403, "not-allowed", f"this needs the role {least} in {collection}", "ask an owner for it")

    def address(self, path: str) -> str:
        """Return the address of `path` in the API, with the root path at which a proxy serves the page."""
        return f"{str(self.request.scope.get('root_path', '')).rstrip('/')}{REST}{path}"


def _call(request: Request) -> ApiCall:
    return ApiCall(request.app.state.server, request)


def _canonical(text: object) -> object:
    """Return the text of a number unchanged. Raises ValueError for another spelling of it, such as 01 and +1."""
    if isinstance(text, str) and not (text.isascii() and text.isdigit() and text[0] != "0"):
        raise ValueError("a number without leading zeros")
    return text


_ID = r"^[0-9a-f]{32}$"
CurrentCall = Annotated[ApiCall, Depends(_call)]
CollectionName = Annotated[
    str, Path(pattern=f"^{COLLECTION_NAME}$", description="the name of a collection", examples=["samples"])
]
DocumentId = Annotated[str, Path(pattern=f"^{COLLECTION_NAME}$", description="the id of a document")]
PageNumber = Annotated[int, BeforeValidator(_canonical), Path(ge=1, le=999_999, description="the page, from 1")]
AnswerId = Annotated[str, Path(pattern=_ID, description="the id of an answer")]
JobId = Annotated[str, Path(pattern=_ID, description="the id of a job")]
ExportForm = Annotated[Form, Path(description="the form of an export")]
AnchorText = Annotated[
    str, Path(pattern=r"^vouch1:[A-Za-z0-9_-]{1,249}$", description="an anchor, as in answers and exports")
]


Finish = Callable[["Answer"], AnswerRecord]
_CLIENT_GONE: ContextVar[Callable[[], bool]] = ContextVar("gone", default=bool)
"""A function that returns True once the caller has disconnected; the threads of a request inherit it."""
_BEAT_SECONDS = 15.0
"""The seconds after which a comment keeps a proxy from closing a connection on which nothing comes."""


@contextmanager
def interrupt_when(is_gone: Callable[[], bool]) -> Iterator[None]:
    """Make `last_answer`, called in the block, raise Interrupted once `is_gone` returns True."""
    token = _CLIENT_GONE.set(is_gone)
    try:
        yield
    finally:
        _CLIENT_GONE.reset(token)


@asynccontextmanager
async def interrupt_on_disconnect(receive: Receive, stop: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
    """Make `last_answer`, called in the block, raise Interrupted once the client disconnects; `stop` is called then.

    The body of the request has to be read before.
    """
    disconnect = threading.Event()

    async def listen() -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        disconnect.set()
        stop()

    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        try:
            with interrupt_when(disconnect.is_set):
                yield
        except Exception as error:  # noqa: BLE001 - raised again outside of the group, which would wrap it
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure


def last_answer(events: Generator[Event]) -> Answer:
    """Consume the events of an answer and return it. Raises Interrupted once the caller is gone (`interrupt_when`)."""
    is_gone, last = _CLIENT_GONE.get(), deque[Any](maxlen=1)
    with closing(events):
        for event in events:
            if is_gone():
                raise Interrupted("the request was cancelled")
            last.append(event)
    return cast("Answered", last[0]).answer


class AnswerStream(StreamingResponse):
    """The response that sends the events of an answer; the answer is stopped when the caller disconnects."""

    media_type = "text/event-stream"

    def __init__(
        self, events: Generator[Event], stop: Callable[[], None], finish: Finish, limiter: anyio.CapacityLimiter
    ) -> None:
        """Keep the parts. `stop` ends the work at the next event, `finish` makes the record of the complete answer.

        Events are made on a thread, of as many answers at a time as `limiter` allows; none before `begin`.
        """
        super().__init__(self._lines(), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._events = events
        self._stop = stop
        self._finish = finish
        self._limiter = limiter
        self._next: tuple[str, bytes] | None = None
        self._gone = False

    async def begin(self, receive: Receive) -> AnswerStream:
        """Make the first event, and return the stream. Raises what that raises, so that it can be an error response."""
        async with interrupt_on_disconnect(receive, self._stop):
            self._next = await self._next_event()
        return self

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until the client disconnects."""
        try:
            async with interrupt_on_disconnect(receive, self._hang_up), anyio.create_task_group() as group:
                group.start_soon(_beat, send)
                await self.stream_response(send)
                group.cancel_scope.cancel()
        finally:
            self._stop()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._events.close)

    def _hang_up(self) -> None:
        self._gone = True
        self._stop()

    async def _lines(self) -> AsyncIterator[bytes]:
        number = 0
        while self._next is not None and not self._gone:
            name, data = self._next
            number += 1
            yield b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), data)
            if name in ("answered", "failed"):
                return
            try:
                self._next = await self._next_event()
            except Exception as error:  # noqa: BLE001 - the status is sent: the last event says what failed
                self._next = "failed", bytes(response_of(refusal_of(error)).body)

    async def _next_event(self) -> tuple[str, bytes] | None:
        """Return the name and the data of the next event; None at the end."""

        def make() -> tuple[str, bytes] | None:
            event = next(self._events, None)
            if event is None:
                return None
            name, message = event_message(event, self._finish)
            return name, message.model_dump_json().encode()

        return await anyio.to_thread.run_sync(make, limiter=self._limiter)


async def _beat(send: Send) -> None:
    """Send a comment every 15 seconds, until it is cancelled, so that a proxy keeps the connection open."""
    while True:
        await anyio.sleep(_BEAT_SECONDS)
        await send({"type": "http.response.body", "body": b": still working\n\n", "more_body": True})


def event_message(event: Event, finish: Finish) -> tuple[str, BaseModel]:
    """Return the name of an event and its message; `finish` makes that of the answer."""
    values: dict[str, Any]
    match event:
        case Answered():
            return "answered", finish(event.answer)
        case Planned():
            values = {"queries": event.queries.to_json()}
        case Searched():
            pages = [asdict(page) for page in event.pages]
            values = {"evidence": [e.to_json() for e in event.evidence], "pages": pages}
        case Checked():
            values = {"index": event.index, "sentence": event.sentence.to_json()}
        case _:
            values = asdict(event)
    name = type(event).__name__.lower()
    return name, record_of(STREAMED[name], values)


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

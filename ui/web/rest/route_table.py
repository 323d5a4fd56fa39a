"""The route table: each operation of the API, with all that serving it and describing it must know."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

import anyio
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from indexing import COLLECTION_NAME
from ui.errors import ApiRefusal
from ui.state.people import Role
from ui.web.messages import Form
from ui.web.rest.permission import may, who
from ui.web.rest.problems import no_collection, nothing_here
from ui.web.server import REST, Scope

if TYPE_CHECKING:
    from ui.settings import UiSettings
    from ui.state.audit import AuditLog, Deed
    from ui.web.ask import Asking
    from ui.web.rest.answering import KeptAnswers
    from ui.web.rest.jobs import Jobs
    from ui.web.rest.repeats import Repeats
    from ui.web.uploads import Uploads

Method = Literal["GET", "POST", "DELETE"]
B = TypeVar("B", bound=BaseModel)
Work = Callable[["Desk", "ApiCall"], "Response | Awaitable[Response]"]
"""The work of an operation: a function that runs on a thread, or a coroutine."""

_HEX = r"^[0-9a-f]{32}$"
PARTS: Mapping[str, Any] = {
    "collection": Annotated[
        str,
        Field(pattern=f"^{COLLECTION_NAME}$", description="the name of a collection", examples=["samples"]),
    ],
    "document": Annotated[str, Field(pattern=f"^{COLLECTION_NAME}$", description="the id of a document")],
    "page": Annotated[int, Field(ge=1, le=999_999, description="the page, from 1")],
    "answer": Annotated[str, Field(pattern=_HEX, description="the id of an answer")],
    "job": Annotated[str, Field(pattern=_HEX, description="the id of a job")],
    "form": Annotated[Form, Field(description="the form of an export")],
    "anchor": Annotated[
        str, Field(pattern=r"^vouch1:[A-Za-z0-9_-]{1,249}$", description="an anchor, as in answers and exports")
    ],
}
"""The parts of addresses, by their names in the table."""
_READERS: Mapping[str, TypeAdapter[Any]] = {name: TypeAdapter(kind) for name, kind in PARTS.items()}


@dataclass(frozen=True)
class Operation:
    """An operation: its address below `/api/v1`, its work, its least role (None: everybody's), what goes in and out.

    `media` are the types of its answer other than JSON; `uploads` is True where the body is files, `repeatable` where
    it takes an Idempotency-Key, `cached` where its answer has an ETag, `slow` where it takes seconds; `deed` is what
    the audit log is told that was refused.
    """

    name: str
    method: Method
    path: str
    least: Role | None
    work: Work
    says: str
    gives: type[BaseModel] | None = None
    status: int = 200
    takes: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    media: tuple[str, ...] = ()
    uploads: bool = False
    repeatable: bool = False
    cached: bool = False
    slow: bool = False
    refusals: tuple[int, ...] = field(default=())
    deed: Deed = "open"

    @property
    def tag(self) -> str:
        """The group that it is described in."""
        return self.path.strip("/").partition("/")[0] or "start"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parts of its address."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of its addresses."""
        return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.path)))


class Threads:
    """The threads that requests are worked on, each sort a number of them: nothing quick waits for what is slow."""

    def __init__(self, asks: int) -> None:
        """Have as many for questions, which wait for their turn there, and a few for all else."""
        self._numbers = {"ask": asks, "slow": 4, "quick": 8}
        self._limiters: dict[str, anyio.CapacityLimiter] = {}

    def of(self, sort: Literal["ask", "slow", "quick"]) -> anyio.CapacityLimiter:
        """Return the limiter of a sort; it belongs to the running event loop."""
        if sort not in self._limiters:
            self._limiters[sort] = anyio.CapacityLimiter(self._numbers[sort])
        return self._limiters[sort]


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts of a running server that operations work with."""

    asking: Asking
    uploads: Uploads
    limits: UiSettings
    jobs: Jobs
    answers: KeptAnswers
    repeats: Repeats
    description: Callable[[], bytes]
    threads: Threads


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A request that was found fit: the parts of its address, its query and its body, and whose it is."""

    request: Request
    operation: Operation
    parts: Mapping[str, Any]
    query: BaseModel | None = None
    body: BaseModel | None = None
    audit: AuditLog | None = None

    @property
    def who(self) -> str:
        """The caller, as jobs, answers and keys are known by."""
        return who(self.request.scope)

    def asked(self, model: type[B]) -> B:
        """Return the query."""
        assert isinstance(self.query, model)  # noqa: S101 - the table says so
        return self.query

    def sent(self, model: type[B]) -> B:
        """Return the body."""
        assert isinstance(self.body, model)  # noqa: S101 - the table says so
        return self.body

    def require(self, least: Role, collection: str | None) -> None:
        """Raise the refusal of a caller who may not do what that role may in a collection."""
        check_role(self.request.scope, least, collection, self.audit, self.operation.deed)


def check_role(
    scope: Scope, least: Role, collection: str | None, audit: AuditLog | None = None, deed: Deed = "open"
) -> None:
    """Raise ApiRefusal for a caller who may not do what that role may in a collection, and tell the audit log.

    One that they may not read is answered as one that is not there: 404. Else it is 403.
    """
    if audit is not None and collection is not None and not may(scope, least, collection):
        audit.note(deed, collection, outcome="refused")
    if collection is not None and not may(scope, "reader", collection):
        raise no_collection()
    if not may(scope, least, collection):
        where = f" in {collection}" if collection else ""
        raise ApiRefusal(403, "not-allowed", f"this needs the role {least}{where}", "ask an owner for it")


def parts_of(found: Mapping[str, str]) -> dict[str, Any]:
    """Return the parts of an address as values. Raises ApiRefusal, 404, for one that nothing can have."""
    read: dict[str, Any] = {}
    for name, text in found.items():
        try:
            read[name] = _READERS[name].validate_python(text)
        except ValidationError:
            raise nothing_here(f"there is nothing at this address: that is not a valid {name}") from None
        if str(read[name]) != text:  # 01, +1
            raise nothing_here(f"there is nothing at this address: that is not a valid {name}")
    return read


def told(model: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a message as the answer."""
    return Response(model.model_dump_json(), status, dict(headers or {}), media_type="application/json")


def address(request: Request, path: str) -> str:
    """Return the address of a path of the API on this server, below the path that a proxy serves the page at."""
    return f"{str(request.scope.get('root_path', '')).rstrip('/')}{REST}{path}"


def next_link(call: ApiCall, cursor: str | None) -> dict[str, str]:
    """Return the header that leads to the next part of a list."""
    if cursor is None:
        return {}
    query = urlencode({**call.request.query_params, "cursor": cursor})
    path = call.operation.path.format(**call.parts)
    return {"link": f'<{address(call.request, path)}?{query}>; rel="next"'}

"""The context of every operation: the parts of the running server, and the request with its caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import anyio
from fastapi import Depends, Path
from pydantic import BeforeValidator
from starlette.requests import Request

from indexing import COLLECTION_NAME
from ui.access import NOBODY, Deed, Role
from ui.errors import ApiRefusal
from ui.web.api.problems import no_collection
from ui.web.messages import Form
from ui.web.server import REST, caller, has_role, identity, visitor

if TYPE_CHECKING:
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

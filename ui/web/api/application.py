"""The HTTP API under /api/v1: a FastAPI application of the operations, which describes itself in OpenAPI 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ui.errors import ApiRefusal
from ui.state import GivenAnswerStore
from ui.web.api import answers, collections, jobs
from ui.web.api.problems import DOCS, nothing_here, response_of
from ui.web.api.routing import OperationRouter, ServerContext
from ui.web.messages import STREAMED, ProblemRecord
from ui.web.server import App, Receive, Scope, Send, is_rest, route
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from ui.settings import UiSettings
    from ui.web.ask import Asking
    from ui.web.uploads import Uploads

_VERSION = "1"
"""The version of the API, as in its address; strangers may read it, and are not told the version of Vouch."""
_SAYS = """\
Questions about documents, answered with every sentence cited and boxed on the page that proves it.

Refusals are problem+json (RFC 9457), with the next step in `next`. Lists come in parts: `next_cursor` leads to what
follows. Whatever is not known is refused: a key, a parameter, a field of a form.

Limits of this server: a body of JSON has 1,000,000 bytes, that of an audit {limits.max_call_mb} MB more (max_call_mb);
a caller uploads at most {uploads}; everybody's files that wait are at most
{limits.max_all_files} and {limits.max_all_waiting_mb} MB; a caller has {limits.max_asks} questions, searches, checks
and audits at a time (max_asks), all callers {limits.max_all_asks}.
"""


def server_context(asking: Asking, uploads: Uploads) -> ServerContext:
    """Return the context of a server's operations, with new limits of threads."""
    return ServerContext(
        asking,
        uploads,
        jobs.Jobs(uploads, asking),
        GivenAnswerStore(asking.state),
        asks=anyio.CapacityLimiter(uploads.settings.max_all_asks),
        slow=anyio.CapacityLimiter(4),
        quick=anyio.CapacityLimiter(8),
    )


class Api:
    """The ASGI middleware that answers requests under /api/v1, and passes on all others."""

    def __init__(self, app: App, context: ServerContext) -> None:
        """Keep `app`, to which other requests are passed on, and make the application of the operations."""
        self._app = app
        self._api = application(context)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request under /api/v1, or pass it on. HEAD is answered as GET, whose body uvicorn leaves out."""
        path = route(scope) if scope["type"] == "http" else ""
        if not is_rest(path):
            await self._app(scope, receive, send)
            return
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        root = str(scope.get("root_path", "")).rstrip("/")
        await self._api({**scope, "method": method, "path": f"{root}{path.removesuffix('/')}"}, receive, send)


def routers() -> tuple[OperationRouter, ...]:
    """Return the routers of the operations: those of the core, then those of plugins."""
    return (collections.router, answers.router, jobs.router, *(load(routes.router) for routes in additions("routes")))


def application(context: ServerContext) -> FastAPI:
    """Return the FastAPI application with the operations of all routers."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.server = context
    for router in routers():
        app.include_router(router)
    app.add_exception_handler(HTTPException, _no_operation)
    app.add_exception_handler(Exception, _passed_on)
    app.openapi = lambda: description(app)  # type: ignore[method-assign]
    return app


async def _no_operation(request: Request, _: Exception) -> Response:
    """Return the response to a request that no operation matches: 404, or 405 with the methods of the address."""
    routes = [one for router in routers() for one in router.routes if isinstance(one, APIRoute)]
    methods = {method for one in routes if one.matches(request.scope)[0].value for method in one.methods or ()}
    if not methods:
        return response_of(nothing_here())
    allowed_methods = ", ".join(sorted({*methods, "OPTIONS", *(("HEAD",) if "GET" in methods else ())}))
    if request.method == "OPTIONS":
        return Response(status_code=204, headers={"allow": allowed_methods})
    why = f"this address takes {allowed_methods}, not {request.method[:20]}"
    return response_of(ApiRefusal(405, "other-method", why, DOCS, headers={"allow": allowed_methods}))


class _Nothing(Response):
    """A response that sends nothing."""

    async def __call__(self, *_: object) -> None:
        """Send nothing."""


async def _passed_on(_: Request, __: Exception) -> Response:
    """Send no response, so that `Bodies` can, which gets the exceptions that are raised while a body arrives."""
    return _Nothing()


def description(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description of the operations, with the schemas of problems and events; made once."""
    if not app.openapi_schema:
        limits: UiSettings = app.state.server.uploads.settings
        uploads = ", ".join(f"{phrase} ({key})" for key, phrase in limits.upload_limits.items())
        text = _SAYS.format(limits=limits, uploads=uploads)
        schema = get_openapi(
            title="Vouch", version=_VERSION, openapi_version="3.1.0", description=text, routes=app.routes
        )
        models: list[type[BaseModel]] = [ProblemRecord, *STREAMED.values()]
        _, schemas = models_json_schema(
            [(m, "serialization") for m in models], ref_template="#/components/schemas/{model}"
        )
        schema["components"]["schemas"] |= schemas["$defs"]
        app.openapi_schema = schema
    return app.openapi_schema

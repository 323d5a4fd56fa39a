"""Operations on collections, their documents, pages as images and as elements, and the places of anchors.

A list is returned in parts, each with a cursor, by which the next one is requested.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from urllib.parse import urlencode

from fastapi import Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from indexing import Collection
from rag import Anchor, resolve
from ui.errors import ApiRefusal
from ui.web.api.routing import (
    AnchorText,
    ApiCall,
    CollectionName,
    CurrentCall,
    DocumentId,
    OperationRouter,
    PageNumber,
    Rules,
)
from ui.web.messages import (
    AnchorRecord,
    CollectionList,
    CollectionRecord,
    DocumentList,
    DocumentRecord,
    DocumentsQuery,
    ImageQuery,
    ListingQuery,
    NewCollection,
    PageRecord,
    StartRecord,
    record_of,
)

if TYPE_CHECKING:
    from indexing import Document, Element
    from ui.web.collection_service import CollectionSummary

T = TypeVar("T")
Key = tuple[str, str]
"""The key by which a list is sorted: two texts."""


def part_of(
    things: Sequence[T], key: Callable[[T], Key], of: str, limit: int, cursor: str | None
) -> tuple[list[T], str | None]:
    """Return at most `limit` things after the cursor, sorted by their keys, and the next cursor; None at the end.

    `of` identifies the list; a cursor of another list raises ApiRefusal, 422. Things that are added or removed
    between two requests make no other thing be repeated or left out.
    """
    after = _read_cursor(cursor, of) if cursor else None
    sorted_things = sorted(things, key=key)
    rest = [thing for thing in sorted_things if after is None or key(thing) > after]
    part = rest[:limit]
    return part, _cursor(key(part[-1]), of) if len(rest) > limit else None


def next_link(request: Request, cursor: str | None) -> dict[str, str]:
    """Return the `Link` header to the next part of a list; empty if there is none."""
    if cursor is None:
        return {}
    query = urlencode({**request.query_params, "cursor": cursor})
    return {"link": f'<{request.url.path}?{query}>; rel="next"'}


def _cursor(key: Key, of: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([of, *key]).encode()).decode().rstrip("=")


def _read_cursor(cursor: str, of: str) -> Key:
    try:
        texts = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        texts = None
    if not (isinstance(texts, list) and len(texts) == 3 and texts[0] == of and all(isinstance(t, str) for t in texts)):
        raise ApiRefusal(
            422, "unfit-cursor", "cursor: this cursor does not belong to this list", "leave out the cursor"
        )
    return texts[1], texts[2]


_KEEP = "private, max-age=86400"
"""The header of an image of a page: its document's id is the hash of its content, and nothing in it changes."""


router = OperationRouter()
_ONE = "/collections/{collection}"
_DOC = "/collections/{collection}/documents/{document}"
_PAGE = "/collections/{collection}/documents/{document}/pages/{page}"
_JSON = {"application/json": {"schema": {"type": "object"}}}


@router.operation("GET", "", Rules(None))
def start(call: CurrentCall) -> StartRecord:
    """Show where to begin."""
    return StartRecord(
        version=version("vouch") if call.may("reader") else None,
        description=call.address("/openapi.json"),
        collections=call.address("/collections"),
        jobs=call.address("/jobs"),
    )


@router.operation("GET", "/openapi.json", Rules(None), content=_JSON)
def describe(call: CurrentCall) -> Response:
    """Describe the API as OpenAPI 3.1."""
    return JSONResponse(call.request.app.openapi())


@router.operation("GET", "/collections", Rules("reader", refusals=(422,)))
def list_collections(call: CurrentCall, query: Annotated[ListingQuery, Query()], response: Response) -> CollectionList:
    """List the collections, by name."""
    names = [name for name in call.server.asking.open_collections.collections() if call.may("reader", name)]
    part, after = part_of(names, lambda name: (name, ""), "collections", query.limit, query.cursor)
    response.headers.update(next_link(call.request, after))
    return CollectionList(
        items=[collection_record(call.server.uploads.service.summary(n)) for n in part], next_cursor=after
    )


@router.operation("POST", "/collections", Rules("editor", deed="make-collection", refusals=(409,)), status=201)
def make_collection(call: CurrentCall, body: NewCollection, response: Response) -> CollectionRecord:
    """Make an empty collection."""
    name, open_collections = body.name, call.server.asking.open_collections
    call.server.uploads.service.admit(name)
    if name in open_collections.collections():
        raise ApiRefusal(409, "there-already", f"there is already a collection {name!r}", "choose another name")
    Collection.create(name, open_collections.home, open_collections.profile.indexing).close()
    open_collections.access.grant_ownership(name)
    response.headers["location"] = call.address(f"/collections/{name}")
    return collection_record(call.server.uploads.service.summary(name))


@router.operation("GET", _ONE, Rules("reader"))
def get_collection(call: CurrentCall, collection: CollectionName) -> CollectionRecord:
    """Describe a collection."""
    with call.server.asking.open_collections.open_collection(collection):
        return collection_record(call.server.uploads.service.summary(collection))


@router.operation("DELETE", _ONE, Rules("owner", deed="delete-collection", refusals=(409,)), status=204)
def delete_collection(call: CurrentCall, collection: CollectionName) -> None:
    """Delete a collection with everything in it."""
    call.server.uploads.service.delete(collection)


@router.operation("GET", f"{_ONE}/documents", Rules("reader", refusals=(422,)))
def list_documents(
    call: CurrentCall, collection: CollectionName, query: Annotated[DocumentsQuery, Query()], response: Response
) -> DocumentList:
    """List the documents of a collection, oldest first."""
    with call.server.asking.open_collections.open_collection(collection) as (open_collection, _):
        documents = open_collection.fitting(query.where) if query.where else open_collection.documents()
    of = f"documents {collection} {query.where or ''}"
    part, after = part_of(documents, lambda d: (d.indexed_at, d.id), of, query.limit, query.cursor)
    response.headers.update(next_link(call.request, after))
    return DocumentList(items=[document_record(document) for document in part], next_cursor=after)


@router.operation("GET", _DOC, Rules("reader"))
def get_document(call: CurrentCall, collection: CollectionName, document: DocumentId) -> DocumentRecord:
    """Describe a document."""
    return document_record(_find_document(call, collection, document))


@router.operation("DELETE", _DOC, Rules("editor", deed="remove-document", refusals=(409,)), status=204)
def delete_document(call: CurrentCall, collection: CollectionName, document: DocumentId) -> None:
    """Remove a document from its collection."""
    call.server.uploads.service.remove(collection, _find_document(call, collection, document).id)


@router.operation(
    "GET",
    f"{_PAGE}/image",
    Rules("reader", deed="see-page", refusals=(422, 423)),
    content={"image/webp": {"schema": {"type": "string"}}},
)
def get_page_image(
    call: CurrentCall,
    collection: CollectionName,
    document: DocumentId,
    page: PageNumber,
    query: Annotated[ImageQuery, Query()],
) -> Response:
    """Return a page as an image."""
    match = _document_with_page(call, collection, document, page)
    image = call.server.asking.open_collections.page_image(collection, match.id, page, query.width)
    return Response(image, media_type="image/webp", headers={"cache-control": _KEEP})


@router.operation("GET", f"{_PAGE}/elements", Rules("reader", deed="see-page"))
def get_page_elements(
    call: CurrentCall, collection: CollectionName, document: DocumentId, page: PageNumber
) -> PageRecord:
    """Describe a page and its elements, each with its box."""
    match = _document_with_page(call, collection, document, page)
    detail = call.server.uploads.service.page_detail(collection, match.id, page)
    facts = {"number": page, "width": detail.page.width, "height": detail.page.height, "rotation": detail.page.rotation}
    more = {"label": detail.page.label, "failed": page in match.failed_pages}
    elements = [_element(element) for element in detail.elements]
    return record_of(PageRecord, {"document": match.id, **facts, **more, "elements": elements})


@router.operation("GET", f"{_ONE}/anchors/{{anchor}}", Rules("reader", refusals=(422,)))
def resolve_anchor(call: CurrentCall, collection: CollectionName, anchor: AnchorText) -> AnchorRecord:
    """Find the place that an anchor points to today, after re-indexing or renaming."""
    with call.server.asking.open_collections.open_collection(collection) as (open_collection, _):
        result = resolve(Anchor.parse(anchor), open_collection)
    facts = {"state": result.state, "says": result.says, "collection": collection, "document": result.document.name}
    more = {"doc_id": result.document.id, "sha256": result.document.sha256}
    citation = result.citation.to_json() if result.citation is not None else None
    return record_of(AnchorRecord, facts | more | {"citation": citation})


def _find_document(call: ApiCall, collection: str, doc_id: str) -> Document:
    """Return a document by its id. Raises ApiRefusal, 404, and IndexingError."""
    with call.server.asking.open_collections.open_collection(collection) as (open_collection, _):
        match = next((document for document in open_collection.documents() if document.id == doc_id), None)
    if match is None:
        then = "GET the documents of the collection for a list with their ids"
        raise ApiRefusal(404, "no-such-document", "there is no document with that id in the collection", then)
    return match


def _document_with_page(call: ApiCall, collection: str, document: str, page: int) -> Document:
    """Return a document by its id. Raises ApiRefusal, 404, also if it has no such page, and IndexingError."""
    match = _find_document(call, collection, document)
    if page > match.n_pages:
        raise ApiRefusal(404, "no-such-page", f"the document has {match.n_pages:,} pages", "ask for one of them")
    return match


def collection_record(summary: CollectionSummary) -> CollectionRecord:
    """Return the record of a collection for programs."""
    facts = {"name": summary.name, "documents": len(summary.documents), "pages": summary.pages}
    more = {"elements": summary.elements, "bytes": summary.bytes, "embedder": summary.embedder}
    end = {"visual": summary.visual, "changed": summary.last_change, "trouble": summary.trouble}
    return record_of(CollectionRecord, facts | more | end)


def document_record(document: Document) -> DocumentRecord:
    """Return the record of a document for programs, without paths of the server."""
    metadata = {key: value for key, value in asdict(document.metadata).items() if value and key != "record"}
    facts: dict[str, Any] = {
        "id": document.id,
        "name": document.name,
        "title": document.title,
        "pages": document.n_pages,
        "elements": document.n_elements,
        "bytes": document.size,
        "sha256": document.sha256,
        "indexed_at": document.indexed_at,
        "failed_pages": list(document.failed_pages),
        "brought_by": document.brought_by or "",
        "metadata": metadata,
    }
    return record_of(DocumentRecord, facts)


def _element(element: Element) -> dict[str, Any]:
    return {
        "id": element.id,
        "kind": element.kind,
        "text": element.text,
        "bbox": list(element.bbox.as_tuple()),
        "source": element.source,
        "section": list(element.section),
        "caption": element.caption,
        "parts": list(element.parts),
        "place": element.place,
    }

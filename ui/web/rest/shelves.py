"""Shelves: collections, their documents, pages as images and as elements, and the places that anchors mean."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from indexing import Collection
from rag import Anchor, Resolved, resolve
from ui.errors import ApiRefusal
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
    told_as,
)
from ui.web.rest.cursors import etag_of, is_known, part_of
from ui.web.rest.permission import may
from ui.web.rest.route_table import ApiCall, Desk, Operation, address, next_link, told
from ui.web.viewer import nearest

if TYPE_CHECKING:
    from indexing import Document, Element
    from ui.web.collection_service import CollectionSummary

_KEEP = "private, max-age=86400"
"""The header of an image of a page: its document's id is the hash of its content, and nothing in it changes."""


def start(_: Desk, call: ApiCall) -> Response:
    """Show where to begin."""
    request = call.request
    return told(
        StartRecord(
            version=version("vouch") if may(request.scope, "reader", None) else None,
            description=address(request, "/openapi.json"),
            collections=address(request, "/collections"),
            jobs=address(request, "/jobs"),
        )
    )


def description(desk: Desk, _: ApiCall) -> Response:
    """Tell the description of the API."""
    return Response(desk.description(), media_type="application/json")


def collections(desk: Desk, call: ApiCall) -> Response:
    """List the collections that the caller may read."""
    asked = call.asked(ListingQuery)
    names = [name for name in desk.asking.open_collections.collections() if may(call.request.scope, "reader", name)]
    part, after = part_of(names, lambda name: (name, ""), "collections", asked.limit, asked.cursor)
    items = [_collection(desk.uploads.service.summary(name)) for name in part]
    return told(CollectionList(items=items, next_cursor=after), headers=next_link(call, after))


def make_collection(desk: Desk, call: ApiCall) -> Response:
    """Make an empty collection."""
    name = call.sent(NewCollection).name
    desk.uploads.service.admit(name)
    home, settings = desk.asking.open_collections.home, desk.asking.open_collections.profile.indexing
    if name in desk.asking.open_collections.collections():
        raise ApiRefusal(409, "there-already", f"there is already a collection {name!r}", "choose another name")
    Collection.create(name, home, settings).close()
    desk.asking.open_collections.made(name)
    made = _collection(desk.uploads.service.summary(name))
    return told(made, 201, {"location": address(call.request, f"/collections/{name}")})


def collection(desk: Desk, call: ApiCall) -> Response:
    """Describe a collection."""
    name = call.parts["collection"]
    with desk.asking.open_collections.opened(name):
        return told(_collection(desk.uploads.service.summary(name)))


def delete_collection(desk: Desk, call: ApiCall) -> Response:
    """Delete a collection with everything in it."""
    desk.uploads.service.delete(call.parts["collection"])
    return Response(status_code=204)


def documents(desk: Desk, call: ApiCall) -> Response:
    """List the documents of a collection."""
    asked, name = call.asked(DocumentsQuery), call.parts["collection"]
    with desk.asking.open_collections.opened(name) as (opened, _):
        found = opened.fitting(asked.where) if asked.where else opened.documents()
    of = f"documents {name} {asked.where or ''}"
    part, after = part_of(found, lambda d: (d.indexed_at, d.id), of, asked.limit, asked.cursor)
    items = [_document(document) for document in part]
    return told(DocumentList(items=items, next_cursor=after), headers=next_link(call, after))


def document(desk: Desk, call: ApiCall) -> Response:
    """Describe a document."""
    return told(_document(_found(desk, call)))


def delete_document(desk: Desk, call: ApiCall) -> Response:
    """Remove a document from its collection."""
    desk.uploads.service.remove(call.parts["collection"], _found(desk, call).id)
    return Response(status_code=204)


def page_elements(desk: Desk, call: ApiCall) -> Response:
    """Tell of a page and what stands on it."""
    found, number = _found_page(desk, call)
    shown = desk.uploads.service.page_detail(call.parts["collection"], found.id, number)
    page = shown.page
    elements = [_element(element) for element in shown.elements]
    facts = {"number": number, "width": page.width, "height": page.height, "rotation": page.rotation}
    more = {"label": page.label, "failed": number in found.failed_pages, "elements": elements}
    return told(told_as(PageRecord, {"document": found.id, **facts, **more}))


def page_image(desk: Desk, call: ApiCall) -> Response:
    """Return a page as an image."""
    found, number = _found_page(desk, call)
    width = call.asked(ImageQuery).width
    tag = etag_of(f"{found.sha256} {number} {nearest(width)} {version('vouch')}".encode())
    known = call.request.headers.get("if-none-match", "")
    if known and is_known(tag, known):  # told without drawing it
        return Response(status_code=304, headers={"etag": tag})
    image = desk.asking.open_collections.page_image(call.parts["collection"], found.id, number, width)
    return Response(image, media_type="image/webp", headers={"etag": tag, "cache-control": _KEEP})


def anchor(desk: Desk, call: ApiCall) -> Response:
    """Tell the place that an anchor means today."""
    name = call.parts["collection"]
    with desk.asking.open_collections.opened(name) as (opened, _):
        return told(_resolved(name, resolve(Anchor.parse(call.parts["anchor"]), opened)))


def _resolved(name: str, found: Resolved) -> AnchorRecord:
    facts = {"state": found.state, "says": found.says, "collection": name, "document": found.document.name}
    more = {"doc_id": found.document.id, "sha256": found.document.sha256}
    return told_as(
        AnchorRecord, facts | more | {"citation": found.citation.to_json() if found.citation is not None else None}
    )


def _found(desk: Desk, call: ApiCall) -> Document:
    """Return the document of a call. Raises ApiRefusal, 404, and IndexingError."""
    wanted = call.parts["document"]
    with desk.asking.open_collections.opened(call.parts["collection"]) as (opened, _):
        found = next((document for document in opened.documents() if document.id == wanted), None)
    if found is None:
        then = "GET the documents of the collection for a list with their ids"
        raise ApiRefusal(404, "no-such-document", "there is no document with that id in the collection", then)
    return found


def _found_page(desk: Desk, call: ApiCall) -> tuple[Document, int]:
    found, number = _found(desk, call), int(call.parts["page"])
    if number > found.n_pages:
        why = f"the document has {found.n_pages:,} pages"
        raise ApiRefusal(404, "no-such-page", why, "ask for one of them")
    return found, number


def _collection(summary: CollectionSummary) -> CollectionRecord:
    facts = {"name": summary.name, "documents": len(summary.documents), "pages": summary.pages}
    more = {"elements": summary.elements, "bytes": summary.bytes, "embedder": summary.embedder}
    end = {"visual": summary.visual, "changed": summary.changed, "trouble": summary.trouble}
    return told_as(CollectionRecord, facts | more | end)


def _document(document: Document) -> DocumentRecord:
    known = {key: value for key, value in asdict(document.metadata).items() if value and key != "record"}
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
        "metadata": known,
    }
    return told_as(DocumentRecord, facts)


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


_ONE = "/collections/{collection}"
_DOC = "/collections/{collection}/documents/{document}"
_PAGE = "/collections/{collection}/documents/{document}/pages/{page}"
OPERATIONS = (
    Operation("start", "GET", "", None, start, "Show where to begin.", StartRecord, cached=True),
    Operation("describe", "GET", "/openapi.json", None, description, "Describe the API as OpenAPI 3.1.", cached=True),
    Operation(
        "list_collections", "GET", "/collections", "reader", collections,
        "List the collections, by name.", CollectionList, query=ListingQuery, cached=True, refusals=(422,),
    ),
    Operation(
        "make_collection", "POST", "/collections", "editor", make_collection,
        "Make an empty collection.", CollectionRecord, 201, NewCollection, repeatable=True, refusals=(409,),
        deed="make-collection",
    ),
    Operation(
        "get_collection", "GET", _ONE, "reader", collection,
        "Describe a collection.", CollectionRecord, cached=True, refusals=(404,),
    ),
    Operation(
        "delete_collection", "DELETE", _ONE, "owner", delete_collection,
        "Delete a collection with everything in it.", None, 204, refusals=(404, 409), deed="delete-collection",
    ),
    Operation(
        "list_documents", "GET", f"{_ONE}/documents", "reader", documents,
        "List the documents of a collection, oldest first.", DocumentList,
        query=DocumentsQuery, cached=True, refusals=(404, 422),
    ),
    Operation(
        "get_document", "GET", _DOC, "reader", document,
        "Describe a document.", DocumentRecord, cached=True, refusals=(404,),
    ),
    Operation(
        "delete_document", "DELETE", _DOC, "editor", delete_document,
        "Remove a document from its collection.", None, 204, refusals=(404, 409), deed="remove-document",
    ),
    Operation(
        "get_page_image", "GET", f"{_PAGE}/image", "reader", page_image,
        "Return a page as an image.", None, query=ImageQuery, media=("image/webp",), cached=True,
        refusals=(404, 422, 423), deed="see-page",
    ),
    Operation(
        "get_page_elements", "GET", f"{_PAGE}/elements", "reader", page_elements,
        "Describe a page and its elements, each with its box.", PageRecord, cached=True, refusals=(404,),
        deed="see-page",
    ),
    Operation(
        "resolve_anchor", "GET", f"{_ONE}/anchors/{{anchor}}", "reader", anchor,
        "Find the place that an anchor points to today, after re-indexing or renaming.", AnchorRecord,
        cached=True, refusals=(404, 422),
    ),
)  # fmt: skip
"""The operations on what stands there."""

"""A PDF -> the same PDF without anything that acts: scripts, actions, embedded files, media, forms that are programs.

Every object is walked, whether or not a reader would come by it, and names are compared as MuPDF has read them, so that
`/J#61vaScript` is JavaScript. What stays is harmless by a list of what may stay, not of what must go: jumps within the
document, turning to the next or the last page, and links to the web or to an address of mail that a person clicks.
"""

from __future__ import annotations

from collections.abc import Iterator

import pymupdf
from pymupdf import mupdf

PLACES = frozenset({"A", "PA", "OpenAction", "Next"})
"""The keys whose value, where it names a kind of action (`S`), is an action of whatever kind."""
ACTIONS = frozenset(
    [
        "GoTo", "GoToR", "GoToE", "GoToDp", "GoTo3DView", "Launch", "Thread", "URI", "Sound", "Movie", "Hide", "Named",
        "SubmitForm", "ResetForm", "ImportData", "JavaScript", "SetOCGState", "Rendition", "Trans", "RichMediaExecute",
    ]
)  # fmt: skip
TRIGGERS = frozenset(
    ["E", "X", "D", "U", "Fo", "Bl", "PO", "PC", "PV", "PI", "O", "C", "K", "F", "V", "WC", "WS", "DS", "WP", "DP"]
)
"""The keys of a dictionary of additional actions, which distinguish it from a font that is called AA."""
TURNS = frozenset({"NextPage", "PrevPage", "FirstPage", "LastPage"})
LINKS = ("http://", "https://", "mailto:")
"""The beginnings of the addresses that a link may have; no other scheme, and no relative one, is kept."""
TREES = {
    "JavaScript": "JavaScript",
    "EmbeddedFiles": "embedded files",
    "Renditions": "media",
    "AlternatePresentations": "presentations",
}
MEDIA = frozenset({"Sound", "Movie", "Screen", "RichMedia", "3D"})
FILE_KEYS = frozenset({"F", "UF", "DOS", "Mac", "Unix", "Desc"})
OUTSIDE = ("F", "FFilter", "FDecodeParms", "Ref", "OPI")
"""The keys by which a stream takes its data from another file."""


def without_active_content(document: pymupdf.Document) -> tuple[str, ...]:
    """Remove from `document` (a PDF, which is changed) all that acts; return the kinds removed, in words, sorted.

    Objects that nothing refers to any more are in the file until it is saved with `garbage`.
    """
    pdf = mupdf.pdf_document_from_fz_document(document.this)
    numbers = range(1, mupdf.pdf_count_objects(pdf))
    objects = {number: obj for number in numbers if (obj := _load_object(pdf, number)) is not None}
    bad = {number: kind for number, one in objects.items() if (kind := _kind(one))}
    kinds_found: set[str] = set()
    for number, one in objects.items():
        if mupdf.pdf_obj_num_is_stream(pdf, number):
            for key in OUTSIDE:
                if _has(one, key):
                    mupdf.pdf_dict_dels(one, key)
                    kinds_found.add("data of other files")
        _clean(one, bad, kinds_found)
    return tuple(sorted(kinds_found, key=str.lower))


def _load_object(pdf: mupdf.PdfDocument, number: int) -> mupdf.PdfObj | None:
    """Return an object of the file if it is a dictionary or an array; None for another or a damaged one."""
    try:
        one = mupdf.pdf_load_object(pdf, number)
    except mupdf.FzErrorBase:
        return None
    return one if mupdf.pdf_is_dict(one) or mupdf.pdf_is_array(one) else None


def _clean(top: mupdf.PdfObj, bad: dict[int, str], kinds: set[str]) -> None:
    """Remove what acts from an object and all it contains, and add its kinds to `kinds`; `bad` objects have to go."""
    waiting = [top]
    while waiting:
        container = waiting.pop()
        if mupdf.pdf_is_array(container):
            for at in reversed(range(mupdf.pdf_array_len(container))):
                value = mupdf.pdf_array_get(container, at)
                if kind := _active_kind(value, bad):
                    mupdf.pdf_array_delete(container, at)
                    kinds.add(kind)
                elif _is_direct_container(value):
                    waiting.append(value)
            continue
        for key, value in list(_items(container)):
            active = _kinds_at(container, key, value) or {_active_kind(value, bad)} - {""}
            if active:
                mupdf.pdf_dict_dels(container, key)
                kinds |= active
            elif _is_direct_container(value):
                waiting.append(value)


def _active_kind(value: mupdf.PdfObj, bad: dict[int, str]) -> str:
    """Return the kind of active content that a value is, wherever it is; "" for one that may stay."""
    return bad.get(mupdf.pdf_to_num(value), "") if mupdf.pdf_is_indirect(value) else _kind(value)


def _is_direct_container(value: mupdf.PdfObj) -> bool:
    """Return True for a dictionary or array that is written here, not in another object of the file."""
    return not mupdf.pdf_is_indirect(value) and bool(mupdf.pdf_is_dict(value) or mupdf.pdf_is_array(value))


def _kind(value: mupdf.PdfObj) -> str:
    """Return the kind of active content that a dictionary is, whatever refers to it; "" for one that may stay."""
    if not mupdf.pdf_is_dict(value):
        return ""
    sort, sub = _name(value, "Type"), _name(value, "Subtype")
    if sort == "EmbeddedFile" or (sub == "FileAttachment" and _has(value, "Rect")):
        return "embedded files"
    if sort == "Rendition" or (sub in MEDIA and _has(value, "Rect")):
        return "media"
    if sub == "PS" and sort in ("XObject", ""):
        return "PostScript"
    acts = _name(value, "S")
    if acts and sort != "StructElem" and (sort == "Action" or acts in ACTIONS):
        return _action_kind(value)
    return ""


def _kinds_at(parent: mupdf.PdfObj, key: str, value: mupdf.PdfObj) -> set[str]:
    """Return the kinds of active content that a value is because of the `key` of its parent; empty if it may stay."""
    is_dict = mupdf.pdf_is_dict(value)
    kind = ""
    if key in PLACES and is_dict and _name(value, "S"):
        kind = _action_kind(value)
    elif key == "AA" and is_dict and {k for k, _ in _items(value)} <= TRIGGERS:
        return {_action_kind(action) or "actions" for _, action in _items(value)} or {"actions"}
    elif key in TREES and is_dict and (_has(value, "Names") or _has(value, "Kids")):
        kind = TREES[key]
    elif (key in ("EF", "RF") and is_dict and {k for k, _ in _items(value)} <= FILE_KEYS) or (
        key == "AF" and _is_file(value)
    ):
        kind = "embedded files"
    elif key == "XFA" and (mupdf.pdf_is_array(value) or not _has(value, "Subtype")):
        kind = "an XFA form"
    elif key == "OnInstantiate":
        kind = "JavaScript"
    elif key in ("Collection", "Requirements") and _name(parent, "Type") == "Catalog":
        kind = "embedded files" if key == "Collection" else "requirements"
    return {kind} - {""}


def _action_kind(value: mupdf.PdfObj) -> str:
    """Return the kind of an action that has to go, in words; "" for one that may stay."""
    acts = _name(value, "S")
    if acts == "GoTo" or (acts == "Named" and _name(value, "N") in TURNS):
        return ""
    if acts == "URI":
        address = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(value, "URI"))
        return "" if address.lower().startswith(LINKS) else "links that do not lead to the web"
    return acts if acts == "JavaScript" else f"{acts} actions" if acts in ACTIONS else "actions"


def _is_file(value: mupdf.PdfObj) -> bool:
    """Return True for a file specification, which goes with the document, or a list of them."""
    if mupdf.pdf_is_array(value):
        items = [mupdf.pdf_array_get(value, at) for at in range(mupdf.pdf_array_len(value))]
        return bool(items) and all(mupdf.pdf_is_dict(one) and _is_file(one) for one in items)
    return any(_has(value, key) for key in ("EF", "F", "UF")) or _name(value, "Type") == "Filespec"


def _items(value: mupdf.PdfObj) -> Iterator[tuple[str, mupdf.PdfObj]]:
    for at in range(mupdf.pdf_dict_len(value)):
        yield mupdf.pdf_to_name(mupdf.pdf_dict_get_key(value, at)), mupdf.pdf_dict_get_val(value, at)


def _name(value: mupdf.PdfObj, key: str) -> str:
    return str(mupdf.pdf_to_name(mupdf.pdf_dict_gets(value, key)))


def _has(value: mupdf.PdfObj, key: str) -> bool:
    return bool(mupdf.pdf_dict_gets(value, key).m_internal)

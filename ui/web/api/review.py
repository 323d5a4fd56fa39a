"""The endpoints `/check` and `/audit` for programs: `gradio_client`, HTTP, and with `--mcp` language models.

Gradio shows the names, the types and the docstrings of these functions to whoever may call them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing import IndexingError
from rag import RagError
from rag.manuscripts import read_manuscript
from ui.errors import BadRequest, UploadError
from ui.show import public_words, verdict_numbers
from ui.web.api.collections import SentFile, decoded
from ui.web.hangups import last_answer

if TYPE_CHECKING:
    from plugins.audit.auditing import Audit  # TODO(47): moves into the plugin when the API is one set of operations
    from rag import SearchOptions
    from rag.attribution import AnswerStatement
    from ui.web.open_collections import OpenCollections
    from ui.web.uploads import Uploads

MOST_CHARS = 400_000
"""The most characters of a text in a call; longer ones are checked in parts."""
PASTED = "entries.txt"
_ENTRY = re.compile(r"^\s{0,20}@\w{1,40}\s{0,20}[{(]", re.MULTILINE)
AUDIT_SAYS = """\
Audit the references of a paper: does each exist, and is it what it says it is?

Every entry has a status (real; errors: the work exists and fields differ; questionable: one sign speaks against it;
invented: two do; unknown: no source covers it, which does not mean that it is fake), the reason in words, the fields as
the paper and as the record have them, what was searched, and its boxes in fractions of the page where it stands on one.

Args:
    file: A paper or a bibliography: PDF, DOCX, HTML, Markdown, LaTeX or BibTeX, as {"name", "base64"}.
    entries: Instead of a file, entries as BibTeX or one a line.
    collection: A collection among whose documents to look too; none when empty.

"""
"""The description of `/audit` that programs are shown, by whichever way they come."""
Answers = Callable[..., dict[str, Any]]


def check_of(open_collections: OpenCollections) -> Answers:
    """Return the function behind `/check`."""

    def check(
        text: str,
        collection: str = "default",
        question: str = "",
        documents: list[str] | None = None,
        where: str = "",
    ) -> dict[str, Any]:
        """Check a text that somebody else wrote, such as a report or a model's answer, against a collection.

        Every statement gets a verdict: confirmed, unconfirmed (nothing was found that proves it), contradicted (a place
        says otherwise), or remark (it claims nothing); the reason in words; and citations: document, page, boxes in
        fractions of the displayed page, the quoted words, and the `role`, as only a place that proves is a proof.
        `counts` says how many statements have each verdict, `sources` whether each one that a statement cites says it.

        Args:
            text: The text, plain or Markdown, 400,000 characters at most.
            collection: The name of the collection to hold it against.
            question: The question that the text answers, if it answers one.
            documents: Only these documents, by name or id; all when empty.
            where: A filter that documents must fit, such as tag=minutes and date>=2024; all when empty.

        """
        _check_words(text, question, collection, where, *(documents or ()))
        if len(text) > MOST_CHARS:
            raise BadRequest(f"text: longer than {MOST_CHARS:,} characters: check it in parts")
        try:
            with open_collections.warmed(collection, "check", question=question) as (_, pipeline):
                only: SearchOptions = {"documents": tuple(documents or ()), "where": where or None}
                events = pipeline.stream_check(written_statements(text), question, **only)
                answer = last_answer(open_collections.metrics.watched("api_check", events))
        except (IndexingError, RagError) as error:
            raise BadRequest(public_words(error)) from None
        return answer.to_json() | {"counts": verdict_numbers(answer)}

    return check


def written_statements(text: str) -> Sequence[AnswerStatement]:
    """Return the statements of a text as of a file of Markdown, whose lines may be broken anywhere; none of no text."""
    if not text.strip():
        return ()
    with tempfile.TemporaryDirectory(prefix="vouch-") as folder:
        path = Path(folder) / "text.md"
        path.write_text(text, encoding="utf-8", errors="replace")
        return read_manuscript(path).statements


def _check_words(*sent: object) -> None:
    """Raise BadRequest for what is no text: Gradio passes on whatever was sent."""
    if not all(isinstance(word, str) for word in sent):
        raise BadRequest("text, question, collection, documents and where must be text")


def audit_of(open_collections: OpenCollections, uploads: Uploads) -> Answers:
    """Return the function behind `/audit` whose file is bytes, for HTTP and for tools."""

    def audit(file: SentFile | None = None, entries: str = "", collection: str = "") -> dict[str, Any]:
        if file is not None:
            ((name, content),) = decoded([file], uploads.settings.max_call_mb)
        else:
            name, content = _pasted(entries)
        return _audited(open_collections, uploads, lambda: uploads.take_bytes(name, content), collection)

    audit.__doc__ = AUDIT_SAYS
    return audit


def audit_uploads(
    open_collections: OpenCollections, uploads: Uploads, file: Mapping[str, Any] | None, entries: str, collection: str
) -> dict[str, Any]:
    """Audit an upload, as `gradio_client` sends it, or entries. Raises BadRequest."""
    if file:
        return _audited(open_collections, uploads, lambda: uploads.take_one(file), collection)
    name, content = _pasted(entries)
    return _audited(open_collections, uploads, lambda: uploads.take_bytes(name, content), collection)


def _pasted(entries: object) -> tuple[str, bytes]:
    """Return entries as a file: BibTeX by its look, else lines. Raises BadRequest."""
    if not isinstance(entries, str) or not entries.strip():
        raise BadRequest("give a file, or entries as text")
    if len(entries) > MOST_CHARS:
        raise BadRequest(f"entries: longer than {MOST_CHARS:,} characters: audit them in parts")
    return pasted_name(entries), entries.encode(errors="replace")


def pasted_name(entries: str) -> str:
    """Return the name of a file for entries that were pasted, whose suffix says what they are."""
    return Path(PASTED).with_suffix(".bib").name if _ENTRY.search(entries) else PASTED


def _audited(
    open_collections: OpenCollections, uploads: Uploads, take: Callable[[], tuple[str, Path]], collection: str
) -> dict[str, Any]:
    """Audit the file that `take` brings, and delete it. Raises BadRequest."""
    # TODO(47): moves into the plugin when the API is one set of operations
    from plugins.audit.auditing import Audited, audit_paper
    from plugins.audit.export import status_counts

    _check_words(collection)
    try:
        name, path = take()
    except UploadError as error:
        raise BadRequest(public_words(error)) from None
    try:
        with ExitStack() as held:
            if not collection:
                open_collections.ask_of_none("audit")
            beside = held.enter_context(open_collections.opened(collection, "audit"))[0] if collection else None
            home = open_collections.home
            events = audit_paper(path, open_collections.profile, name=name, collection=beside, home=home)
            audit: Audit | None = None
            for event in events:
                audit = event.audit if isinstance(event, Audited) else audit
    except (IndexingError, RagError, OSError) as error:
        raise BadRequest(public_words(error)) from None
    finally:
        uploads.folder.release(path)
    assert audit is not None  # noqa: S101 - the last event is the audit
    return audit.to_json() | {"counts": status_counts(audit)}

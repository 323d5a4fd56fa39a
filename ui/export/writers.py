"""Write an answer in each form, PDFs with real annotations among them: one function a form."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs import UNCONFIRMED
from indexing import BBox, Mark, MarkedPdf, annotate_document
from rag import statements_of, write_citevqa
from ui.errors import ExportError
from ui.export.markdown import escape, markdown
from ui.export.sources import MARK, ExportContents, Files, gather
from ui.show import KIND_NAMES, VERDICT_NAMES, cited_pages, clean, render, safe_name, verdict_counts, why

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer, Citation


CORNER = BBox(0.02, 0.015, 0.06, 0.05)
"""The place of the warning on a page that lists the sentences whose page shows something else than its text says."""


def marks_of(answer: Answer) -> Mapping[str, Sequence[Mark]]:
    """Return the marks of an answer by document id, in the answer's order: one for each displayed citation.

    Lines and cells are highlighted; an element without known lines is framed, in grey if it is not confirmed. If a page
    shows something else than its text says, the sentence has no box, so every document has a warning on the page of its
    first mark.
    """
    marks: dict[str, list[Mark]] = {}
    for (doc_id, page), items in cited_pages(answer, others=False).items():
        for number, citation in items:
            boxes = citation.boxes or (citation.bbox,)
            text = _note(answer, number, citation)
            mark = Mark(page, boxes, text, f"[{number}]", highlight=bool(citation.boxes), against=citation.against)
            if citation.role == "unconfirmed":
                mark = replace(mark, highlight=False, colour=UNCONFIRMED.outline)
            marks.setdefault(doc_id, []).append(mark)
    message = untrue(answer)
    for own in marks.values() if message else ():
        own.append(Mark(own[0].page, (CORNER,), message, "[!]", warning=True))
    return marks


def untrue(answer: Answer) -> str:
    """Return the sentences whose page shows something else than its text says, one per line; "" without any."""
    return "\n".join(f"{clean(s.text)} ({clean(why(s))})" for s in answer.sentences if s.differs)


def _note(answer: Answer, number: int, citation: Citation) -> str:
    """Return the text of an annotation: its number, the sentences that cite the place with verdicts, the question."""
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    lines = []
    for sentence in answer.sentences:
        if citation in sentence.citations:
            outcome = f"{VERDICT_NAMES[sentence.verdict]} by this {kind}"
            if citation.role == "unconfirmed":
                outcome = f"points to this {kind}, which was not confirmed as a proof"
            elif sentence.conflict:
                outcome += f": {clean(str(sentence.conflict))}"
            lines.append(f"{clean(sentence.text)} ({outcome})")
    return "\n".join([f"[{number}] {lines[0]}", *lines[1:], f"Question: {clean(answer.question)}"])


def cited_pdf(collection: Collection, doc_id: str, marks: Sequence[Mark]) -> MarkedPdf:
    """Return one document as a PDF with its marks. Raises DocumentMissing, FileError.

    MARK is appended after the end of the PDF, where readers ignore it.
    """
    pdf = annotate_document(collection, doc_id, marks)
    return replace(pdf, content=pdf.content + f"\n% {MARK}\n".encode())


ConversationPart = tuple[str, str, "Answer", "Collection | None"]
"""(time in ISO form, name of the collection, answer, collection or None if it is gone)."""


def html_file(contents: ExportContents, target: Path) -> Files:
    """Return one page of HTML with embedded pictures."""
    return {target: html_page(contents).encode()}


def html_page(contents: ExportContents) -> str:
    """Return one self-contained HTML page: no script, pictures embedded, styles for light, dark and print.

    Everything is escaped, and a content security policy in the file forbids scripts, outside addresses and forms.
    """
    counts = "" if contents.answer.abstained else verdict_counts(contents.answer)
    page = render(
        "export/templates/page.html",
        mark=MARK,
        answer=contents.answer,
        sources=[(source, base64.b64encode(source.png).decode()) for source in contents.sources],
        notes=contents.notes,
        footer=". ".join(filter(None, (counts, "To find a source again: vouch resolve ANCHOR"))),
    )
    return f"{page}\n"


def markdown_files(contents: ExportContents, target: Path) -> Files:
    """Return a Markdown file, and its pictures in a folder beside it."""
    folder = picture_folder(target)
    pictures = {folder / s.picture_name: s.png for s in contents.sources if s.png}
    return {target: markdown(contents, folder.name).encode(), **pictures}


def marked_pdfs(contents: ExportContents, target: Path) -> Files:
    """Return one PDF for each cited document, with its passages marked. Raises ExportError if nothing is cited."""
    marks, collection = marks_of(contents.answer), contents.collection
    if not marks or collection is None:
        lines = [
            f"{target}: nothing was cited, so there is no page to mark: export .md, .html or .json",
            untrue(contents.answer),
        ]
        raise ExportError("\n".join(filter(None, lines)))
    files: dict[Path, bytes] = {}
    for number, (doc_id, of_document) in enumerate(marks.items(), 1):
        of = collection.document(doc_id).name
        name = f"{_shorten(target.stem)}-{number}-{file_stem(of)}{target.suffix}"
        pdf = cited_pdf(collection, doc_id, of_document)
        files[target if len(marks) == 1 else target.with_name(name)] = pdf.content
        for note in omission_notes(of, pdf):
            contents.on_note(note)
    return files


def omission_notes(name: str, pdf: MarkedPdf) -> list[str]:
    """Return a note on the active content left out of the PDF of a document; [] if nothing was."""
    return [f"Left out of the PDF of {clean(name)}: {', '.join(pdf.left_out)}."] if pdf.left_out else []


def json_file(contents: ExportContents, target: Path) -> Files:
    """Return the answer as JSON."""
    return {target: (json.dumps(to_json(contents), indent=2) + "\n").encode()}


def to_json(contents: ExportContents) -> dict[str, Any]:
    """Return the JSON of `vouch ask --json`, with the `number` and the `anchor` of each displayed citation."""
    values = contents.answer.to_json()
    sources = {s.citation: s for s in contents.sources}
    for sentence, sentence_json in zip(contents.answer.sentences, values["sentences"], strict=True):
        for citation, citation_json in zip(sentence.citations, sentence_json["citations"], strict=True):
            if citation in sources:
                citation_json |= {"number": sources[citation].number, "anchor": str(sources[citation].anchor)}
    return {"generator": MARK, **values, "notes": list(contents.notes)}


def citevqa_file(contents: ExportContents, target: Path) -> Files:
    """Return the answer in CiteVQA's form."""
    return {target: citevqa(contents.answer).encode(errors="replace")}


def citevqa(answer: Answer) -> str:
    """Return the text of CiteVQA's form; a comment in its last line has the document of each number."""
    names: dict[str, str] = {}
    for sentence in answer.sentences:
        names |= {c.doc_id: c.document for c in sentence.proof}
    documents = "; ".join(f"doc {n}: {safe_name(name).replace('--', '-')}" for n, name in enumerate(names.values(), 1))
    return f"{write_citevqa(statements_of(answer, list(names)))}\n<!-- {MARK}. {documents} -->\n"


def picture_folder(target: Path) -> Path:
    """Return the path of the folder for the pictures of a Markdown file."""
    return target.with_name(f"{_shorten(target.stem)}.files")


def file_stem(name: str) -> str:
    """Return a document's name without its suffix, fit for a file name."""
    return safe_name(Path(clean(name)).stem)


def _shorten(name: str) -> str:
    """Return the first 170 bytes of a name, so that a document's name and a suffix fit into 255 bytes, too."""
    return name.encode()[:170].decode(errors="ignore")


def conversation_file(name: str, parts: Sequence[ConversationPart], form: str) -> bytes:
    """Return a conversation as one file, without pictures, in the form `markdown` or `json`.

    An answer whose collection is gone has no sources. Raises DocumentMissing for a document that was removed meanwhile.
    """
    contents = [gather(a, c, pictures=False) if c is not None else ExportContents(a, (), a.notes) for *_, a, c in parts]
    if form == "json":
        answers = [
            {"time": time, "collection": collection, **to_json(one)}
            for (time, collection, *_), one in zip(parts, contents, strict=True)
        ]
        return (json.dumps({"generator": MARK, "name": name, "answers": answers}, indent=2) + "\n").encode()
    lines = [f"<!-- {MARK} -->", "", f"# {escape(name)}", ""]
    for (time, collection, *_), one in zip(parts, contents, strict=True):
        lines += [f"*{escape(collection)}, {time[:10]}*", "", *_below(markdown(one, "")), ""]
    return ("\n".join(lines) + "\n").encode()


def _below(text: str) -> list[str]:
    """Return the lines of an answer's Markdown file without its MARK, and with headings one level lower."""
    return [f"#{line}" if line.startswith("#") else line for line in text.splitlines()[2:]]

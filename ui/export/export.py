"""`vouch ask --export`: an answer written as Markdown, HTML, JSON, CiteVQA's form, PDFs with highlights, or its works.

Works are the cited documents as entries of a bibliography, BibTeX or RIS.

A file of another program is never written over, nor a folder filled halfway when that can be known before: all names
are checked first, and each file appears under its name only when it is complete.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing import DocumentMissing, FileError
from rag import statements_of, write_citevqa
from ui.errors import ExportError
from ui.export.files import Files, check_free, not_written, ours, write_whole
from ui.export.html import html_page
from ui.export.markdown import markdown
from ui.export.pdf import cited_pdf, marks_of, untrue
from ui.export.sources import MARK, Exported, gather
from ui.export.works import bibtex, cited_entries, ris
from ui.show import clean, safe_name

if TYPE_CHECKING:
    from indexing import Collection, MarkedPdf
    from rag import Answer

FORMS = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".pdf": "pdf",
    ".txt": "bbox",
    ".bbox": "bbox",
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".ris": "ris",
}
"""The form that each suffix stands for; a target without any is a folder, which gets all forms."""


def export(
    answer: Answer, collection: Collection, target: Path, on_note: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Write `answer` to `target`: a file whose suffix names the form, or a folder (made if absent), which gets all.

    Several cited documents make several PDFs: `x.pdf` becomes `x-1-<document>.pdf` and so on. Files of an earlier
    export are replaced, or removed where this one has none in their place; any other file is left alone with an
    ExportError, which also stands for a disk that is full or cannot be written. Returns the files; `on_note` is told
    what was left out of the PDFs, in which nothing acts. Raises DocumentMissing for a document removed meanwhile and,
    when a PDF was asked for by name, the FileError of a document that could not be marked.
    """
    form = form_of(target)
    if form == "all":
        files = _everything(answer, collection, target, on_note)
    elif form == "pdf":
        files = _pdfs(answer, collection, target, on_note)
    else:
        contents = gather(answer, collection, pictures=form in ("md", "html"))
        files = _one(contents, target, form)
    check_free(files)
    for path, data in files.items():
        write_whole(path, data)
    if form == "all":
        for pattern in ("[0-9]*-*.pdf", "answer.bib", "answer.ris"):
            _sweep(target, pattern, files)
    if form in ("all", "md"):
        _sweep(_pictures(target / "answer.md" if form == "all" else target), "[0-9]*-*.png", files)
    return list(files)


def form_of(target: Path) -> str:
    """Return the form that a target stands for, `all` for a folder. Raises ExportError for a suffix without one."""
    try:
        if target.is_dir():
            return "all"
    except OSError as error:
        raise not_written(target, error) from None
    suffix = target.suffix.lower()
    if suffix in FORMS:
        return FORMS[suffix]
    if suffix:
        raise ExportError(f"{target}: the name of an export ends in {', '.join(FORMS)}, or name a folder")
    return "all"


def _one(exported: Exported, target: Path, form: str) -> Files:
    """Return the file of one textual form, for Markdown with its pictures."""
    if form == "html":
        return {target: html_page(exported).encode()}
    if form == "json":
        return {target: (json.dumps(to_json(exported), indent=2) + "\n").encode()}
    if form == "bbox":
        return {target: citevqa(exported.answer).encode(errors="replace")}
    if form in ("bibtex", "ris"):
        return {target: _works(exported, target, form).encode(errors="replace")}
    folder = _pictures(target)
    pictures = {folder / s.picture_name: s.png for s in exported.sources if s.png}
    return {target: markdown(exported, folder.name).encode(), **pictures}


def _works(exported: Exported, target: Path, form: str) -> str:
    """Return the cited works as BibTeX or RIS. Raises ExportError where nothing is cited."""
    if not exported.sources:
        raise ExportError(f"{target}: nothing was cited, so there are no works to list: export .md, .html or .json")
    entries = cited_entries(exported)
    return bibtex(entries) if form == "bibtex" else ris(entries)


def _pictures(target: Path) -> Path:
    """Return the folder that holds the pictures of a Markdown file."""
    return target.with_name(f"{_shorten(target.stem)}.files")


def _everything(answer: Answer, collection: Collection, folder: Path, on_note: Callable[[str], None]) -> Files:
    """Return all forms under fixed names. A document that cannot be marked is told in the pages; the rest is made."""
    contents = gather(answer, collection)
    notes, pdfs = list(contents.notes), {}
    for number, (doc_id, marks) in enumerate(marks_of(answer).items(), 1):
        name = collection.document(doc_id).name
        try:
            pdf = cited_pdf(collection, doc_id, marks)
        except (FileError, DocumentMissing) as error:
            notes.append(f"No PDF with highlights: {error}")
        else:
            pdfs[folder / f"{number}-{_stem(name)}.pdf"] = pdf.content
            notes += _omission_notes(name, pdf)
            for note in _omission_notes(name, pdf):
                on_note(note)
    contents = replace(contents, notes=notes)
    files: dict[Path, bytes] = {}
    forms = [("answer.html", "html"), ("answer.json", "json"), ("answer.bbox", "bbox")]
    forms += [("answer.bib", "bibtex"), ("answer.ris", "ris")] if contents.sources else []
    for name, form in forms:
        files |= _one(contents, folder / name, form)
    return {**files, **pdfs, **_one(contents, folder / "answer.md", "md")}


def _pdfs(answer: Answer, collection: Collection, target: Path, on_note: Callable[[str], None]) -> Files:
    """Return one PDF a cited document."""
    marks = marks_of(answer)
    if not marks:
        lines = [
            f"{target}: nothing was cited, so there is no page to mark: export .md, .html or .json",
            untrue(answer),
        ]
        raise ExportError("\n".join(filter(None, lines)))
    files: dict[Path, bytes] = {}
    for number, (doc_id, of_document) in enumerate(marks.items(), 1):
        of = collection.document(doc_id).name
        name = f"{_shorten(target.stem)}-{number}-{_stem(of)}{target.suffix}"
        pdf = cited_pdf(collection, doc_id, of_document)
        files[target if len(marks) == 1 else target.with_name(name)] = pdf.content
        for note in _omission_notes(of, pdf):
            on_note(note)
    return files


def _omission_notes(name: str, pdf: MarkedPdf) -> list[str]:
    """Return a note on what was left out of the PDF of a document; empty if nothing was."""
    return [f"Left out of the PDF of {clean(name)}: {', '.join(pdf.left_out)}."] if pdf.left_out else []


def to_json(exported: Exported) -> dict[str, Any]:
    """Return the JSON of `vouch ask --json`, with the `number` and the `anchor` of each citation that is shown."""
    values = exported.answer.to_json()
    sources = {s.citation: s for s in exported.sources}
    for sentence, sentence_json in zip(exported.answer.sentences, values["sentences"], strict=True):
        for citation, citation_json in zip(sentence.citations, sentence_json["citations"], strict=True):
            if citation in sources:
                citation_json |= {"number": sources[citation].number, "anchor": str(sources[citation].anchor)}
    return {"generator": MARK, **values, "notes": list(exported.notes)}


def citevqa(answer: Answer) -> str:
    """Return CiteVQA's form; the last line, a comment, says which document each number stands for."""
    names: dict[str, str] = {}
    for sentence in answer.sentences:
        names |= {c.doc_id: c.document for c in sentence.proof}
    documents = "; ".join(f"doc {n}: {safe_name(name).replace('--', '-')}" for n, name in enumerate(names.values(), 1))
    return f"{write_citevqa(statements_of(answer, list(names)))}\n<!-- {MARK}. {documents} -->\n"


def _stem(name: str) -> str:
    """Return a document's name without its suffix, fit for a file name."""
    return safe_name(Path(clean(name)).stem)


def _shorten(name: str) -> str:
    """Return a name that leaves room for a document's name and a suffix within the 255 bytes of a file system."""
    return name.encode()[:170].decode(errors="ignore")


def _sweep(folder: Path, pattern: str, files: Files) -> None:
    """Delete the files of an earlier export in a folder that this one did not replace: they show another answer."""
    for path in folder.glob(pattern):
        if path not in files and path.is_file() and not path.is_symlink() and ours(path):
            path.unlink(missing_ok=True)

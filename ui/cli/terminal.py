"""Answers, reports and lists as lines for a terminal, and their printing. Text from documents is cleaned."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from ui.show import (
    KIND_NAMES,
    OTHERS,
    answers,
    aside,
    beside,
    clean,
    count_of,
    heading,
    is_other,
    looked_at,
    missing,
    no_answer,
    quote_to_show,
    role,
    shorten,
    size,
    sources,
    verdict_counts,
)

if TYPE_CHECKING:
    from indexing import Document, FileReport, IndexReport
    from rag import Answer, Citation, Queries, Retrieved, Sentence
    from rag.attribution import Ablated

Line = Text | Table | Padding
Lines = Sequence[Line]
State = Literal["good", "problem", "skipped"]
_NO_DOCUMENTS = (
    "No documents were found there: give a PDF, an Office or text file, a web page, an e-mail or an image, or a folder "
    "of them."
)
_MARKS = {
    "quoted": "\u201d",
    "shown": "\u2192",
    "computed": "=",
    "confirmed": "\u2713",
    "unconfirmed": "\u25cb",
    "contradicted": "\u2717",
    "remark": "-",
}
_PLAIN_MARKS = _MARKS | {"quoted": '"', "confirmed": "v", "unconfirmed": "o", "contradicted": "x", "shown": ">"}
MOST_SOURCES = 40
"""The most sources that are listed."""
_FORGED = re.compile(r"[\[\uff3b]\s?\d+\s?[\]\uff3d]|[\u2713\u2714\u2705\u2611\u2717\u2718\u25cb\u25cf\u2715-\u2716]")
"""Numbers and marks in the text of a document that look as if Vouch had printed them."""
_QUOTES = re.compile('["\u201c\u201d\u201e\u201f\uff02]')
"""The quotation marks with which a quoted text could pretend to end."""
EXPLAINED = ("unconfirmed", "remark")
"""The verdicts whose reason is printed; for a contradicted sentence that is what differs."""
_STATE_MARKS = {"good": "confirmed", "skipped": "remark"}
"""The verdict whose mark is printed for a state of `vouch doctor`; a problem has a mark of its own."""
_MARK_STYLES = {
    "quoted": "dim",
    "shown": PROOF.terminal,
    "computed": PROOF.terminal,
    "confirmed": PROOF.terminal,
    "unconfirmed": UNCONFIRMED.terminal,
    "contradicted": CONTRADICTION.terminal,
    "remark": "dim",
}
_ROLE_STYLES = {
    "proves": f"bold {PROOF.terminal}",
    "unconfirmed": UNCONFIRMED.terminal,
    "contradicts": CONTRADICTION.terminal,
}
"""The styles of a citation's number, by its role."""


def show(lines: Lines) -> None:
    """Print lines to stdout; in a pipe long lines are not wrapped. Tables keep their columns."""
    out = console()
    for line in lines:
        out.print(line, soft_wrap=not sys.stdout.isatty() and not isinstance(line, Table))


def console() -> Console:
    """Return a console of stdout that prints text without interpreting markup or emoji codes in it."""
    width = None if sys.stdout.isatty() else 200
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=width)


def print_json(value: Any) -> None:
    """Print JSON in ASCII only, so that no text in it can control the terminal."""
    print(json.dumps(value, indent=2, ensure_ascii=True))


def fail(message: str, code: int = 2) -> int:
    """Print one line on stderr, and return the exit code."""
    print(f"vouch: {clean(message)}", file=sys.stderr)
    return code


def answer(result: Answer, overlays: Sequence[Path] = (), encoding: str = "utf-8") -> Lines:
    """Return the sentences with numbers and verdict marks, the sources, the counts and the paths of overlays."""
    notes = [Text(f"Note: {clean(note)}", style="dim") for note in result.notes]
    if result.abstained:
        return [*_abstention(result), *notes, _footer(result)]
    lines: list[Line] = []
    above = ""
    for sentence in result.sentences:
        if is_other(sentence):
            continue
        if (title := heading(sentence)) != above:
            above = title
            lines += [Text(""), Text(clean(title), style="bold")] if title else []
        lines.append(_sentence(result, sentence, encoding))
    citations, others = sources(result)
    if citations:
        lines += [Text(""), Text("Sources", style="bold")]
        lines += [line for number, citation in citations[:MOST_SOURCES] for line in _source(result, number, citation)]
        if (more := len(citations) - MOST_SOURCES) > 0:
            lines.append(Text(f"  and {more} more: --export NAME.xlsx writes all of them as a table"))
    if others:
        places = "; ".join(f"[{number}] {clean(c.document)}, {clean(c.where)}" for number, c in others[:MOST_SOURCES])
        lines += [Text(""), Text(f"{OTHERS}: {places}", style="dim")]
    lines += [Text(""), *_missing(result), *notes, _footer(result)]
    if overlays:
        lines += [Text(""), Text("Pages with their boxes", style="bold")]
        lines += [Text(f"  {clean(str(path))}") for path in overlays]
    return lines


def state_mark(state: State, encoding: str) -> str:
    """Return the mark before a finding of `vouch doctor` or `vouch connect`, ASCII if `encoding` is not UTF."""
    return "!" if state == "problem" else _marks(encoding)[_STATE_MARKS[state]]


def _marks(encoding: str) -> dict[str, str]:
    """Return the marks of the verdicts, in ASCII if the terminal's encoding is not UTF."""
    return _MARKS if "utf" in (encoding or "").lower() else _PLAIN_MARKS


def render_sentence(result: Answer, sentence: Sentence, encoding: str) -> Text:
    """Return `Text of the sentence. [1][2] ✓`; a text that contains such numbers or marks is put in quotation marks."""
    text = clean(sentence.text)
    is_forged = _FORGED.search(text) is not None
    own = _QUOTES.sub("'", text) if is_forged else text
    line = Text(f"\u201c{own}\u201d" if is_forged else own)
    if sentence.short:
        before, short = (clean(sentence.text[a:b]) for a, b in ((0, sentence.short[0]), sentence.short))
        at = line.plain.find(_QUOTES.sub("'", short) if is_forged else short, len(before))
        line.stylize("bold", at, at + len(short))
    line.append(" " if sentence.citations else "")
    numbered_citations = list(zip(result.numbers(sentence), sentence.citations, strict=True))
    for number, citation in numbered_citations[:MOST_SOURCES]:
        line.append(f"[{number}]", style=_ROLE_STYLES[citation.role])
    if len(numbered_citations) > MOST_SOURCES:
        line.append(f"...[{numbered_citations[-1][0]}]")
    marks = _marks(encoding)
    line.append(f" {marks[sentence.verdict]}", style=_MARK_STYLES[sentence.verdict])
    return line.append(f" {relevance}", style="dim") if (relevance := answers(sentence)) else line


def _sentence(result: Answer, sentence: Sentence, encoding: str) -> Text:
    """Return a sentence as `render_sentence` does, with remarks on it and the reason why it is not confirmed."""
    line = render_sentence(result, sentence, encoding)
    for remark in beside(sentence):
        line.append(f"  {clean(remark)}", style="red" if sentence.verdict == "contradicted" else "dim")
    line.append("".join(f"  {clean(remark)}" for remark in aside(sentence)), style="dim")
    if sentence.reason and not sentence.differs and sentence.verdict in EXPLAINED:
        line.append(f"  ({clean(sentence.reason)})", style="dim")
    return line


def _source(result: Answer, number: int, citation: Citation) -> Lines:
    """Return document, page and kind on one line, and the quote below it unless a sentence is the quote."""
    head = Text(f"  [{number}]", style=_ROLE_STYLES[citation.role])
    place = f" {clean(citation.document)}, {clean(citation.where)}, {KIND_NAMES.get(citation.kind, citation.kind)}"
    head.append(f"{place}{role(citation)}", style="not bold not dim default")
    quote = shorten(quote_to_show(result, citation), 160)
    return [head, Padding(Text(quote, style="dim"), (0, 0, 0, 6), expand=False)] if quote else [head]


def ranking(queries: Queries, results: Retrieved) -> Lines:
    """Return the numbered queries, then a table of the elements, best first, with the queries that found each."""
    lines: list[Line] = [Text("Searched for", style="bold")]
    lines += [Text(f"  {n}  {clean(query.text)}") for n, query in enumerate(queries.text, 1)]
    lines.append(Text(""))
    if not results.evidence:
        return [*lines, Text(clean(results.nothing) or "Nothing was found.")]
    table = _table(">", ">score", "document", ">page", "kind", "found by", "text")
    for e in results.evidence:
        element, by = e.element, ", ".join(map(str, e.found_by))
        text = shorten(element.text or element.caption, 90)
        kind = KIND_NAMES.get(element.kind, element.kind)
        _add_row(table, e.label, f"{e.score:.3f}", clean(e.document), f"{element.page}", kind, by, text)
    notes = [Text(f"Note: {clean(note)}", style="dim") for note in results.notes]
    return [*lines, table, Text(""), *notes, Text(f"mode {results.mode}", style="dim")]


def importance_note(each: Ablated) -> str:
    """Return `[1] is crucial: without it nothing proves that ...`, or that it is not."""
    name = f"[{each.number}] {each.citation.document}, {each.citation.where}"
    if each.crucial:
        return f"{name} is crucial: without it, nothing proves “{'” or “'.join(each.lost)}”"
    return f"{name} is not crucial: other places say the same"


def _abstention(result: Answer) -> Lines:
    """Return the lines of an abstention: why there is no answer, and the places that were retrieved."""
    lines: list[Line] = [Text(clean(no_answer(result)), style="bold")]
    lines += _missing(result)
    places = looked_at(result)
    if places:
        lines.append(Text("The closest places were:"))
        lines += [Text(f"  {clean(name)}, {counted_pages}") for name, counted_pages in places]
    if not result.nothing:
        lines.append(Text("Try the documents' own words, or name a document with --doc.", style="dim"))
    return lines


def _missing(result: Answer) -> Lines:
    """Return the line on what a model did not find on the pages that it read; [] for none."""
    return [Text(missing(result))] if result.missing else []


def _footer(result: Answer) -> Text:
    """Return `2 sentences, all quoted  0.21 s`, with the usage if a model was called."""
    seconds = result.timings.get("total", sum(result.timings.values()))
    counts = "" if result.abstained else verdict_counts(result)
    cost = _usage(result) if result.usage.calls else ""
    return Text("  ".join(filter(None, (counts, f"{seconds:.2f} s", cost))), style="dim")


def _usage(result: Answer) -> str:
    """Return `2 calls of qwen3-vl-8b, 3,412 + 210 tokens, 8 images, cost 0.0041`."""
    usage = result.usage
    whose = f" of {clean(result.model)}" if result.model else ""
    tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
    parts = [count_of(usage.calls, "call") + whose, tokens]
    parts += [count_of(usage.images, "image")] if usage.images else []
    parts += [f"cost {usage.cost:.4f}" if usage.cost >= 0.0001 else "cost under 0.0001"] if usage.cost else []
    return ", ".join(parts)


def report(result: IndexReport) -> Lines:
    """Return a table of documents, then the failures with their reasons, the totals and the notes."""
    table = _table("document", "", ">pages", ">elements", ">seconds")
    for file in result.files:
        style = "red" if file.status == "failed" else "dim" if file.status == "skipped" else None
        counts = f"{file.pages}", f"{file.elements}", f"{file.seconds:.1f}"
        _add_row(table, clean(file.name), _outcome(file), *counts, style=style)
    lines: list[Line] = [table] if result.files else [Text(_NO_DOCUMENTS)]
    if failures := [line for file in result.files for line in _failures(file)]:
        lines += [Text(""), Text("Not indexed", style="bold"), *failures]
    lines += [Text(""), Text(report_summary(result))]
    lines += [Text(f"Note: {clean(note)}", style="dim") for note in result.notes]
    return lines


def _outcome(file: FileReport) -> str:
    """Return the status of a file, with its document's earlier name, or the name of an equal document."""
    if not file.other_name:
        return file.status
    return f"{file.status}, {'was' if file.status == 'renamed' else 'the same as'} {clean(file.other_name)}"


def _failures(file: FileReport) -> Lines:
    """Return one line for each failure: the file, the page if it concerns one, and the reason."""
    lines: list[Line] = []
    for failure in file.failures:
        with_folders = failure.message.startswith(f"{file.path}: ")  # the path may be misspelt
        line = Text(f"  {clean(file.path if with_folders else file.name)}", style="red")
        line.append(f", page {failure.page}" if failure.page is not None else "")
        line.append(f": {clean(file.reason(failure))}", style="default")
        lines.append(line)
    return lines


def report_summary(result: IndexReport) -> str:
    """Return `Collection x: 3 documents, 41 pages, 512 elements in 20.1 s (2.0 pages/s).`"""
    fresh = [f for f in result.files if f.status in ("indexed", "replaced")]
    pages, elements = sum(f.pages for f in fresh), sum(f.elements for f in fresh)
    rate = f" ({pages / result.seconds:.1f} pages/s)" if pages and result.seconds > 0 else ""
    n_skipped = sum(f.status in ("skipped", "renamed") for f in result.files)
    skipped_note = f" {count_of(n_skipped, 'document')} already indexed." if n_skipped else ""
    stopped_note = " Stopped early; complete documents are kept." if result.cancelled else ""
    return (
        f"Collection {clean(result.collection)}: {count_of(len(fresh), 'document')}, {count_of(pages, 'page')},"
        f" {count_of(elements, 'element')} in {result.seconds:.1f} s{rate}.{skipped_note}{stopped_note}"
    )


def collections(names: Sequence[str]) -> Lines:
    """Return one line for each name, or how to make a collection."""
    if not names:
        return [Text("No collections yet. Make one: vouch index PATH")]
    return [Text(clean(name)) for name in names]


def documents(collection: str, results: Sequence[Document]) -> Lines:
    """Return a table of the documents of a collection."""
    if not results:
        return [
            Text(
                f"{clean(collection)} has no documents yet. Add some: vouch index PATH --collection {clean(collection)}"
            )
        ]
    has_tags = any(d.metadata.tags for d in results)
    table = _table("document", "title", *(["tags"] if has_tags else []), ">pages", ">elements", ">size", "id")
    for d in results:
        name = f"{clean(d.name)} (missing)" if d.metadata.missing else clean(d.name)
        tags = [shorten(clean(", ".join(d.metadata.tags)), 40)] if has_tags else []
        counts = f"{d.n_pages}", f"{d.n_elements}", size(d.size)
        style = "dim" if d.metadata.missing else None
        _add_row(table, name, shorten(d.title, 50), *tags, *counts, d.id, style=style)
    missing = sum(d.metadata.missing for d in results)
    note = f"{count_of(missing, 'document')} missing: gone from the watched folder, but still used in answers."
    return [table, Text(""), Text(note, style="dim")] if missing else [table]


def stats(collection: str, statistics: Mapping[str, int | float | str]) -> Lines:
    """Return one line for each statistic of a collection."""
    lines: list[Line] = [Text(clean(collection), style="bold")]
    for key, value in statistics.items():
        text = size(int(value)) if "bytes" in key and not isinstance(value, str) else clean(str(value))
        lines.append(Text(f"  {clean(key.replace('_', ' ')):<16} {text}"))
    return lines


def _table(*columns: str) -> Table:
    """Return an empty table without a frame. A `>` before a column's name aligns it right."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name.lstrip(">"), justify="right" if name.startswith(">") else "left", overflow="fold")
    return table


def _add_row(table: Table, *cells: str, style: str | None = None) -> None:
    table.add_row(*map(Text, cells), style=style)

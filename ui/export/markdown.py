"""An exported answer as Markdown (CommonMark, and GitHub's dialect): pictures lie in a folder beside the file. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote

from ui.export.sources import MARK, ExportContents, Source
from ui.show import (
    KIND_NAMES,
    VERDICT_NAMES,
    answers,
    clean,
    heading,
    instead,
    looked_at,
    missing,
    no_answer,
    role,
    source_lines,
    verdict_counts,
)

# Backslashes escape what Markdown interprets; `<` and `&` become entities, since escaped ones can still open HTML.
_IN_LINKS = "/:#?&=%~,;@!$'*+"
"""The signs of an address that stay as they are in a link; others are percent-encoded: brackets would end it."""
_PUNCTUATION = re.compile(r"[\\`*_{}\[\]()#+\-.!|~$^=:@>]")
_ENTITIES = str.maketrans({"<": "&lt;", "&": "&amp;"})
# Plain prose reads as such in the file: a mark is escaped only where it could mean something.
_HARMLESS = re.compile(
    r"""
    (?<=\w) - (?=\w)                 # well-known
  | (?<=\w) [.:] (?=[ ]|$)           # the end of a sentence or of a clause, not of "1." at the beginning
  | (?<=\d) [.:] (?=\d)              # 3.4, 22:10
  | (?<=[ (]) [(] (?=\w) | (?<=\w) [)] (?=[ .,;] | $)
    """,
    re.VERBOSE,
)


def escape(text: str) -> str:
    """Return untrusted text as one line of Markdown, escaped so that exactly these characters are displayed."""
    text = clean(text)
    harmless = {m.start() for m in _HARMLESS.finditer(text)} if not re.match(r"\d{1,9}[.)]", text) else set()
    line = "".join(c if i in harmless else _PUNCTUATION.sub(r"\\\g<0>", c) for i, c in enumerate(text))
    return line.translate(_ENTITIES)


def markdown(contents: ExportContents, folder: str) -> str:
    """Return the text of the Markdown file; `folder` is the name of the folder of pictures beside it."""
    answer = contents.answer
    lines = [f"<!-- {MARK} -->", "", f"# {escape(answer.question)}", ""]
    lacking = [escape(missing(answer)), ""] if answer.missing else []
    if answer.abstained:
        lines += [escape(no_answer(answer)), "", *lacking]
        lines += [f"- {escape(name)}, {pages}" for name, pages in looked_at(answer)]
    for n, sentence in enumerate(answer.sentences):
        if (title := heading(sentence)) and title != heading(answer.sentences[n - 1]):
            lines += [f"## {escape(title)}", ""]
        numbers = "".join(rf"\[{n}\]" for n in answer.numbers(sentence))
        verdict = VERDICT_NAMES[sentence.verdict]
        if correction := instead(sentence):
            verdict += f": {escape(correction)}"
        elif sentence.reason and sentence.verdict in ("unconfirmed", "remark"):
            verdict += f", {escape(sentence.reason)}"
        verdict += "".join(f"; {escape(remark)}" for remark in source_lines(sentence))
        verdict = ", ".join(filter(None, (verdict, answers(sentence))))
        lines += [" ".join(filter(None, [escape(sentence.text), numbers, f"*({verdict})*"])), ""]
    lines += lacking if answer.sentences else []
    if contents.sources:
        lines += ["## Sources", ""]
    for source in contents.sources:
        lines += _source(source, folder)
    lines += [f"- {escape(note)}" for note in contents.notes]
    lines += ["", "---", "", _footer(contents)]
    return "\n".join(lines) + "\n"


def _source(source: Source, folder: str) -> list[str]:
    """Return the lines of a source: its heading, quote, picture, link and anchor."""
    citation = source.citation
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    where = f"{escape(citation.document)}, {escape(citation.where)}"
    lines = [rf"### \[{source.number}\] {where}, {escape(kind)}{role(citation)}", ""]
    if source.quote:
        lines += [f"> {escape(source.quote)}", ""]
    if source.png:
        alt = f"Evidence {source.number} on page {citation.page}"
        lines += [f"![{alt}]({quote(f'{folder}/{source.picture_name}')})", ""]
    if source.link:
        lines += [f"[The words on the page]({quote(source.link, safe=_IN_LINKS)})", ""]
    return [*lines, f"`{source.anchor}`", ""]


def _footer(contents: ExportContents) -> str:
    answer = contents.answer
    counts = "" if answer.abstained else verdict_counts(answer)
    return ". ".join(filter(None, (counts, "Find a source again: `vouch resolve ANCHOR`")))

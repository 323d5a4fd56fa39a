"""An exported answer as one HTML file that needs nothing else: no script, pictures inside, light, dark and print. Pure.

Everything is escaped, and a policy in the file forbids whatever might slip through: scripts, addresses, forms.
"""

from __future__ import annotations

import base64

from ui.exported import MARK, Exported, Source
from ui.render import escape
from ui.wording import KIND_NAMES, NO_PROOF, VERDICT_NAMES, confidence, looked_at, no_answer, verdict_counts, why

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root{color-scheme:light dark;--ink:#1b201d;--dim:#5c655f;--paper:#fbfaf7;--line:#d9d9d1;--green:#18694e;
--amber:#8a5a00;--red:#a3291e}
@media(prefers-color-scheme:dark){:root{--ink:#e8eae6;--dim:#a3aba6;--paper:#161917;--line:#363b38;--green:#6fcaa6;
--amber:#e0b25c;--red:#f08d82}}
body{margin:0 auto;max-width:46rem;padding:2.5rem 1.25rem;background:var(--paper);color:var(--ink);
font:1.05rem/1.6 Georgia,'Times New Roman',serif;overflow-wrap:anywhere}
h1{font-size:1.55rem;line-height:1.3;margin:0 0 1.5rem}
h2{font:600 .85rem/1.4 system-ui,sans-serif;letter-spacing:.04em;color:var(--dim);margin:2.5rem 0 1rem}
h3{font:600 1rem/1.4 system-ui,sans-serif;margin:0 0 .5rem}
p{margin:0 0 1rem}
a{color:var(--green);text-decoration:none;font:600 .85em system-ui,sans-serif}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid currentColor;outline-offset:2px}
small,footer{color:var(--dim);font:.82rem/1.5 system-ui,sans-serif}
small.partial,small.unchecked{color:var(--amber)}
small.unsupported{color:var(--red)}
small.supported{color:var(--green)}
section{border-top:1px solid var(--line);padding:1.25rem 0;break-inside:avoid}
section:target h3{color:var(--green)}
blockquote{margin:0 0 1rem;padding-left:1rem;border-left:3px solid var(--line);color:var(--dim)}
img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:4px;background:#fff}
code{display:block;margin-top:.75rem;font:.72rem/1.5 ui-monospace,monospace;color:var(--dim)}
footer{border-top:1px solid var(--line);padding-top:1rem;margin-top:1rem}
@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--paper:#fff;--line:#bbb;--green:#0d4f39;--amber:#6b4600;
--red:#8a1f16}body{max-width:none;padding:0;font-size:11pt}img{max-height:18cm;width:auto}}
"""


def html_page(exported: Exported) -> str:
    """The whole file."""
    answer = exported.answer
    title = escape(answer.question)
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in exported.notes)
    sources = "".join(map(_source, exported.sources))
    return (
        f'<!DOCTYPE html>\n<!-- {MARK} -->\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main><h1>{title}</h1>{_sentences(exported)}"
        f"{'<h2>Sources</h2>' if sources else ''}{sources}{notes}</main><footer>{_footer(exported)}</footer>"
        "</body></html>\n"
    )


def _sentences(exported: Exported) -> str:
    answer = exported.answer
    if answer.abstained:
        places = "".join(f"<li>{escape(name)}, {escape(pages)}</li>" for name, pages in looked_at(answer))
        looked = f"<p>It looked closest at:</p><ul>{places}</ul>" if places else ""
        return f"<p>{escape(no_answer(answer))}</p>{looked}"
    told = []
    for sentence in answer.sentences:
        verdict = sentence.verdict
        numbers = answer.numbers(sentence) if verdict != "unsupported" else ()
        links = " ".join(f'<a href="#source-{n}">[{n}]</a>' for n in numbers)
        said = VERDICT_NAMES[verdict] if verdict != "unsupported" else f"{VERDICT_NAMES[verdict]}: {NO_PROOF}"
        mark = f'<small class="{verdict}" title="{escape(why(sentence))}">{escape(said)}</small>'
        told.append(f"<p>{escape(sentence.text)} {links} {mark}</p>")
    return "".join(told)


def _source(source: Source) -> str:
    citation, n = source.citation, source.number
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    place = f"{escape(citation.document)}, page {citation.page}, {escape(kind)}"
    quoted = f"<blockquote>{escape(source.quote)}</blockquote>" if source.quote else ""
    picture = ""
    if source.png:
        width, height = source.size
        data = base64.b64encode(source.png).decode()
        picture = (
            f'<img src="data:image/png;base64,{data}" width="{width}" height="{height}" '
            f'alt="Evidence {n} on page {citation.page} of {escape(citation.document)}">'
        )
    return (
        f'<section id="source-{n}"><h3>[{n}] {place}</h3>{quoted}{picture}<code>{escape(str(source.anchor))}</code>'
        "</section>"
    )


def _footer(exported: Exported) -> str:
    answer = exported.answer
    counts = "" if answer.abstained else verdict_counts(answer)
    return ". ".join(
        filter(None, (counts, confidence(answer).capitalize(), "To find a source again: vouch resolve ANCHOR"))
    )

"""How an answer came about, for people who tune it: queries, hits, knowledge, cost, verdicts, time. Pure, escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ui.render import escape
from ui.sanitize import shorten
from ui.wording import KIND_NAMES, METHOD_NAMES, MODE_NAMES, STAGE_NAMES, VERDICT_NAMES, counted

if TYPE_CHECKING:
    from rag import Answer, Evidence
    from ui.turns import Asked


VIEW_NAMES = {"text": "By its text", "pixels": "By its page\u2019s pixels"}


def found_html(asked: Asked, answer: Answer, looks: Sequence[str] = ()) -> str:
    """The whole account; `looks` are the image-seeking forms of the queries, in their order."""
    parts = [
        _section("Searched for", _queries(asked, answer, looks)),
        _section(f"Found, in {MODE_NAMES[answer.mode]}", _evidence(answer.evidence)),
        _section("Knowledge extracted beforehand", _knowledge(answer.evidence)),
        _section("Answered", _answered(answer)),
        _section("Checked", _verdicts(answer)),
        _section("Time", bars_html(answer.timings)),
    ]
    return f'<div class="v-account">{"".join(parts)}</div>'


def _section(title: str, body: str) -> str:
    return f'<h3 class="v-heading">{escape(title)}</h3>{body}' if body else ""


def _queries(asked: Asked, answer: Answer, looks: Sequence[str]) -> str:
    """Each query with its image-seeking form, where pixels were searched too, and how many pieces of evidence are among
    its own best.
    """
    heads = ["", "Query", "Best of its own"]
    if seen := answer.mode != "text" and len(looks) == len(answer.queries):
        heads.insert(2, "Compared with what pages look like")
    rows = []
    for number, query in enumerate(answer.queries, 1):
        hits = sum(number in e.found_by for e in answer.evidence)
        forms = (query, looks[number - 1]) if seen else (query,)
        rows.append((str(number), *forms, counted(hits, "hit")))
    note = ""
    if asked.previous:
        before = " and ".join(f"\u201c{escape(shorten(question, 160))}\u201d" for question in asked.previous)
        told = "" if answer.method in ("quote", "visa") else ", and the model that wrote was told so"
        note = (
            '<p class="v-summary">The question was taken for a follow-up: it was searched for together with what was '
            f"asked before, {before}{told}. Nothing else was taken from before.</p>"
        )
    return _table("Queries", heads, rows) + note


def _evidence(found: Sequence[Evidence]) -> str:
    """The pieces with the score of their rank, which more goes into, and what each view says of them."""
    views = [view for view in VIEW_NAMES if any(view in dict(e.by_view) for e in found)]
    rows = [
        (
            e.label,
            f"{e.document}, page {e.element.page}",
            KIND_NAMES.get(e.element.kind, e.element.kind),
            ", ".join(map(str, e.found_by)),
            f"{e.score:.3f}",
            *(f"{said[view]:.3f}" if view in (said := dict(e.by_view)) else "\u2013" for view in views),
            shorten(e.element.text, 90),
        )
        for e in found
    ]
    heads = ("", "Place", "Kind", "By query", "Score", *(VIEW_NAMES[view] for view in views), "Begins")
    return _table("What was found", heads, rows)


def _knowledge(found: Sequence[Evidence]) -> str:
    rows = [(e.label, shorten(e.knowledge, 400)) for e in found if e.knowledge]
    return _table("Knowledge", ("", "What the model read there, without seeing the question"), rows)


def _answered(answer: Answer) -> str:
    """The method and, where a model wrote, what that took."""
    said = [f"The answer was {METHOD_NAMES[answer.method]}."]
    usage = answer.usage
    if usage.calls:
        said.append(
            f"{counted(usage.calls, 'call')}: {counted(usage.prompt_tokens, 'token')} and "
            f"{counted(usage.images, 'image')} in, {counted(usage.completion_tokens, 'token')} out, "
            f"{usage.seconds:.1f} s at the model."
        )
    if usage.cost:
        said.append(f"Cost: {usage.cost:.4f}.")
    said += answer.notes
    return "".join(f'<p class="v-summary">{escape(s)}</p>' for s in said)


def _verdicts(answer: Answer) -> str:
    rows = [
        (str(number), VERDICT_NAMES[s.verdict], s.reason or "\u2013", shorten(s.text, 90))
        for number, s in enumerate(answer.sentences, 1)
    ]
    return _table("Verdicts", ("", "Verdict", "Why", "Sentence"), rows)


def bars_html(timings: dict[str, float]) -> str:
    """Seconds a stage as bars of one scale, the longest as long as there is room; the total in words."""
    stages = {name: seconds for name, seconds in timings.items() if name != "total"}
    longest = max(stages.values(), default=0.0) or 1.0
    rows = "".join(
        f'<li><span class="v-stage">{escape(STAGE_NAMES.get(name, name))}</span>'
        f'<span class="v-track"><span style="width:{100 * seconds / longest:.1f}%"></span></span>'
        f'<span class="v-seconds">{seconds:.3f} s</span></li>'
        for name, seconds in stages.items()
    )
    total = timings.get("total", sum(stages.values()))
    return f'<ul class="v-bars">{rows}</ul><p class="v-summary">{total:.2f} s in all</p>'


def _table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, its `name` for those who hear it; nothing where there are no rows."""
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f'<th scope="col">{escape(h)}</th>' if h else "<td></td>" for h in heads)
    return (
        f'<div class="v-wide" tabindex="0" role="region" aria-label="{escape(name)}"><table class="v-table"><thead><tr>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )

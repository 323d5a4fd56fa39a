"""Answers, messages, examples and drawings as HTML and SVG, made from the templates beside the code; all is escaped.

A template is named by its path inside `ui`, one of a plugin by the plugin's package and the path inside it:
`plugins.audit:templates/tab.html`. A line break between two tags, with the indentation after it, is removed: a space
between them has to be on one line with both.

`ui/web/static/viewer.js` reads data attributes: `data-cite` is a citation's number, `data-answer` the key of its
answer.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from ui.show import wording
from ui.show.sanitize import clean, shorten
from ui.show.wording import quote_to_show, sources

if TYPE_CHECKING:
    from jinja2 import Environment

    from indexing import BBox
    from rag import Answer
    from ui.state import Feedback


_LAYOUT = re.compile(r"(?<=[>}])(?=[^\S\n]*+\n)\s++(?=[<{])")
_SPECIAL = re.compile(r"""[&<>"'{}$`\\]""")
# Gradio fills its own templates into HTML values: a brace or a dollar sign of a document must not look like one.
_BRACES = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "\\": "&#92;"})


class HTML(str):
    """HTML from one of our templates: other templates insert it unescaped.

    The results of its string methods are plain text, which is escaped again.
    """

    __slots__ = ()

    def __html__(self) -> str:
        """Tell Jinja2 that this is not to be escaped."""
        return self


def render(template: str, /, **variables: Any) -> HTML:
    """Return a template with its variables filled in. Raises jinja2.UndefinedError for a missing one."""
    return HTML(_environment().get_template(template).render(variables))


def escape(text: str) -> HTML:
    """Return untrusted text, cleaned and escaped, as HTML text or the value of an attribute."""
    return escape_part(clean(text))


def escape_part(text: str) -> HTML:
    """Escape a part of a cleaned text; unlike `escape` it keeps spaces at the ends."""
    return HTML(html.escape(text).translate(_BRACES) if _SPECIAL.search(text) else text)


@cache
def _environment() -> Environment:
    """Return Jinja2's environment, which compiles templates on first use. Imported here: most commands make no HTML."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_fill,
        loader=FunctionLoader(_source),
    )
    environment.filters |= {"shorten": shorten, "escape_part": escape_part}
    environment.globals |= {
        "words": wording,
        "PROOF": PROOF,
        "CONTRADICTION": CONTRADICTION,
        "UNCONFIRMED": UNCONFIRMED,
    }
    return environment


def _fill(value: object) -> object:
    """Escape a text as `escape` does, which escapes more than Jinja2; leave HTML and other values to Jinja2."""
    return escape(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _source(name: str) -> tuple[str, str, None]:
    """Return the source of a template without white space between tags, for Jinja2: (source, file, None).

    Comments keep the line breaks, so that errors name the right line.
    """
    package, _, path = name.rpartition(":")
    file = files(package or "ui") / path
    text = file.read_text(encoding="utf-8")
    return _LAYOUT.sub(lambda match: f"{{#{chr(10) * match[0].count(chr(10))}#}}", text), str(file), None


def answer_html(answer: Answer, key: str = "", judgements: Mapping[int, Feedback] | None = None) -> HTML:
    """Return the sentences, each with its numbers and its verdict; for an abstention, the places that were searched.

    `key` ties it to the viewer of the same key, where a page has several answers. With `judgements`, the judgements of
    some sentences by number, from 1, each sentence has buttons to judge it.
    """
    seconds = answer.timings.get("total", sum(answer.timings.values()))
    footing = f"{seconds:.2f} s to search and answer"  # the page puts before it how long the reader waited
    if answer.abstained:
        return render("show/templates/abstention.html", answer=answer, footing=footing)
    own = [(n, c, quote_to_show(answer, c)) for n, c in sources(answer)[0]]
    return render("show/templates/answer.html", answer=answer, key=key, sources=own, footing=footing, judged=judgements)


def message_html(title: str, detail: str = "", kind: str = "quiet") -> HTML:
    """Return a message for the reader; its `kind` is quiet, busy or error."""
    return render("show/templates/message.html", title=title, detail=detail, kind=kind)


def heat_svg(regions: Sequence[tuple[BBox, float]]) -> bytes:
    """Return an SVG of (box, similarity) regions of a page; opacity grows from the lowest to the highest similarity."""
    values = [value for _, value in regions]
    low, span = min(values, default=0.0), (max(values, default=0.0) - min(values, default=0.0)) or 1.0
    opacities = [(box, 0.75 * ((value - low) / span) ** 2) for box, value in regions]
    return render("show/templates/heat.svg", regions=opacities).encode()


def bars_svg(title: str, values: Mapping[str, float], text_of: Callable[[float], str], most: int = 12) -> str:
    """Return a bar for each of the first `most` values; `text_of` formats a value. "" without values.

    A screen reader reads the title and each value. Negative values and NaN count as 0.
    """
    if not values:
        return ""
    top = [(name, value if 0.0 <= value < math.inf else 0.0) for name, value in list(values.items())[:most]]
    largest = max(value for _, value in top) or 1.0
    return render(
        "show/templates/bars.html",
        title=title,
        heard=", ".join(f"{name}: {text_of(value)}" for name, value in top),
        bars=[(name, text_of(value), 100 * value / largest) for name, value in top],
        more=len(values) - len(top),
    )

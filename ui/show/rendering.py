"""Rendering: HTML and SVG are made out of the templates beside the code, with every value escaped.

A template is named by its path inside `ui`, one of a plugin by the plugin's package and the path inside it:
`plugins.audit:templates/tab.html`. A line break between two tags, with the indentation after it, is the
layout of the template and none of the page: words that are to stand apart on the page stand on one line with a space
between.
"""

from __future__ import annotations

import html
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from ui.show import wording
from ui.show.sanitize import clean, shorten

if TYPE_CHECKING:
    from jinja2 import Environment

_LAYOUT = re.compile(r"(?<=[>}])(?=[^\S\n]*+\n)\s++(?=[<{])")
_SPECIAL = re.compile(r"""[&<>"'{}$`\\]""")
# Gradio fills its own templates into HTML values: a brace or a dollar sign of a document must not look like one.
_BRACES = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "\\": "&#92;"})


class HTML(str):
    """The HTML that a template of ours has made: other templates take it as it is, where they escape any other text.

    Text made of it in Python, by joining or cutting, is any other text again.
    """

    __slots__ = ()

    def __html__(self) -> str:
        """Tell Jinja2 that this is not to be escaped."""
        return self


def render(template: str, /, **holes: Any) -> HTML:
    """Fill a template. Raises jinja2.UndefinedError for a variable without a value."""
    return HTML(_environment().get_template(template).render(holes))


def escape(text: str) -> HTML:
    """Make text from anywhere HTML text, or the value of an attribute."""
    return within(clean(text))


def within(cleaned: str) -> HTML:
    """Escape a part of a text that was cleaned as a whole: `escape` would take the spaces at its ends for margins."""
    return HTML(html.escape(cleaned).translate(_BRACES) if _SPECIAL.search(cleaned) else cleaned)


@cache
def _environment() -> Environment:
    """Return the templates, each compiled when first asked for. Jinja2 is imported here: most commands make no HTML."""
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
    environment.filters |= {"shorten": shorten, "within": within}
    environment.globals |= {
        "words": wording,
        "PROOF": PROOF,
        "CONTRADICTION": CONTRADICTION,
        "UNCONFIRMED": UNCONFIRMED,
    }
    return environment


def _fill(value: object) -> object:
    """Escape a value as `escape` does, which is more than Jinja2 would; values that are no text it handles itself."""
    return escape(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _source(name: str) -> tuple[str, str, None]:
    """Read a template without its layout. Comments keep the line breaks, so that errors name the right line."""
    package, _, path = name.rpartition(":")
    file = files(package or "ui") / path
    text = file.read_text(encoding="utf-8")
    return _LAYOUT.sub(lambda found: f"{{#{chr(10) * found[0].count(chr(10))}#}}", text), str(file), None

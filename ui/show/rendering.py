"""Rendering: HTML and SVG are made from the templates beside the code, with every value escaped.

A template is named by its path inside `ui`, one of a plugin by the plugin's package and the path inside it:
`plugins.audit:templates/tab.html`. A line break between two tags, with the indentation after it, is removed: a space
between them has to be on one line with both.
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

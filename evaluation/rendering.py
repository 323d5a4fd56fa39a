"""Render HTML from the templates beside the code, with every value escaped.

A template is named by its path inside `evaluation`, one of a plugin by the plugin's package and the path inside it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, /, **values: Any) -> str:
    """Return a template rendered with values by name. Raises jinja2.UndefinedError for a variable without a value."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    """Return the Jinja environment, which escapes every value and caches compiled templates."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        loader=FunctionLoader(_source),
    )


def _source(name: str) -> str:
    """Return the text of the template `PATH` of `evaluation`, or of a plugin's template `PACKAGE:PATH`."""
    package, _, path = name.rpartition(":")
    return (files(package or "evaluation") / path).read_text(encoding="utf-8")

"""The methods of answering by name: those of Vouch, then those of plugins. Their code is imported when first used."""

from __future__ import annotations

from vouch.hooks import AnswerMethod, MethodOption, additions, names, with_added

METHODS: tuple[AnswerMethod, ...] = (
    AnswerMethod(
        "quote", "Quote", "quoted word for word", "quote the documents word for word",
        "rag.methods.quote:quote_method", model=False, pages=False, earlier=False,
    ),
    AnswerMethod(
        "vanilla", "Written", "written", "the profile's model writes at once",
        "rag.methods.write:write_method", notes=True,
    ),
    AnswerMethod(
        "cot", "Written in steps", "written in steps", "it writes in three steps: find, extract, answer",
        "rag.methods.write:write_method_in_steps", notes=True,
    ),
    AnswerMethod(
        "visa", "Written from whole pages", "written from whole pages", "it looks at whole pages and draws a box",
        "rag.methods.visa:visa_method", earlier=False,
    ),
)  # fmt: skip
"""The methods of the core."""


def methods() -> tuple[AnswerMethod, ...]:
    """Return all methods of answering, quoting first."""
    return with_added(METHODS, additions("methods"))


def method_spec(name: str) -> AnswerMethod:
    """Return the method of a name. Raises KeyError."""
    return {method.name: method for method in methods()}[name]


def method_options() -> tuple[MethodOption, ...]:
    """Return the options that methods declare; of two with the same name the first."""
    return with_added((), [option for method in methods() for option in method.options])


def methods_with_notes() -> tuple[str, ...]:
    """Return the names of the methods that can answer from a model's notes on evidence, or on every page."""
    return names([method for method in methods() if method.notes])

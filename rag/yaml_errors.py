"""The faults of a text that should be YAML, in words and with their place."""

from __future__ import annotations

from yaml import MarkedYAMLError, YAMLError


def fault_of(error: YAMLError) -> str:
    """Return `line 2, column 7: mapping values are not allowed here`; lines and columns count from 1."""
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return str(error).splitlines()[0]

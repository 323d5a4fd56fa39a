"""Read YAML that people wrote, and report any mistake in it as one error with its position."""

from __future__ import annotations

from typing import Any

import yaml


def read_yaml(text: str) -> Any:
    """Return the values of a YAML text. Raises YAMLError for any fault, such as too deep nesting or an invalid date."""
    try:
        return yaml.safe_load(text)
    except RecursionError:
        raise yaml.YAMLError("its values are nested too deeply") from None
    except (ValueError, OverflowError) as error:  # of a date that no month has, of a number of too many digits
        raise yaml.YAMLError(str(error)) from None


def fault_of(error: yaml.YAMLError) -> str:
    """Return `line 2, column 7: mapping values are not allowed here`; lines and columns count from 1."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return str(error).splitlines()[0]

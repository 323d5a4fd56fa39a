"""YAML of people: read so that whatever is wrong with it is one kind of error, told in words and with its place."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from rag.errors import ProfileError


def read_yaml(text: str) -> Any:
    """Return the values of a text. Raises YAMLError for one that is not YAML, nests too deep, or has no such date."""
    try:
        return yaml.safe_load(text)
    except RecursionError:
        raise yaml.YAMLError("its values nest too deep") from None
    except (ValueError, OverflowError) as error:  # of a date that no month has, of a number of too many digits
        raise yaml.YAMLError(str(error)) from None


def fault_of(error: yaml.YAMLError) -> str:
    """Return `line 2, column 7: mapping values are not allowed here`; lines and columns count from 1."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return str(error).splitlines()[0]


def lookup_file(shipped: str, path: str, setting: str) -> tuple[str, Any]:
    """Return the name and the values of a list of ours, `shipped` in `configs/`, or of a person's own at `path`.

    `setting` is the key of the profile that names the path. Raises ProfileError for what cannot be read as YAML.
    """
    name = path or shipped
    try:
        file = Path(path) if path else resources.files("configs").joinpath(shipped)
        return name, read_yaml(file.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise ProfileError(f"{name}: cannot be read ({error.strerror}): check {setting} in the profile") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{name}: is not text in UTF-8: save it as such") from None
    except yaml.YAMLError as error:
        raise ProfileError(f"{name}: is not YAML ({fault_of(error)}): correct it there") from None

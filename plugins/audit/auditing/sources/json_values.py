"""JSON values: a file of any size -> the values of its lines, of its array, or of the array that it has in "items".

One value is held at a time, and none may be larger than `MOST_VALUE` or nested deeper than Python's parser goes.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO

MOST_VALUE = 4_000_000
"""The bytes, or characters, of one value: a work with 3,000 authors has 1.5 million."""
_PART = 1_000_000
_ITEMS = re.compile(r'"items"\s{0,100}:\s{0,100}\[')
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def json_values(file: IO[bytes]) -> Iterator[object]:
    """Yield the values, one after the other; a line that is no JSON is left out.

    Raises ValueError for an array that is not whole, and for one with a value that is too large or too deep.
    """
    first = file.readline(MOST_VALUE).removeprefix(b"\xef\xbb\xbf").lstrip()
    value = _loaded(first)
    if not first.startswith(b"{") or (isinstance(value, dict) and isinstance(value.get("items"), list)):
        yield from _array(first, file)
    elif value is None and (head := first + file.read(_PART)) and _ITEMS.search(head.decode("utf-8", "replace")):
        yield from _array(head, file)
    elif value is None:
        head += file.readline(MOST_VALUE)
        yield from (_loaded(line) for line in head.splitlines())
        yield from (_loaded(line) for line in _lines(file))
    else:
        yield value
        yield from (_loaded(line) for line in _lines(file))


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(MOST_VALUE):
        yield line


def _loaded(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _array(head: bytes, file: IO[bytes]) -> Iterator[object]:
    """Yield the values of an array that begins in `head`, at its first sign or behind "items"."""
    read = codecs.getincrementaldecoder("utf-8")("replace").decode
    text, ended = read(head), False
    begin = _ITEMS.search(text)
    at = 1 if text.startswith("[") else begin.end() if begin else 0
    if not at:
        raise ValueError("it is neither an array, nor an object with items, nor one object per line")
    while True:
        at = _end(_BETWEEN, text, at)
        if text.startswith("]", at):
            return
        try:
            value, after = _DECODER.raw_decode(text, at)
        except RecursionError:
            raise ValueError("a value is nested too deeply") from None
        except ValueError:
            if ended:
                raise ValueError("it ends before its array is closed") from None
            if len(text) - at > MOST_VALUE:
                raise ValueError(f"a value is not JSON, or has more than {MOST_VALUE:,} characters") from None
            more = file.read(_PART)
            text, at, ended = text[at:] + read(more, not more), 0, not more
        else:
            yield value
            at = after


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at

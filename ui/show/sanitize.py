"""Make text from documents, file names and models, which is hostile, safe for terminals and file systems.

A terminal obeys escape sequences, and a bidirectional override makes a line read differently from what it says.
"""

from __future__ import annotations

import re
import unicodedata

from indexing import default_home
from ui.errors import UiError

# A whole escape sequence goes, not its ESC alone, which would leave "[31m" standing.
_ESCAPES = re.compile(
    r"""
    (?:\x1b\[|\x9b) [0-?]* [ -/]* [@-~]?                              # CSI: colours, cursor movement
  | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]) [^\x07\x1b\x9c]* (?:\x07|\x1b\\|\x9c)?  # OSC and other strings: titles, links
  | \x1b [ -/]* [0-~]?                                                # two-byte escapes
    """,
    re.VERBOSE,
)
# Zero-width joiners stay: Persian, Hindi and emoji need them. All other invisible format characters go.
_FOLDERS = re.compile(r"(?<![\w:/.~-])/(?:[^\s/:,;'\"()<>]+/)+")
"""The folders of an absolute path, up to its last part."""
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"
"""The characters that a spreadsheet may take for the beginning of a formula, in both widths."""
_JOINERS = frozenset("\u200c\u200d")
_WINDOWS_NAMES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}
)


def clean(text: str) -> str:
    """Return `text` as one line that a terminal shows as it is: no escape sequences, controls, direction overrides."""
    if text.isprintable():  # no control, no format character, no space but the plain one
        return " ".join(text.split())
    text = _ESCAPES.sub("", text)
    return " ".join("".join(map(_harmless, text)).split())


def public_words(error: Exception) -> str:
    """Return the message of an error for visitors and programs: on one line, without paths of this machine.

    Errors of `ui` are written for visitors, and name only folders that these gave or can read.
    """
    message = str(error)
    return clean(message if isinstance(error, UiError) else _FOLDERS.sub("", message.replace(f"{default_home()}/", "")))


def _harmless(char: str) -> str:
    """Return the character itself, a space for white space, a replacement for what is no character, or nothing."""
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    if category == "Cs" or (category == "Cn" and ord(char) & 0xFFFE == 0xFFFE):  # XML has no U+FFFE and no U+FFFF
        return "\ufffd"
    return "" if category == "Cc" or (category == "Cf" and char not in _JOINERS) else char


def shorten(text: str, limit: int) -> str:
    """Return `text`, cleaned, shortened at a word to at most `limit` characters, with an ellipsis."""
    text = clean(text)
    if len(text) <= limit:
        return text
    prefix = text[: limit - 1]
    at_word = prefix.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > limit // 2 else prefix).rstrip() + "…"


def safe_cell(text: str) -> str:
    """Return a text as one line that no spreadsheet takes for a formula: an apostrophe stands before one."""
    text = clean(text)
    return f"'{text}" if text[:1] in _FORMULA and text else text


def safe_name(name: str, limit: int = 60) -> str:
    """Return a document's name for use in a file name: letters, digits, `.`, `-` and `_` only, not hidden or empty."""
    plain = re.sub(r"[^\w.-]+", "-", clean(name).replace("/", "-").replace("\\", "-"))
    plain = re.sub(r"\.{2,}", ".", plain).strip(".-_")
    # Bytes count on disk: 255 of them is the usual limit of a name.
    plain = plain.encode()[:limit].decode(errors="ignore").strip(".-_")
    return f"_{plain}" if plain.split(".")[0].lower() in _WINDOWS_NAMES else plain or "document"

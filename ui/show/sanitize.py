"""Make untrusted text (from documents, file names and models) safe for terminals, spreadsheets and file systems.

A terminal executes escape sequences, and a bidirectional override displays characters in another order.
"""

from __future__ import annotations

import re
import unicodedata

from indexing import default_home
from ui.errors import UiError

# The complete escape sequence is removed, not its ESC alone, which would leave "[31m".
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
    """Return `text` as one line without escape sequences, control characters and direction overrides."""
    if text.isprintable():  # no control, no format character, no space but the plain one
        return " ".join(text.split())
    text = _ESCAPES.sub("", text)
    return " ".join("".join(map(_harmless, text)).split())


def public_words(error: Exception) -> str:
    """Return the message of an error for visitors and programs: on one line, without folders of this machine.

    Errors of `ui` are unchanged: they name only folders that the visitor gave or can read.
    """
    message = str(error)
    return clean(message if isinstance(error, UiError) else _FOLDERS.sub("", message.replace(f"{default_home()}/", "")))


def _harmless(char: str) -> str:
    """Return the character, a space for white space, U+FFFD for no valid character, "" for an invisible one."""
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
    """Return a text as one line; an apostrophe is put before what a spreadsheet could take for a formula."""
    text = clean(text)
    return f"'{text}" if text[:1] in _FORMULA and text else text


def safe_name(name: str, limit: int = 60) -> str:
    """Return a document's name for use in a file name: letters, digits, `.`, `-` and `_` only, not hidden or empty."""
    plain = re.sub(r"[^\w.-]+", "-", clean(name).replace("/", "-").replace("\\", "-"))
    plain = re.sub(r"\.{2,}", ".", plain).strip(".-_")
    # Bytes count on disk: 255 of them is the usual limit of a name.
    plain = plain.encode()[:limit].decode(errors="ignore").strip(".-_")
    return f"_{plain}" if plain.split(".")[0].lower() in _WINDOWS_NAMES else plain or "document"

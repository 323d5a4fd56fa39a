r"""Values in BibTeX: text that LaTeX prints literally, and identifiers without LaTeX commands."""

from __future__ import annotations

import re

from ui.show import clean

MOST_CHARS = 2000
"""The most characters of a value that are written."""
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)")
"""The places between signs that LaTeX would print as one."""
_PLAIN = re.compile(r"[^A-Za-z0-9:._/;()<>+-]")
"""The characters that no identifier may have: programs read identifiers, and do not understand escapes."""
_PIECES = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_SYNTAX = re.compile(r"[\\{}%#$^~;:\"]")


def escape_latex(text: str) -> str:
    """Return untrusted text as one line, escaped so that LaTeX prints it literally."""
    line = _LIGATURES.sub("\0", " ".join(clean(text)[:MOST_CHARS].split()))
    return "".join(_ESCAPED.get(c, c) for c in line).replace("\0", "{}")


def identifier(text: str) -> str:
    """Return an identifier as it is; "" if it has a character that LaTeX may interpret."""
    line = clean(text)[:MOST_CHARS].strip()
    return "" if _PLAIN.search(line) else line


def address(text: str) -> str:
    """Return a web address that LaTeX prints literally: characters percent-encoded, `#` and `%` with a backslash."""
    line = clean(text)[:MOST_CHARS].strip()
    return "".join(map(_percent_encode, _PIECES.findall(line))).replace("%", r"\%").replace("#", r"\#")


def _percent_encode(piece: str) -> str:
    if len(piece) == 3:
        return piece
    return "".join(f"%{b:02X}" if chr(b) in "\\{}%^~$ \"'`" or b > 126 else chr(b) for b in piece.encode())


def file_name(text: str) -> str:
    """Return a file name for a field that programs read literally: characters of their syntax become `_`."""
    return _SYNTAX.sub("_", clean(text)[:MOST_CHARS])

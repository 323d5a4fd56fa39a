r"""Values in BibTeX: text that LaTeX prints as it is, and identifiers in which it finds nothing to obey."""

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
"""The characters that no identifier has: addresses and DOIs are read by programs, and hold no escapes."""
_PIECES = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_SYNTAX = re.compile(r"[\\{}%#$^~;:\"]")


def escape_latex(text: str) -> str:
    """Return text from anywhere as one line that LaTeX prints as it is."""
    line = _LIGATURES.sub("\0", " ".join(clean(text)[:MOST_CHARS].split()))
    return "".join(_ESCAPED.get(c, c) for c in line).replace("\0", "{}")


def identifier(text: str) -> str:
    """Return an identifier with nothing in it that LaTeX obeys; "" for one that would not be the same any more."""
    line = clean(text)[:MOST_CHARS].strip()
    return "" if _PLAIN.search(line) else line


def address(text: str) -> str:
    """Return an address without a character that LaTeX obeys: percent-encoded, or `#` and `%` behind a backslash."""
    line = clean(text)[:MOST_CHARS].strip()
    return "".join(map(_percent_encode, _PIECES.findall(line))).replace("%", r"\%").replace("#", r"\#")


def _percent_encode(piece: str) -> str:
    if len(piece) == 3:
        return piece
    return "".join(f"%{b:02X}" if chr(b) in "\\{}%^~$ \"'`" or b > 126 else chr(b) for b in piece.encode())


def file_name(text: str) -> str:
    """Return the name of a file for a field that programs read word for word: signs of their syntax become `_`."""
    return _SYNTAX.sub("_", clean(text)[:MOST_CHARS])

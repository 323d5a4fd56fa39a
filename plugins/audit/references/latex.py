"""LaTeX in the fields of records -> the text that a reader sees."""

from __future__ import annotations

import re
import unicodedata

_ACCENT = re.compile(
    r"\\(?:([`'^\"~=.])\s{0,3}|([uvHtcdbkr])(?:\s{1,3}|(?=\{)))(?:\{\s?\\?([A-Za-z])\s?\}|\\?([A-Za-z]))"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "i": "\u0131", "j": "\u0237", "textendash": "–", "textemdash": "—", "ldots": "…", "dots": "…",
    "textquoteright": "’", "textquoteleft": "‘", "textquotedblleft": "“", "textquotedblright": "”",
    "copyright": "©", "textregistered": "®", "textasciitilde": "~", "textunderscore": "_",
    "textbackslash": "\\", "textasciicircum": "^", "S": "§", "textsuperscript": "^", "newline": " ",
    "newblock": " ", "quad": " ", "qquad": " ", "space": " ",
    "bibrangedash": "–", "textdegree": "°", "slash": "/", "dh": "ð", "DH": "Ð", "th": "þ",
    "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "texttrademark": "™",
    "alpha": "\u03b1", "beta": "\u03b2", "gamma": "\u03b3", "delta": "\u03b4", "epsilon": "\u03b5",
    "lambda": "\u03bb", "mu": "\u03bc", "pi": "\u03c0", "sigma": "\u03c3", "tau": "\u03c4", "phi": "\u03c6",
    "omega": "\u03c9",
    "infty": "∞", "times": "×", "LaTeX": "LaTeX", "TeX": "TeX",
}  # fmt: skip
_COMBINING = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327",
    "d": "\u0323", "b": "\u0331", "k": "\u0328", "r": "\u030a", "t": "",
}  # fmt: skip
_HELD = {"{": "\x01", "}": "\x02"}
"""The signs that stand for braces that are printed, until those that are not are gone."""
_NO_BRACES = dict.fromkeys(map(ord, _HELD.values()))
_BRACES = {ord(sign): brace for brace, sign in _HELD.items()}
_MATHS = re.compile(r"(?<!\\)\$")
_HREF = re.compile(r"\\href\s{0,5}\{([^{}]{0,2000})\}")
_COMMAND = re.compile(r"\\([A-Za-z]{1,40})\*?[ \t]{0,3}|\\(.)", re.DOTALL)
_DROPPED = re.compile(
    r"\\(?:providecommand|expandafter|ifx|else|fi|input|include|write|openin|openout|read|def|let|csname|newcommand|"
    r"renewcommand|bibinfo|bibfield|eprint|natexlab|urlprefix|BibitemOpen|BibitemShut|bibnamefont|bibfnamefont|label|"
    r"ifcsname|immediate|vspace|hspace|fontsize|color|selectlanguage|translation)\b"
)


def plain_latex(text: str) -> str:
    """Return LaTeX as a reader sees it: accents and signs as Unicode, commands gone, their arguments kept."""
    text = text.translate(_NO_BRACES)
    text = _ACCENT.sub(_with_accent, text)
    text = _HREF.sub("", text)
    text = _DROPPED.sub("", text)
    text = _MATHS.sub("", text)
    text = text.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–").replace("~", " ")
    text = _COMMAND.sub(_command, text)
    text = re.sub(r"[{}]|(?<!\S)\[\](?!\S)", "", text).replace("\x00", "").translate(_BRACES)
    return " ".join(unicodedata.normalize("NFC", text).split())


def _with_accent(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (match[3] or match[4]) + _COMBINING[match[1] or match[2]])


def _command(match: re.Match[str]) -> str:
    if match[1]:
        return _LETTERS.get(match[1], "")
    return _HELD.get(match[2]) or (match[2] if match[2] in "&%$#_ " else " ")

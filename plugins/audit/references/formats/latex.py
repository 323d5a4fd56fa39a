"""LaTeX: a .bbl file or a thebibliography -> its entries as text; nothing is run, and no file is opened."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_COMMENT = re.compile(r"^((?:[^%\\\n]|\\.)*)%[^\n]*\n[ \t]{0,200}", re.MULTILINE)
_ITEM = re.compile(r"\\bibitem\b\s{0,20}")
_BEGIN = re.compile(r"\\begin\{(?:the)?bibliography\}|\\begin\{(?:references|biblist)\}")
_END = re.compile(r"\\end\{(?:thebibliography|references|biblist|document)\}|\\(?:sort)?endlist\b|\\enddatalist\b")
_ENTRY = re.compile(r"\\entry\{([^{}]{0,200})\}\{([^{}]{0,60})\}")
_FIELD = re.compile(r"\\(?:field|strng|verb)\{(\w{1,40})\}(\{)?")
_PERSON = re.compile(r"(family|given|prefix)=")
_VERB = re.compile(r"\\verb\{(\w{1,40})\}\s{0,20}\\verb ([^\n]{0,2000})\n")
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
    "infty": "∞", "times": "×",
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
MOST = 50 * 1024 * 1024
"""The characters of a source that are read."""


@dataclass(frozen=True, slots=True)
class LatexItem:
    """An entry of a LaTeX source: its key, the label in its optional argument, and its text."""

    key: str
    label: str
    text: str


def latex_items(source: str) -> list[LatexItem]:
    """Return the entries of every thebibliography, or of biblatex's lists, in a source. Linear in the source."""
    source = _COMMENT.sub(r"\1\n", source[:MOST])
    items = [item for body in _bodies(source) for item in _items(body)]
    return items or _biblatex(source)


def latex_body(source: str) -> str:
    r"""Return a source without its bibliographies, \\cite commands as marks in brackets, other commands gone."""
    source = _COMMENT.sub(r"\1\n", source[:MOST])
    begin = _BEGIN.search(source)
    text = source[: begin.start()] if begin else source
    start = text.find("\\begin{document}")
    text = text[start + 16 :] if start >= 0 else text
    return plain_latex(_CITE.sub(lambda m: f"[{m[1]}]", text))


_CITE = re.compile(r"\\(?:no)?[Cc]ite[A-Za-z]{0,12}\*?(?:\[[^\[\]]{0,200}\]){0,2}\{([^{}]{1,1000})\}")


def _bodies(source: str) -> list[str]:
    found: list[str] = []
    at = 0
    while begin := _BEGIN.search(source, at):
        end = _END.search(source, begin.end())
        stop = end.start() if end else len(source)
        found.append(source[begin.end() : stop])
        at = stop + 1
        if end is None:
            break
    return found or ([source] if _ITEM.search(source) else [])


def _items(body: str) -> list[LatexItem]:
    matches = list(_ITEM.finditer(body))
    ends = [*(match.start() for match in matches[1:]), len(body)]
    found: list[LatexItem] = []
    for match, end in zip(matches, ends, strict=False):
        chunk = body[match.end() : end]
        label, rest = _argument(chunk, "[", "]")
        key, rest = _argument(rest, "{", "}")
        found.append(LatexItem(key.strip()[:200], plain_latex(label)[:200], plain_latex(rest)))
    return [item for item in found if item.text]


def _argument(text: str, opening: str, closing: str) -> tuple[str, str]:
    """Return an argument in brackets, and what follows it; nested braces count, and one without an end is none."""
    text = text.lstrip()
    if not text.startswith(opening):
        return "", text
    depth = 0
    for i, char in enumerate(text[:5000]):
        if char == "{" and (opening == "[" or i):
            depth += 1
        elif char == closing and depth == 0 and i:
            return text[1:i], text[i + 1 :]
        elif char == "}":
            depth -= 1
    return "", text


def plain_latex(text: str) -> str:
    """Return LaTeX as a reader sees it: accents and signs as Unicode, commands gone, their arguments kept."""
    text = text.translate(_NO_BRACES)
    text = _ACCENT.sub(_accented, text)
    text = _HREF.sub("", text)
    text = _DROPPED.sub("", text)
    text = _MATHS.sub("", text)
    text = text.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–").replace("~", " ")
    text = _COMMAND.sub(_command, text)
    text = re.sub(r"[{}]|(?<!\S)\[\](?!\S)", "", text).replace("\x00", "").translate(_BRACES)
    return " ".join(unicodedata.normalize("NFC", text).split())


def _accented(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (match[3] or match[4]) + _COMBINING[match[1] or match[2]])


def _command(match: re.Match[str]) -> str:
    if match[1]:
        return _LETTERS.get(match[1], "")
    return _HELD.get(match[2]) or (match[2] if match[2] in "&%$#_ " else " ")


def _biblatex(source: str) -> list[LatexItem]:
    """Return the entries of biblatex's own .bbl: names, year, title and where it appeared, in that order."""
    starts = list(_ENTRY.finditer(source))
    found: list[LatexItem] = []
    for match, end in zip(starts, [*(m.start() for m in starts[1:]), len(source)], strict=False):
        fields = _fields(source[match.end() : min(end, match.end() + 100_000)])
        parts = [fields.get("names", ""), fields.get("year", ""), fields.get("title", "")]
        where = fields.get("journaltitle") or fields.get("booktitle") or fields.get("publisher", "")
        parts += [" ".join(filter(None, (where, fields.get("volume", "")))), fields.get("pages", "")]
        parts += [f"doi:{fields['doi']}" if "doi" in fields else "", fields.get("url", "")]
        text = ". ".join(part.rstrip(".") for part in parts if part)
        if text:
            found.append(LatexItem(match[1], "", f"{text}."))
    return found


def _fields(body: str) -> dict[str, str]:
    found = {match[1]: match[2].strip() for match in _VERB.finditer(body)}
    for match in _FIELD.finditer(body):
        if match[2]:
            value, _ = _argument(body[match.end() - 1 : match.end() + 5000], "{", "}")
            found.setdefault(match[1], plain_latex(value))
    start = body.find("\\name{author}")
    stop = body.find("\\strng", start)
    names: list[dict[str, str]] = []
    for match in _PERSON.finditer(body[start : stop if stop > 0 else start + 50_000] if start >= 0 else ""):
        value, _ = _argument(body[start + match.end() : start + match.end() + 500], "{", "}")
        if match[1] == "family":
            names.append({})
        if names:
            names[-1][match[1]] = plain_latex(value)
    people = [
        ", ".join(filter(None, (" ".join(filter(None, (n.get("prefix"), n.get("family")))), n.get("given"))))
        for n in names
    ]
    return found | {"names": " and ".join(people)} if people else found

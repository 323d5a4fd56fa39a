"""Where the bibliographies of a document begin and end, and the words and marks by which an entry is known."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from plugins.audit.marks import YEAR
from plugins.audit.references.lines import TextLine

_PARTICLE = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|zu|zur|el|al|bin|ibn|d['’]|O['’])\s?){0,3}"
_SURNAME = rf"{_PARTICLE}[^\W\d_a-z][\w'’.\-]{{0,30}}"
_INVERTED = re.compile(
    rf"{_SURNAME}(?:[\s-]{_SURNAME}){{0,2}},?\s(?:[^\W\d_a-z]\.[\s,;-]?|[^\W\d_a-z]{{1,3}}[,.;]|[^\W\d_a-z]\w{{1,20}}[,.;\s])"
)
_DIRECT = re.compile(rf"(?:[^\W\d_a-z][\w'’.\-]{{0,20}}\s){{1,3}}{_SURNAME}(?:,|\.|\sand\b|\s&|\set al|\sund\b|\s\()")
_GROUP = re.compile(r"[^\W\d_a-z][\w&'’.\-]{1,30}(?:\s[\w&'’.\-]{1,30}){0,8}(?:[.,]\s?\(?|\s\()(?:1[5-9]|20)\d{2}")
_SAME = re.compile(r"[-–—_]{2,8}[.,]?")
UNNAMED = re.compile(r"(?:eds?\.\s)?\((?:1[5-9]|20)\d{2}[a-z]?\)")
"""How the text of an entry begins before which a rule is drawn for the authors of the entry before: with its year."""
_QUOTED = re.compile(r"[\"“„«‘][^\W\d_a-z]")
_END = re.compile(r"(?:[.!?)\]\"”’»]|\d|(?:https?:|www\.|doi|10\.)\S{0,400})\s{0,3}$")
_SHORT = re.compile(r"\b(?:[A-Z]|vol|no|pp?|eds?|proc|int|conf|trans|univ|ser|st|dr|jr|al)\.$", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,4}")


def begins(text: str) -> bool:
    """Return True if a line begins as entries do: with a name, a group and a year, a dash for the same author."""
    head = text[:160]
    return bool(
        _INVERTED.match(head) or _DIRECT.match(head) or _GROUP.match(head) or _SAME.match(head) or _QUOTED.match(head)
    )


def ends(text: str) -> bool:
    """Return True if a line ends as entries do: with a stop that is no abbreviation's, a number or an address."""
    tail = text.rstrip()[-420:]
    return bool(_END.search(tail)) and not (_SHORT.search(tail[-8:]) and not tail.endswith(")."))


def has_year(text: str) -> bool:
    """Return True if a text holds a year, or says that it has none yet."""
    return bool(YEAR.search(text[:3000]))


def flaw_of(lines: Sequence[str], usual: int) -> float:
    """Return how little some lines look like one whole entry, 0 to 1: no year, a wrong beginning or end, two in one."""
    text = " ".join(lines[:40])
    first = lines[0].lstrip()
    flaw = 0.0 if has_year(text) or "http" in text else 0.35
    flaw += 0.0 if first[:1].isupper() or first[:1].isdigit() or not first[:1].isalnum() else 0.35
    flaw += 0.0 if ends(lines[-1]) else 0.2
    flaw += 0.0 if begins(first) else 0.1
    inside = sum(begins(line) and ends(above) for above, line in itertools.pairwise(lines))
    flaw += min(0.6, 0.25 * inside) + (0.3 if len(lines) > max(12, 6 * usual) else 0.0)
    return min(1.0, flaw)


@dataclass(frozen=True, slots=True)
class LabelStyle:
    """A style of labels: `pattern` matches at the beginning of a line, `counts` says that they rise."""

    name: str
    pattern: re.Pattern[str]
    counts: bool = True

    def number(self, line: TextLine) -> int | None:
        """Return the number of the label with which a line begins (0 for letters), None where it has none of these."""
        if line.label and self.name == "given":
            return 0
        if self.name == "raised":
            return int(line.text[:4][: line.raised[0][1]]) if _begins_raised(line) else None
        match = self.pattern.match(line.text)
        if match is None or (self.name == "given"):
            return None
        digits = _DIGITS.search(match[0])
        return int(digits[0]) if self.counts and digits else 0


def _begins_raised(line: TextLine) -> bool:
    return (
        bool(line.raised)
        and line.raised[0][0] == 0
        and line.raised[0][1] <= 4
        and line.text[: line.raised[0][1]].isdigit()
    )


STYLES = (
    LabelStyle("given", re.compile(r"(?!)"), counts=False),
    LabelStyle("brackets", re.compile(r"\[\s?\d{1,4}[a-z]?\s?\]\s{0,8}")),
    LabelStyle("parentheses", re.compile(r"\(\d{1,3}[a-z]?\)\s{0,8}")),
    LabelStyle("point", re.compile(r"\d{1,4}[.:](?!\d)\s{0,8}")),
    LabelStyle("parenthesis", re.compile(r"\d{1,4}\)\s{0,8}")),
    LabelStyle("raised", re.compile(r"(?!)")),
    LabelStyle("bare", re.compile(r"\d{1,4}\s{1,8}(?=[^\W\d_]|[\"“„«‘])")),
    LabelStyle(
        "letters",
        re.compile(r"\[(?=[^\]]{0,40}[A-Za-z])[\w+*'’.:&/ -]{2,40}(?:[( ]?\d{2,4}[a-z]?\)?)?\](?!\.)\s{0,8}"),
        counts=False,
    ),
    LabelStyle("bullets", re.compile(r"[•▪◦‣·*-]\s{1,8}(?=\S)"), counts=False),
)  # fmt: skip
"""The styles of labels: [12], (12), 12., 12), a raised 12, 12, [Smi20] and bullets."""


def label_of(line: TextLine, style: LabelStyle) -> str:
    """Return the label with which a line begins, as it is printed."""
    if style.name == "raised":
        return line.text[: line.raised[0][1]] if _begins_raised(line) else ""
    match = style.pattern.match(line.text)
    return match[0].strip() if match else ""


_TITLE = (
    r"(?:list of |selected |further |cited |additional |supplementary |main |key |general |works? |"
    r"liste des |lista de )?"
    r"(?:references?(?: cited| list| and notes| and further reading)?|bibliograph(?:y|ies)|"
    r"works? cited|literature(?: cited)?|"
    r"sources(?: cited)?|cited (?:works|literature)|reference list|further reading|citations|"
    r"literatur(?:verzeichnis|angaben|hinweise|nachweise|liste)?|quellen(?:verzeichnis|angaben|nachweise)?|"
    r"quellen- und literaturverzeichnis|literatur- und quellenverzeichnis|bibliogra(?:ph|f)ie|referenzen|schrifttum|"
    r"r[ée]f[ée]rences(?: bibliographiques| cit[ée]es)?|bibliographie(?: s[ée]lective)?|ouvrages cit[ée]s|"
    r"(?:sources|travaux) cit[ée](?:e)?s|referencias(?: bibliogr[áa]ficas)?|bibliograf[íi]a|"
    r"obras citadas|literatura citada|"
    r"fuentes|riferimenti(?: bibliografici)?|bibliografia|refer[êe]ncias(?: bibliogr[áa]ficas)?|literatuur(?:lijst)?|"
    r"endnotes?|notes and references|notes|anmerkungen|endnoten|notas|"
    r"supplement(?:ary|al) references|references for (?:the )?(?:supplement\w*|appendi\w*|methods?)|"
    r"(?:additional|supplementary|methods?|online) references)"
)
_NUMBER = (
    r"(?:(?:chapter|section|kapitel|chapitre|cap[íi]tulo)\s)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[ivx]{1,6}|[a-h])[.):]?\s{1,4}"
)
_HEADING = re.compile(rf"(?:§\s?)?(?:{_NUMBER})?({_TITLE})\s?[:.]?", re.IGNORECASE)
_WEAK = re.compile(
    r"(?:sources|notes?|endnotes?|anmerkungen|endnoten|notas|fuentes|citations|literature|literatur|further reading)",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?:\w ){4,30}\w")
_CLOSING = re.compile(
    r"(?:[A-Z\d]{1,3}(?:\.\d{1,2}){0,3}[.:]?\s{1,4})?(?:supplement(?:ary|al)?(?: (?:material|information|data)s?)?|"
    r"append(?:ix|ices)\b.{0,80}|"
    r"anhang\b.{0,60}|annexes?\b.{0,60}|anexos?\b.{0,60}|ap[ée]ndice\b.{0,60}|"
    r"acknowledge?ments?|danksagung|remerciements|agradecimientos|author contributions?|"
    r"about the authors?|[üu]ber die autor\w{0,6}|biograph(?:y|ies)|author biograph(?:y|ies)|"
    r"checklist|neurips paper checklist|photo credits|glossary|index|"
    r"conflicts? of interests?|competing interests?|funding|data availability|"
    r"ethics statement|figure captions?|figure legends?|tables?|figures?|notes|endnotes|"
    r"correspondence|received\b.{0,60}|publisher.s note\b.{0,60}|open access\b.{0,60})[.:]?",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"(?:[A-Z]|[A-Z]?\d{1,2})(?:\.\d{1,2}){0,2}\.?\s{1,6}[A-ZÄÖÜÉ][^.!?]{2,90}")
_LABEL = re.compile(r"(?:\[\d{1,4}\]|\d{1,3}\.)\s{1,8}")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d{2}[a-z]?\b")


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of a bibliography: from `start` (the one under its heading) to before `end`; `title` is the heading."""

    start: int
    end: int
    title: str


def bibliographies(lines: Sequence[TextLine]) -> list[Span]:
    """Return the places of the bibliographies in the lines of a document, in its order; linear in the lines.

    "Notes" and "Sources" count only where what follows reads like entries; so do headings inside a running text.
    """
    heads = [(i, title) for i, line in enumerate(lines) if (title := heading_of(line.text))]
    spans: list[Span] = []
    for index, (at, title) in enumerate(heads):
        if spans and at < spans[-1].end:
            continue
        nearest = heads[index + 1][0] if index + 1 < len(heads) else len(lines)
        if not _is_heading(lines, at) or not _reads_like_entries(
            lines[at + 1 : min(nearest, at + 25)], _is_weak(title)
        ):
            continue
        end = _end(lines, at)
        if end > at + 1:
            spans.append(Span(at + 1, end, title))
    return spans


def heading_of(text: str) -> str:
    """Return the title of a bibliography if a line is one ("7. References:", "B I B L I O G R A P H Y"), else ""."""
    plain = " ".join(text[:120].split()).strip("*#_= ")
    if len(text) > 110:
        return ""
    if _SPACED.fullmatch(plain):
        plain = plain.replace(" ", "")
    elif len(plain) > 3 and plain[1] == " " and plain[2:].isupper():  # small capitals: "R EFERENCES"
        plain = plain[0] + plain[2:]
    match = _HEADING.fullmatch(plain)
    return match[1] if match else ""


def _is_weak(title: str) -> bool:
    return bool(_WEAK.fullmatch(title))


def _is_heading(lines: Sequence[TextLine], at: int) -> bool:
    """Return True if a line is set as a heading: not the end of a sentence that breaks before its last word."""
    line = lines[at]
    if line.text.strip()[:1].islower() and not line.new_block:
        return False
    before = lines[at - 1] if at else None
    same = before is not None and (before.page, before.column) == (line.page, line.column)
    if not same or before is None or line.new_block:
        return True
    apart = line.top - before.bottom > 0.5 * line.height
    looks = line.bold or line.size > 1.04 * before.size or line.text.isupper()
    return looks or (apart and before.text.rstrip().endswith((".", "!", "?", ":", ")")))


def _reads_like_entries(lines: Sequence[TextLine], weak: bool) -> bool:
    """Return True if lines hold years, or addresses, as a list of works does; weak headings need more of them."""
    if not lines:
        return False
    signs = sum(bool(_YEAR.search(line.text) or "http" in line.text or "doi" in line.text.lower()) for line in lines)
    dots = sum(line.text.count("...") + line.text.count(". . .") > 0 for line in lines)
    if dots > 0.3 * len(lines):
        return False
    return signs >= (max(2, 0.2 * len(lines)) if weak else 1)


def without_subheadings(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of a bibliography without the headings inside it ("Primary sources", "Books")."""
    sizes = sorted(line.size for line in lines)
    usual = sizes[int(0.85 * (len(sizes) - 1))] if sizes else 0.0
    bold = sum(line.bold for line in lines) > 0.3 * len(lines)

    def is_heading(i: int) -> bool:
        line = lines[i]
        short = len(line.text) < 80 and not line.text.rstrip().endswith((".", ",", ";")) and not _YEAR.search(line.text)
        whole = not begins(line.text) and not line.text.endswith("-") and line.text[:1].isalnum()
        return short and whole and (line.size > 1.08 * usual or (line.bold and not bold)) and _alone(lines, i)

    return [line for i, line in enumerate(lines) if not is_heading(i)]


def _end(lines: Sequence[TextLine], at: int) -> int:
    """Return the index of the line that ends the bibliography under the heading `at`: another heading, or the end."""
    heading, first = lines[at], lines[at + 1 : at + 60]
    sizes = sorted(line.size for line in first)
    usual = sizes[len(sizes) // 2] if sizes else heading.size
    bold = sum(line.bold for line in first) > 0.3 * len(first)
    for i in range(at + 1, len(lines)):
        if _closes(lines, i, heading, usual, bold):
            return i
    return len(lines)


def _closes(lines: Sequence[TextLine], i: int, heading: TextLine, usual: float, bold: bool) -> bool:
    """Return True if line `i` is a heading under which no more entries stand."""
    line, text = lines[i], lines[i].text.strip()
    if len(text) > 100 or not text[:1].isalnum() or text[:1].islower() or text.endswith(","):
        return False
    if not any(c.isalpha() for c in text):  # a bold year or volume
        return False
    if heading_of(text) and (line.bold or line.size > 1.04 * usual or line.new_block or text.isupper()):
        return True
    larger = line.size > 1.08 * usual
    weight = line.bold and not bold
    as_heading = larger and line.size >= 0.93 * heading.size
    closing = bool(_CLOSING.fullmatch(text))
    lettered = bool(_LETTERED.fullmatch(text)) and not _YEAR.search(text)
    if closing and (larger or weight or line.new_block or text.isupper() or _apart(lines, i)):
        return not _entries_follow(lines, i, strict=True)
    if (larger and (as_heading or weight)) or (weight and (lettered or _alone(lines, i))):
        return not _entries_follow(lines, i, strict=False)
    return lettered and text.isupper() and _alone(lines, i)


def _apart(lines: Sequence[TextLine], i: int) -> bool:
    """Return True if a line stands apart from the one before it in its column."""
    line = lines[i]
    before = lines[i - 1] if i else None
    return before is None or (before.page, before.column) != (line.page, line.column) or (
        line.top - before.bottom > 0.5 * line.height
    )  # fmt: skip


def _alone(lines: Sequence[TextLine], i: int) -> bool:
    """Return True if a line stands apart from those before and after it in its column."""
    line = lines[i]
    after = lines[i + 1] if i + 1 < len(lines) else None
    below = after is None or (after.page, after.column) != (line.page, line.column) or after.size != line.size or (
        after.top - line.bottom > 0.3 * line.height
    )  # fmt: skip
    return _apart(lines, i) and below


def _entries_follow(lines: Sequence[TextLine], i: int, *, strict: bool) -> bool:
    """Return True if the lines under a heading inside the list go on with entries ("Books", "Primary sources")."""
    after = [line for line in lines[i + 1 : i + 13] if not _CLOSING.fullmatch(line.text)]
    years = sum(bool(_YEAR.search(line.text)) for line in after)
    starts = sum(begins(_LABEL.sub("", line.text)) for line in after)
    at_once = bool(after) and begins(_LABEL.sub("", after[0].text)) and any(_YEAR.search(o.text) for o in after[:4])
    return at_once and years >= (3 if strict else 2) and starts >= (3 if strict else 2)

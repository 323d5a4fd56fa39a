"""Fields: reads one entry of a bibliography, and returns what it prints in each field, unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from plugins.audit.marks import has_loose_accent, with_accents
from plugins.audit.references.identifiers import SERVER, find_identifiers
from plugins.audit.references.links import BibliographicFields, FieldName
from plugins.audit.references.tagging import LABELS, EntryToken, LabelChain, token_columns, tokens_of

SURE = 0.9
"""The probability from which on a title or a name is not doubtful (measured in docs/experiments/audit.md)."""
MOST_CHARACTERS = 4000
"""The characters of an entry that are read; what follows is not."""
ET_AL = re.compile(
    r"\bet\.? ?al\b|\band \d* ?others\b|\bu\. ?a\.|\.\.\.|…|\bund andere\b|\by otros\b|\bet autres\b", re.IGNORECASE
)
ABBREVIATED = re.compile(r"(?:\b[A-Z]\.){2}$|\b(?:etc|al|Inc|Jr|Sr|Co|Ltd|Corp)\.$")
ENDS_IN_INITIAL = re.compile(r"(?:^|[^\w'’])(?:\w|Jr|Sr|Inc|Ltd|St|Ph|Th|Ch|Yu)\.$")
INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_a-z]\.[\s-]?){1,4}")
CLOSING = "”“»’\"'"
SEPARATOR = re.compile(r"[\s,;、，；·]+")  # noqa: RUF001
FIRST_UNSPACED = 0x2E80
"""The first code point of the scripts that write a name without a space."""
VOLUME = re.compile(r"(?:\b(?:vol|volume|no|nr|bd|band|lncs|number)\.?|[-–:])\s?$", re.IGNORECASE)
"""What stands before a number that is no year."""
LOST = re.compile(r"[\ue000-\uf8ff\ufffd]")
"""What stands in the text of a PDF for letters that its font does not name."""
PAGES = re.compile(r"[-–]\d")
MATES = {"“": "”", "„": "“", "«": "»", "‘": "’", '"': '"', "`": "'", "'": "'"}


def entry_of(text: str) -> str:
    """Return an entry in the form in which it is read: one line, accents on their letters."""
    return with_accents(" ".join(text[:MOST_CHARACTERS].split()))


def fields_of(text: str, title_at: tuple[int, int] | None = None) -> BibliographicFields:
    """Return the fields of an entry as they are printed; one that it does not have or that cannot be told is "".

    A title or a first author that the tagger is not `SURE` of is doubtful. Where it is known which characters of
    `entry_of(text)` are the title, `title_at` names their start and end, and the other fields are read round it.
    """
    entry = entry_of(text)
    parts = find_identifiers(entry)
    tokens = tokens_of(parts.masked)
    if not tokens:
        return BibliographicFields(doi=parts.doi, arxiv=parts.arxiv, url=parts.url, doubtful=parts.doubtful)
    chain = LabelChain.of(token_columns(tokens))
    if title_at and (own := [i for i, t in enumerate(tokens) if title_at[0] <= t.start and t.end <= title_at[1]]):
        chain = chain.holding("title", own[0], own[-1] + 1)
    labels = [LABELS[number] for number in chain.best_path()]
    spans = _spans(tokens, labels)
    names = _with_initials(
        [name for span in _name_spans(entry, spans) for name in _split_unspaced(_name(entry, *span))]
    )
    early = next((t.start for t, label in zip(tokens, labels, strict=True) if label in ("title", "year before")), 0)
    first = next((t.start for t, label in zip(tokens, labels, strict=True) if label == "name"), 0)
    title = _title(entry, *spans["title"][0]) if "title" in spans else ""
    title = "" if SERVER.fullmatch(title) or len(title) < 2 else title
    venue = _trim(entry[slice(*spans["venue"][0])]) if "venue" in spans else ""
    return BibliographicFields(
        title=title,
        authors=tuple(name for name in names if not ET_AL.fullmatch(name.strip(" .,"))),
        et_al=bool(names and ET_AL.search(entry[first:early])),
        venue=venue,
        year=_year(tokens, labels, parts.masked) or _only_year(tokens, parts.masked, title),
        doi=parts.doi,
        arxiv=parts.arxiv,
        url=parts.url,
        doubtful=(
            *_doubtful(chain, labels, names, title),
            *(("venue",) if LOST.search(venue) else ()),
            *parts.doubtful,
        ),
    )


def _doubtful(chain: LabelChain, labels: Sequence[str], names: Sequence[str], title: str) -> Iterator[FieldName]:
    """Yield "title" and "authors" where the tagger is not sure of the title or the first name, or letters are lost."""
    if title and (LOST.search(title) or chain.probability(labels, "title") < SURE):
        yield "title"
    lost = any(has_loose_accent(name) or LOST.search(name) for name in names)
    if names and (lost or chain.probability(labels, "name") < SURE):
        yield "authors"


def _name_spans(entry: str, spans: Mapping[str, Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Return the places of names, without one in brackets behind another: an editor's word on who that is."""
    names = spans.get("name", [])
    return [span for n, span in enumerate(names) if not n or "[" not in entry[names[n - 1][1] : span[0]]]


def _spans(tokens: Sequence[EntryToken], labels: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Return the ranges of characters of names, titles and venues, in their order."""
    result: dict[str, list[tuple[int, int]]] = {}
    for token, label in zip(tokens, labels, strict=True):
        field = label.removeprefix("in ")
        if field == label:
            result.setdefault(field, []).append((token.start, token.end))
        else:
            start, _ = result[field].pop()
            result[field].append((start, token.end))
    return result


def _title(entry: str, start: int, end: int) -> str:
    """Return a title without the quotes round it and what ends its sentence; it may open with a quoted word."""
    before, text = entry[max(start - 1, 0) : start], entry[start:end]
    if entry[end : end + 1] == "." and ABBREVIATED.search(f"{text[-11:]}."):
        text += "."
    mate = MATES.get(before)
    if (
        mate
        and mate in text[1:-2]
        and text.count(mate) > (text.count(before) if before != mate else text.count(mate) // 2 * 2)
    ):
        return f"{before}{_trim(text, keep='?!')}"
    return _trim(text, keep="?!")


def _split_unspaced(name: str) -> list[str]:
    """Return the names of a run of names in a script that writes each without a space, else the name; none for none."""
    parts = [part for part in SEPARATOR.split(name) if part]
    bare = all(ord(c) >= FIRST_UNSPACED for part in parts for c in part)
    return parts if bare else [name] if name else []


def _with_initials(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, initials on their own joined to the family name before them: "Van Lill", "W.S."."""
    results: list[str] = []
    for name in names:
        if results and INITIALS.fullmatch(name) and not INITIALS.search(results[-1]):
            results[-1] = f"{results[-1]}, {name}"
        else:
            results.append(name)
    return tuple(results)


def _trim(text: str, keep: str = "") -> str:
    """Return a text without marks at its ends that belong to the entry; quotes that it opens and closes inside stay."""
    text = text.strip().lstrip(" .,;:")
    while text and text[-1] in ".,;:-–" + CLOSING and text[-1] not in keep:
        if text[-1] == "." and ABBREVIATED.search(text[-12:]):
            break
        if text[-1] in CLOSING and any(MATES[mark] == text[-1] for mark in text[1:-1] if mark in MATES):
            break
        text = text[:-1].rstrip()
    while text and text[0] in MATES and MATES[text[0]] not in text[1:]:
        text = text[1:].lstrip()
    return text


def _name(entry: str, start: int, end: int) -> str:
    """Return a name without the marks after it; the full stop of an initial or of "Jr." belongs to it.

    Where it ends in an initial before a full stop, the stop is the sentence's if the name writes initials without.
    """
    text = entry[start:end].strip(",;:& ")
    if text.endswith("."):
        return text if ENDS_IN_INITIAL.search(text[-8:]) else text[:-1]
    dotted = "." in text or "," in text
    if dotted and entry[end : end + 1] == "." and ENDS_IN_INITIAL.search(f"{text[-7:]}."):
        return f"{text}."
    return text


def _year(tokens: Sequence[EntryToken], labels: Sequence[str], masked_text: str) -> str:
    """Return the year: the first tagged so before the title, else after it, else the last that looks like one."""
    for label in ("year before", "year"):
        if years := _tagged_years(tokens, labels, masked_text, label):
            return years[0]
    loose = _tagged_years(tokens, labels, masked_text, "before", "after")
    return loose[-1] if loose else ""


def _tagged_years(tokens: Sequence[EntryToken], labels: Sequence[str], masked_text: str, *targets: str) -> list[str]:
    """Return the years under some labels, each once; the number of a volume is none."""
    years = (
        masked_text[t.start : t.end]
        for t, label in zip(tokens, labels, strict=True)
        if label in targets and _is_year(t, masked_text)
    )
    return list(dict.fromkeys(years))


def _only_year(tokens: Sequence[EntryToken], masked_text: str, title: str) -> str:
    """Return what looks like a year, if one thing alone outside of the title does."""
    years = {masked_text[t.start : t.end] for t in tokens if _is_year(t, masked_text)}
    years = {year for year in years if year not in title}
    return years.pop() if len(years) == 1 else ""


def _is_year(token: EntryToken, masked_text: str) -> bool:
    before, behind = masked_text[max(0, token.start - 12) : token.start], masked_text[token.end : token.end + 2]
    return token.shape == "Y" and not VOLUME.search(before) and not PAGES.match(behind)

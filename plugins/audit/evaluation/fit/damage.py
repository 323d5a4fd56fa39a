"""Damage: what typists and PDFs do to an entry: labels, notes, blanks lost and put in, marks changed, hyphens kept."""

from __future__ import annotations

from random import Random

from plugins.audit.evaluation.fit.owned import OwnedText, Owner

_TAILS = (
    " PMID: {}", " Google Scholar", " [CrossRef]", " Accessed {} May.", " (Cited on page {})", " ↑ {}", " [SPIRES]",
    " [Cited on pages {}, {}, and 7.]", " ISBN 978-3-16-{}.", " Preprint.", " Pages {}, {}.", " (In German).",
    " Cited on p. {}.", " 320 S.", " [cs.CL]", " PMLR.", " Web.", " Print.", " In press.", " 205 pp.",
)  # fmt: skip
_LABELS = ("[{}] ", "{}. ", "({}) ", "[{}]", "{} ", "[Smi{:02}] ", "{}) ", "• ")


def damaged(entry: OwnedText, rng: Random) -> OwnedText:
    """Return the entry with a label or a note, or with faults, each by chance."""
    if rng.random() < 0.05:
        tail = rng.choice(_TAILS)
        entry.add(tail.format(*(rng.randint(1, 99) for _ in range(tail.count("{}")))))
    if rng.random() < 0.12:
        entry = OwnedText().add(rng.choice(_LABELS).format(rng.randint(1, 120))).extend(entry)
    if rng.random() < 0.05:
        entry = _without_blanks(entry, rng, rng.choice((0.15, 0.5, 1.0)))
    if rng.random() < 0.04:
        _put_at(entry, [i for i in range(1, len(entry.text)) if entry.text[i] in ",.:;"], (" ",), 0, rng)
    if rng.random() < 0.05:
        outside = [i for i, c in enumerate(entry.text) if c in ".,:;" and entry.owners[i] == Owner.NONE]
        _put_at(entry, outside, ("", ",", ".", ";"), 1, rng)
    if rng.random() < 0.04:
        inside = [i for i in range(2, len(entry.text) - 2) if entry.text[i - 2 : i + 2].isalpha()]
        _put_at(entry, inside, ("-", "- "), 0, rng)
    if rng.random() < 0.1:
        entry.text = entry.text.replace("–", "-")
    if rng.random() < 0.02:
        entry.text = entry.text.translate(str.maketrans("“”‘’", "\"\"''"))
    return entry


def _without_blanks(entry: OwnedText, rng: Random, share: float) -> OwnedText:
    """Return the entry without a share of the blanks behind its marks, but for those of the title and the venue."""
    words = (Owner.TITLE, Owner.VENUE)
    keep = [
        not (c == " " and i and entry.text[i - 1] in ".,;:" and entry.owners[i] not in words and rng.random() < share)
        for i, c in enumerate(entry.text)
    ]
    return entry.kept(keep)


def _put_at(entry: OwnedText, places: list[int], texts: tuple[str, ...], length: int, rng: Random) -> None:
    """Put a text in the place of `length` characters, at one of some places."""
    if places:
        at = rng.choice(places)
        entry.put(at, at + length, rng.choice(texts))

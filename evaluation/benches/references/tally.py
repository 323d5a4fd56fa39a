"""References: how well the bibliographies of papers are split and their fields read, against labels made by eye."""

from __future__ import annotations

import argparse
import json
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag import RagError
from rag.references import BibliographicFields, Reference, references_of

READ = ("title", "first", "year", "venue", "doi", "arxiv")
"""The fields that the labels have; `first` is the first author."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one paper: labelled entries, those split right and found, and (labelled, right) by field."""

    entries: int
    right: int
    found: int
    fields: dict[str, tuple[int, int]]


def letters(text: str) -> str:
    """Return the letters and digits of a text, without case, accents' forms and hyphens: what print does not change."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if c.isalnum())


def is_entry(text: str, first: str, last: str) -> bool:
    """Return True if a text is the entry that begins with the words `first` and ends with `last`, and nothing more."""
    bare = letters(text)
    return bare.startswith(letters(first)) and bare.endswith(letters(last))


def aligned(texts: Sequence[str], entries: Sequence[Sequence[str]]) -> dict[int, int]:
    """Return, by the index of the labelled entry, the index of the text that is it; each text is one entry at most."""
    found: dict[int, int] = {}
    free = list(range(len(texts)))
    for index, (first, last) in enumerate(entries):
        place = next((i for i in free if is_entry(texts[i], first, last)), None)
        if place is not None:
            found[index] = place
            free.remove(place)
    return found


def tally(references: Sequence[Reference], labels: dict[str, Any]) -> Tally:
    """Compare the references of a paper with its labels."""
    places = aligned([reference.text for reference in references], labels["entries"])
    fields = dict.fromkeys(READ, (0, 0))
    for number, wanted in labels["fields"].items():
        place = places.get(int(number) - 1)
        read = references[place].fields if place is not None else None
        for name in READ:
            if wanted.get(name):
                labelled, right = fields[name]
                fields[name] = (labelled + 1, right + (read is not None and agrees(name, wanted[name], read)))
    return Tally(len(labels["entries"]), len(places), len(references), fields)


def agrees(name: str, wanted: str, read: BibliographicFields) -> bool:
    """Return True if a field is the labelled one, but for case and signs; a venue may have more words behind it."""
    if name == "first":
        return bool(read.authors) and sorted_letters(read.authors[0]) == sorted_letters(wanted)
    value = letters(getattr(read, name))
    if name == "venue":
        return bool(value) and (value.startswith(letters(wanted)) or letters(wanted).startswith(value))
    return value == letters(wanted)


def sorted_letters(author: str) -> list[str]:
    """Return the parts of a name in alphabetical order: "Lindt, B." and "B. Lindt" are one name."""
    return sorted(filter(None, (letters(part) for part in author.replace(",", " ").split())))


def row(name: str, counts: Tally) -> str:
    """Return the line of a paper in the table."""
    cells = [f"{right}/{labelled}" if labelled else "-" for labelled, right in counts.fields.values()]
    return f"{name[:34]:34} {counts.right:4}/{counts.entries:<4} {counts.found:5}  " + "".join(
        f"{cell:>9}" for cell in cells
    )


def whole(tallies: Sequence[Tally]) -> Tally:
    """Return the sum of the counts of papers."""
    fields = {name: (sum(t.fields[name][0] for t in tallies), sum(t.fields[name][1] for t in tallies)) for name in READ}
    return Tally(sum(t.entries for t in tallies), sum(t.right for t in tallies), sum(t.found for t in tallies), fields)


def measure(
    documents: Path, labels: dict[str, Any], read: Callable[[Path], Sequence[Reference]], say: Callable[[str], None]
) -> Tally:
    """Compare every labelled paper, tell each as it is done, and return the sum."""
    say(f"{'paper':34} {'right':>4}/{'all':<4} {'found':>5}  " + "".join(f"{name:>9}" for name in READ))
    tallies: list[Tally] = []
    for name, wanted in labels["papers"].items():
        started = time.perf_counter()
        try:
            references = read(documents / name)
        except RagError as error:
            say(f"{name}: {error}")
            references = ()
        tallies.append(tally(references, wanted))
        say(f"{row(name, tallies[-1])}  {time.perf_counter() - started:6.1f} s")
    for name in labels.get("without", ()):
        try:
            say(f"{name[:34]:34} has no bibliography, and {len(read(documents / name))} entries were found")
        except RagError:
            say(f"{name[:34]:34} has no bibliography, and none was found")
    total = whole(tallies)
    say(row("all", total))
    return total


def written(path: Path) -> Callable[[Path], Sequence[Reference]]:
    """Return a reader of another system's entries: a JSON object of lists of texts by file name."""
    texts = json.loads(path.read_text("utf-8"))

    def read(document: Path) -> Sequence[Reference]:
        own = texts.get(document.name, ())
        return [Reference(number, text, BibliographicFields()) for number, text in enumerate(own, 1)]

    return read


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.benches.references", description=__doc__)
    parser.add_argument("--documents", type=Path, required=True, help="the folder with the papers")
    parser.add_argument("--labels", type=Path, required=True, help="docs/experiments/references-labels.json")
    parser.add_argument("--entries", type=Path, help="entries of another system: {file: [text, ...]}")
    chosen = parser.parse_args(arguments)
    labels = json.loads(chosen.labels.read_text("utf-8"))
    total = measure(chosen.documents, labels, written(chosen.entries) if chosen.entries else read_fields(), print)
    shares = ", ".join(f"{name} {right / labelled:.1%}" for name, (labelled, right) in total.fields.items() if labelled)
    print(f"entries split right {total.right / total.entries:.1%}; {shares}")


def read_fields() -> Callable[[Path], Sequence[Reference]]:
    """Return Vouch's own reader."""
    return lambda document: references_of(document).references

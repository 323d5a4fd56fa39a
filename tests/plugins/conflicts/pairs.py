"""`python -m tests.plugins.conflicts.pairs --seed N`: how many made pairs that disagree are found, and how many others.

60 pairs state two values of one thing, in words that differ as those of two authors do; 60 only look alike. All text is
made here, from templates that a seed fills; no rule of the plugin was changed after the first run of them.
"""

import argparse
import random
import sys
from collections import Counter
from dataclasses import replace

from indexing import BBox, Document, Element
from plugins.conflicts.compare import disagreements_of, pairs_of
from plugins.conflicts.statements import StatedValue, statements_of

BOX = BBox(0.1, 0.1, 0.9, 0.2)
Table = tuple[str, ...]
"""A caption, then the rows of a table, cells parted by bars."""


def made(content: str | Table, number: int, name: str = "", section: tuple[str, ...] = ()) -> list[StatedValue]:
    """Return the statements of a paragraph, or of a table, in a document of its own."""
    document = Document(f"d{number}", name or ("report.pdf", "slides.pdf")[number % 2], "", 3, "0" * 64)
    element = Element(f"e{number}", document.id, number + 1, "text", "", BOX, "layer", section)
    if isinstance(content, tuple):
        caption, *rows = content
        return statements_of(replace(element, kind="table", text="\n".join(rows), caption=caption), document)
    return statements_of(replace(element, text=content), document)


def values(
    *contents: str | Table, names: tuple[str, ...] = ("", "", "", ""), section: tuple[str, ...] = ()
) -> list[str]:
    """Return the disagreements among contents, each in a document of its own, in words."""
    statements = [
        one for n, (c, name) in enumerate(zip(contents, names, strict=False)) for one in made(c, n, name, section)
    ]
    return [str(one) for one in disagreements_of(pairs_of(statements))]


PLACES = ("Orle", "Belmer", "Tarn", "Vinsted", "Halmar", "Quay Island", "Port Sallow", "Lower Esk")
THINGS = ("harbour", "library", "tramway", "hospital", "museum", "reservoir", "power station", "fish market")
SHARES = ("household waste", "the harbour dues", "the freight", "all school meals", "the street lamps")
PEOPLE = ("Anna Falk", "Ben Holm", "Clara Voss", "David Rehn", "Edith Lang", "Frank Moor")
Template = tuple[str | Table, str | Table, int, int]
"""Two texts, of documents of two authors, and the bounds of the number {a} in them."""


def _filled(template: Template, rng: random.Random) -> tuple[str | Table, str | Table]:
    """Return both texts with the same words; {b} is greater than {a} by a tenth at least, as no rounding makes it."""
    one, other, low, high = template
    b = (a := rng.randint(low, high)) + rng.randint(a // 10 + 1, a // 2 + 2)
    (place, elsewhere), (first, second) = rng.sample(PLACES, 2), rng.sample(PEOPLE, 2)
    words = {"a": a, "b": b, "a000": f"{a * 1000:,}", "b000": f"{b * 1000:,}", "place": place, "elsewhere": elsewhere}
    words |= {"thing": rng.choice(THINGS), "share": rng.choice(SHARES), "year": (year := rng.randint(1990, 2023))}
    words |= {"before": year - 1, "first": first, "second": second, "day": rng.randint(1, 27)}

    def fill(text: str | Table) -> str | Table:
        return text.format(**words) if isinstance(text, str) else tuple(row.format(**words) for row in text)

    return fill(one), fill(other)


DIFFERENT: dict[str, Template] = {
    "share": ("In {year}, {a}% of {share} in {place} was recorded.",
        "{b} percent of {share} in {place} were recorded in {year}.", 20, 60),
    "count": ("The {thing} of {place} employs {a} people.",
        "{b} people are employed by the {place} {thing}.", 40, 400),
    "money": ("The {thing} of {place} cost ${a} million in {year}.",
        "In {year} the {place} {thing} cost ${b} million.", 3, 90),
    "money, scaled": ("In {year}, the {place} {thing} earned ${a} thousand.",
        "The {place} {thing} earned ${b000} in {year}.", 200, 900),
    "length": ("The {place} bridge is {a} m long.", "The length of the {place} bridge is {b} metres.", 60, 900),
    "term": ("Fees of the {place} {thing} are due within {a} days.",
        "The fees of the {place} {thing} are due within {b} days.", 8, 30),
    "day": ("The {thing} of {place} was opened on {day} May {year}.",
        "The {place} {thing} was opened on {day} June {year}.", 1, 9),
    "year": ("The {thing} of {place} was built in {year}.", "The {place} {thing} was built in {before}.", 1, 9),
    "person": ("The director of the {place} {thing} is {first}.",
        "{second} is the director of the {place} {thing}.", 1, 9),
    "table": (("Visitors of the {thing} of {place}", "Month | {year}", "Late summer | {a}"),
        ("{place} {thing}: visitors", "Month | {before} | {year}", "Late summer | 7 | {b}"), 100, 900),
    "table and text": (("Staff of {place}", "Office | {year}", "Toll station | {a}"),
        "The toll station of {place} had a staff of {b} in {year}.", 20, 90),
    "rate": ("The ferry to {place} makes {a} knots.", "The {place} ferry makes {b} knots.", 9, 30),
}  # fmt: skip
ALIKE: dict[str, Template] = {
    "another year": ("In {year}, {a}% of {share} in {place} was recorded.",
        "{b} percent of {share} in {place} were recorded in {before}.", 20, 60),
    "another place": ("The {thing} of {place} employs {a} people.",
        "The {thing} of {elsewhere} employs {b} people.", 40, 400),
    "a part": ("The {thing} of {place} employs {a} people.",
        "The {thing} of {place} employs {b} people part-time in its kitchen.", 40, 400),
    "a plan": ("The {thing} of {place} cost ${a} million.",
        "The {thing} of {place} was planned to cost ${b} million.", 3, 90),
    "a target": ("{a}% of {share} in {place} was recorded in {year}.",
        "The target of {place} was to record {b}% of {share} in {year}.", 20, 60),
    "the same, scaled": ("In {year}, the {place} {thing} earned ${a} thousand.",
        "The {place} {thing} earned ${a000} in {year}.", 200, 900),
    "rounded": ("The {place} bridge is {a}.3 m long.",
        "The bridge of {place} is {a} m long.", 60, 900),
    "a bound": ("Repairs of the {place} {thing} took {a} days.",
        "Repairs of the {place} {thing} take at most {b} days.", 8, 30),
    "another measure": ("The {place} bridge is {a} m long.", "The {place} bridge is {b} m wide.", 60, 900),
    "a change": ("The dues of {place} rose by {a}% in {year}.",
        "The dues of {place} were {b}% of costs in {year}.", 5, 40),
    "another row": (("Visitors of {place}", "Month | {year}", "Early summer | {a}"),
        ("Visitors of {place}", "Month | {year}", "Late summer | {b}"), 100, 900),
    "another event": ("The {thing} of {place} was built in {year}.",
        "The {thing} of {place} was closed in {before}.", 1, 9),
}  # fmt: skip


def share_found(seed: int) -> tuple[Counter[str], Counter[str]]:
    """Count what is found of the 60 pairs that disagree and of the 60 others, five of each kind, by kind."""
    rng, counts = random.Random(seed), (Counter[str](), Counter[str]())
    for templates, found in zip((DIFFERENT, ALIKE), counts, strict=True):
        for kind, template in templates.items():
            found[kind] = sum(bool(values(*_filled(template, rng))) for _ in range(60 // len(templates)))
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    for name, counts in zip(("found", "false"), share_found(parser.parse_args().seed), strict=True):
        kinds = ", ".join(f"{kind} {number}" for kind, number in counts.items())
        sys.stdout.write(f"{name}: {counts.total()} of 60 ({kinds})\n")

"""Layouts: entries as people type them: parted by stops, commas or colons, or without a title; and the damage that
is done to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from plugins.audit.evaluation.construct import PersonName, Work
from plugins.audit.evaluation.fit.owned import OwnedText, Owner
from plugins.audit.evaluation.fit.works import HOUSES

_FORMS = (
    ("direct", "full"), ("direct", "J. K."), ("direct", "J.K."), ("direct", "J K"), ("comma", "J. K."),
    ("comma", "J.K."), ("comma", "full"), ("comma", "JK"), ("blank", "JK"), ("blank", "J. K."), ("blank", "J.K."),
    ("blank", "J K"), ("direct", "J.-K."), ("glued", "J.K."), ("tight", "J.K."), ("tight", "J. K."),
)  # fmt: skip
_LASTS = (" and ", ", and ", " & ", ", & ", "", "", " und ", " et ", " y ", ", and", " e ", "; and ", " and ")
_OTHERS = (" et al", " et al.", ", et al.", ", et al", " et al.", " and others", ", ...", ", …", " u. a.", "; et al.",
           " and coauthors", " [et al.]")  # fmt: skip
_DASHES = ("——", "———", "—", "---", "___", "–––", "————")
_EDITED = (" (ed.)", " (Ed.)", ", ed.", ", Ed.", ", editor", " (Hrsg.)", " (eds.)", ", Eds.")
_EARLY = (
    " ({}). ", " ({}) ", ", {}. ", " {}. ", ", {}, ", " ({}), ", " ({}): ", ", {}: ", ". {}. ", ". ({}). ", ". {}, ",
    " [{}] ", " {} ", ", ({}). ", ". ({}) ", " ({}a). ", ", {}b, ", ": {}, ", " - {} - ", " ({}) - ", " {}, ", "({}). ",
)  # fmt: skip
_LATE = (
    ", {}.", ", {}", " ({}).", " ({})", ". {}.", ", May {}.", ", {}, in press", ". {}", " - {}.", ", [{}]", "; {}.",
    " {}.", ", {}a.", ", July {}.", " (Aug 23, {}).", " {}", ", {};", ". May {}.", ", 3 June {}.", ", ({}).",
)  # fmt: skip
_QUOTES = (("", ""),) * 4 + (("“", "”"), ("“", "”"), ('"', '"'), ("‘", "’"), ("«", "»"), ("„", "“"), ("``", "''"))
_BEHIND = (
    ". ", ". ", ". ", ". ", ", ", ", ", "; ", ": ", " – ", ", in ", ". In ", ". In: ", ".", " // ", ". - ", " / ",
    ". — ", " [J]. ", ", ser. Quay series in things. ", " [Online]. ", " (in Russian). ", " (unpublished). ",
)  # fmt: skip
_NUMBERS = (
    ", {v}({i}), {p}", " {v}({i}):{p}", ", {v}, {p}", ", vol. {v}, no. {i}, pp. {p}", " {v}: {p}", " {v} ({i}), {p}",
    ", Volume {v}, Issue {i}, pp. {p}", ", v. {v}, p. {p}", " {v}, {p}", ", {v}({i}),{p}", " {v}:{p}", ", {v} , {p}",
    ", Vol.{v}, No.{i}, pp.{p}", ", pp. {p}", "; {v}({i}): {p}", " {v}, no. {i} ({y}): {p}", " {v} ({y}) {p}",
    ". {y};{v}({i}):{p}", ", {y}, {v}, {p}", " {y}; {v}: {p}",
)  # fmt: skip
_PAGES = (", pp. {p}", ", pages {p}", " (pp. {p})", ", {p}", " {p}", ", vol. {v}, pp. {p}", ". p. {p}", "")
_EDS = (" (Eds.), ", " (Ed.), ", ", editors, ", " (eds) ", " (eds.): ", " (eds.) ", " (Eds.). ", ", eds., ", " (Ed.): ")
_SERVERS = (("arXiv preprint", " arXiv:{}"), ("arXiv preprint", ", arXiv:{}"), ("CoRR", ", abs/{}"), ("arXiv", ":{}"),
            ("arXiv", ":{} [cs.CL]"), ("ArXiv preprint", " abs/{}"), ("arXiv e-prints", ", arXiv:{}"))  # fmt: skip
_KINDS = (
    "", "", "vol. {n}, ", "{n} pp., ", "Tech. Doc. {n}, ", "chap. {n}, ", "2nd ed., ", "107th Edition, ",
    "Rep. {n}, ", "Ph.D. thesis, ", "Technical Report {n}, ", "Working Paper No. {n}. ",
)  # fmt: skip
_PHYSICS = (
    "Phys. Rev. Lett.", "Phys. Rev. D", "Phys.Rev.", "Phys. Lett. B", "Astrophys. J.", "ApJ", "MNRAS", "JHEP",
    "Nucl. Phys. B", "Class. Quant. Grav.", "A&A", "Mon. Not. R. Astron. Soc.", "Nature", "J. Chem. Phys.",
    "J. Am. Chem. Soc.", "Rev. Mod. Phys.", "Appl. Phys. Lett.", "Eur. Phys. J. C", "Z. Phys.", "Nuovo Cim.",
    "Commun. Math. Phys.", "Langmuir", "AJ", "Solid State Commun.", "J. Phys.: Condens. Matter",
)  # fmt: skip
_BARE = (
    ", {j} {v}, {p} ({y})", ". {j} {v}, {p} ({y})", " {y} {j} {v} {p}", ", {y}, {j}, {v}, {p}", ", {j} {v} ({y}) {p}",
    " {j}, {v}, {p} ({y})", ". {j}{v}:{p},{y}", ", {j}. {v} ({y}), p.{p}", ". {j} {v} {p} ({y})",
    " {j} {v}:{p} ({y})", ", {j}, vol. {v}, p. {p}, {y}", ". {j} {v} ({y}) {p}", ", {j}{v}({y}){p}",
    "; {j}, {y}, {v}, {p}", ". {y}. {j} {v}, {p}", " ({y}) {j} {v}:{p}",
)  # fmt: skip
_NUMBERED = (" [SPIRES]", ", [astro-ph/0003365]", " [arXiv:0803.0732]", ". doi:10.1103/PhysRev.23.7")
_TAILS = (
    " PMID: {}", " Google Scholar", " [CrossRef]", " Accessed {} May.", " (Cited on page {})", " ↑ {}", " [SPIRES]",
    " [Cited on pages {}, {}, and 7.]", " ISBN 978-3-16-{}.", " Preprint.", " Pages {}, {}.", " (In German).",
    " 320 S.", " [cs.CL]", " PMLR.", " Web.", " In press.", " 205 pp.",
)  # fmt: skip
_LABELS = ("[{}] ", "{}. ", "({}) ", "[{}]", "{} ", "[Smi{:02}] ", "{}) ", "• ")


def typed(work: Work, rng: Random) -> OwnedText:
    """Return the entry of a work in a layout by chance."""
    if rng.random() < 0.17:
        return without_title(work, rng).tidied()
    return by_stops(work, rng).tidied()


def by_stops(work: Work, rng: Random) -> OwnedText:
    """Return an entry with names, year, title and source, parted by marks by chance; the year may end it."""
    entry = OwnedText()
    named = bool(work.authors) and rng.random() < 0.93
    early = bool(work.year) and rng.random() < (0.5 if named else 0.3)
    opening, closing = rng.choice(_QUOTES)
    if named:
        _authors(entry, work, rng)
    if early:
        _dated(entry, work.year, rng.choice(_EARLY) if named else rng.choice(("{}. ", "({}) ", "{}, ", "({}). ")))
    elif named:
        marks = (". ", ". ", ", ", ", ", ": ", " : ", "; ", " – ", " - ", ".: ", ".", ". — ")
        entry.add(rng.choice(marks))
    entry.add(opening).add(work.title, Owner.TITLE)
    between = rng.choice(_BEHIND)
    if closing and rng.random() < 0.5:
        entry.add(("" if work.title[-1] in "?!" else rng.choice(",.")) + closing)
        between = " "
    else:
        entry.add(closing)
    if work.title[-1] in "?!" and between[0] in ".," and rng.random() < 0.8:
        between = between[1:] or " "
    source, dated = _source(work, rng, early)
    if source.text:
        entry.add(between).extend(source)
    if work.year and not early and not dated:
        _dated(entry, work.year, rng.choice(_LATE))
    elif not entry.text.endswith((".", "?", "!")) and rng.random() < 0.85:
        entry.add(".")
    return _identified(entry, work, rng)


def without_title(work: Work, rng: Random) -> OwnedText:
    """Return an entry of physics: names, journal, volume, page and year; or names and a preprint, or a book."""
    entry = OwnedText()
    if work.authors:
        _authors(entry, work, rng)
    year, kind = str(rng.randint(1930, 2023)), rng.random()
    if kind < 0.08:
        entry.add(rng.choice((", ", ". ", " "))).add(work.title, Owner.TITLE).add(" (")
        return _dated(entry.add(rng.choice(HOUSES), Owner.VENUE), year, ", {}).")
    if kind < 0.14:
        archive = rng.choice(("arXiv:", "hep-th/", "gr-qc/", "astro-ph/", "hep-ph/"))
        number = f"{year[2:]}{rng.randint(1, 12):02}.{rng.randint(1000, 9999)}"
        entry.add(
            rng.choice((", ", " ", ". ")) + archive + (number if archive == "arXiv:" else number.replace(".", "")[:7])
        )
        return _dated(entry, year, " ({}).") if rng.random() < 0.5 else entry
    form = rng.choice(_BARE)
    form = form[1:] if entry.text.endswith(".") and form.startswith(".") else form
    pages = (str(rng.randint(1, 9999)), f"{rng.randint(1, 900)}-{rng.randint(901, 1900)}", f"L{rng.randint(1, 99)}")
    values = {"j": rng.choice(_PHYSICS), "v": str(rng.randint(1, 900)), "p": rng.choice(pages), "y": year}
    for part in form.replace("{", "\0{").replace("}", "}\0").split("\0"):
        name = part[1:-1] if part.startswith("{") else ""
        owner = {"j": Owner.VENUE, "y": Owner.YEAR}.get(name, Owner.NONE)
        entry.add(values[name] if name else part, owner)
    return entry.add(rng.choice(_NUMBERED) if rng.random() < 0.3 else "").add("." if rng.random() < 0.8 else "")


def person(name: PersonName, order: str, given: str) -> str:
    """Return a name in an order and with its given names in a form."""
    if not name.given:
        return name.family
    initials = [part[0] for part in name.given.replace("-", " ").replace(".", " ").split() if part[0].isupper()]
    if not initials:
        return f"{name.family} {name.given}"
    stops = [f"{letter}." for letter in initials]
    forms = {"J. K.": " ".join(stops), "J.K.": "".join(stops), "JK": "".join(initials), "J K": " ".join(initials),
             "J.-K.": "-".join(stops), "full": name.given}  # fmt: skip
    shown = forms[given]
    orders = {"direct": f"{shown} {name.family}", "glued": f"{shown}{name.family}", "comma": f"{name.family}, {shown}",
              "blank": f"{name.family} {shown}", "tight": f"{name.family},{shown}"}  # fmt: skip
    return orders[order]


def _authors(entry: OwnedText, work: Work, rng: Random) -> None:
    """Add the list of authors, or the dash that stands for those of the entry before."""
    if rng.random() < 0.03:
        entry.add(rng.choice(_DASHES), Owner.NAME)
        return
    order, given = rng.choice(_FORMS)
    inverted = order in ("comma", "tight")
    turned = inverted and rng.random() < 0.3
    between = rng.choice(
        (", ", ",", "; ", "; ", ". ") if inverted and not turned else (", ", ", ", ", ", ",", "; ", "/", " , ")
    )
    last = rng.choice(_LASTS) or between
    most = rng.choice((99, 99, 99, 99, 1, 2, 3, 6, 10))
    shown: Sequence[PersonName] = work.authors[:most]
    for n, name in enumerate(shown):
        if n:
            entry.add(last.ljust(len(last) + last.endswith("and")) if n == len(work.authors) - 1 else between)
        entry.add(person(name, "direct" if turned and n else order, given), Owner.NAME + n)
    if len(work.authors) > most:
        entry.add(rng.choice(_OTHERS))
    if rng.random() < 0.04:
        entry.add(rng.choice(_EDITED))


def _dated(entry: OwnedText, year: str, form: str) -> OwnedText:
    """Add the year in a form; a letter right behind it belongs to it."""
    before, _, after = form.partition("{}")
    letter = after[:1] if after[:1].isalpha() else ""
    return entry.add(before).add(year + letter, Owner.YEAR).add(after[len(letter) :])


def _volume(work: Work, rng: Random, forms: Sequence[str]) -> str:
    """Return volume, issue and pages in a form."""
    pages = work.pages or str(rng.randint(1, 900))
    pages = pages.replace("–", "-") if rng.random() < 0.2 else pages
    return rng.choice(forms).format(
        v=work.volume or rng.randint(1, 90), i=work.issue or rng.randint(1, 12), p=pages, y="{y}"
    )


def _source(work: Work, rng: Random, early: bool) -> tuple[OwnedText, bool]:
    """Return where a work appeared, and True if its year stands in it."""
    source = OwnedText()
    if work.venue and work.kind != "incollection":
        meeting = work.kind == "inproceedings"
        if meeting and rng.random() < 0.8:
            source.add(rng.choice(("In ", "in ", "In: ")))
        source.add(work.venue, Owner.VENUE)
        if meeting and work.place and rng.random() < 0.5:
            source.add(f", {work.place}")
        numbers = _volume(work, rng, _PAGES if meeting else _NUMBERS[:-5] if early or not work.year else _NUMBERS)
        before, held, after = numbers.partition("{y}")
        source.add(before).add(work.year if held else "", Owner.YEAR).add(after)
        return source.add(f". {work.house}" if meeting and work.house and rng.random() < 0.6 else ""), bool(held)
    if work.kind == "incollection":
        _book(source, work, rng)
    elif work.house:
        source.add(rng.choice(_KINDS).format(n=rng.randint(2, 999)))
    if work.house:
        owner = Owner.NONE if Owner.VENUE in source.owners else Owner.VENUE
        before = f"{work.place}{rng.choice((': ', ': ', ':', ' : '))}" if work.place and rng.random() < 0.5 else ""
        source.add(before).add(work.house, owner).add(f", {work.place}" if work.place and not before else "")
    elif work.arxiv:
        server, number = rng.choice(_SERVERS)
        source.add(server, Owner.VENUE).add(number.format(work.arxiv))
    return source, False


def _book(source: OwnedText, work: Work, rng: Random) -> None:
    """Add the book that a chapter stands in, with its editors before or behind it."""
    order, given = rng.choice((("direct", "J. K."), ("comma", "J. K."), ("direct", "full")))
    editors = ", ".join(person(name, order, given) for name in work.editors[:4])
    source.add(rng.choice(("In ", "in ", "In: ", "")))
    if editors and rng.random() < 0.5:
        source.add(editors + rng.choice(_EDS)).add(work.venue, Owner.VENUE)
    else:
        source.add(work.venue, Owner.VENUE).add(
            rng.choice((", edited by ", ", ed. ", ". Ed. by ")) + editors if editors else ""
        )
    source.add(f"{rng.choice((', pp. ', ': ', ', pgs. '))}{work.pages}" if rng.random() < 0.6 else "").add(
        rng.choice((". ", ", "))
    )


def _identified(entry: OwnedText, work: Work, rng: Random) -> OwnedText:
    """Return the entry with the work's DOI or address behind it, or without."""
    dois = (" doi:{}", " https://doi.org/{}", " doi: {}.", ", DOI {}", " http://dx.doi.org/{}.")
    urls = (" {}", " URL {}.", " Available at {}", " Retrieved from {}", " [Online]. Available: {}", "; {}.", ", {}.",
            " {} (accessed 3 May 2019).", " Available from: {} [Accessed 2 June 2011]")  # fmt: skip
    if work.doi and rng.random() < 0.4:
        entry.add(rng.choice(dois).format(work.doi))
    elif work.url and rng.random() < 0.6:
        entry.add(rng.choice(urls).format(work.url))
    return entry


def damaged(entry: OwnedText, rng: Random) -> OwnedText:
    """Return the entry as typists and PDFs break it, each fault by chance: labels, notes, blanks, marks, hyphens."""
    if rng.random() < 0.05:
        tail = rng.choice(_TAILS)
        entry.add(tail.format(*(rng.randint(1, 99) for _ in range(tail.count("{}")))))
    if rng.random() < 0.12:
        entry = OwnedText().add(rng.choice(_LABELS).format(rng.randint(1, 120))).extend(entry)
    if rng.random() < 0.05:
        share, inside = rng.choice((0.15, 0.5, 1.0)), (Owner.TITLE, Owner.VENUE)
        lost = [
            c == " " and entry.text[i - 1 : i] in (*".,;:",) and owner not in inside and rng.random() < share
            for i, (c, owner) in enumerate(zip(entry.text, entry.owners, strict=True))
        ]
        entry = entry.kept([not gone for gone in lost])
    marks = [i for i in range(1, len(entry.text)) if entry.text[i] in ",.:;"]
    if marks and rng.random() < 0.04:
        at = rng.choice(marks)
        entry.put(at, at, " ")
    outside = [i for i, c in enumerate(entry.text) if c in ".,:;" and entry.owners[i] == Owner.NONE]
    if outside and rng.random() < 0.05:
        at = rng.choice(outside)
        entry.put(at, at + 1, rng.choice(("", ",", ".", ";")))
    inner = [i for i in range(2, len(entry.text) - 2) if entry.text[i - 2 : i + 2].isalpha()]
    if inner and rng.random() < 0.04:
        at = rng.choice(inner)
        entry.put(at, at, rng.choice(("-", "- ")))
    if rng.random() < 0.1:
        entry.text = entry.text.replace("–", "-")
    return entry

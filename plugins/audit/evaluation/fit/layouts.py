"""Layouts: entries as people type them: parted by stops, commas or colons, or without a title; and the damage that
is done to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from plugins.audit.evaluation.construct import PersonName, Work
from plugins.audit.evaluation.fit.owned import OwnedText, Owner
from plugins.audit.evaluation.fit.works import HOUSES

_FORMS = (
    "{given} {family}", "{initials} {family}", "{joined} {family}", "{bare} {family}", "{family}, {given}",
    "{family}, {initials}", "{family}, {joined}", "{family},{joined}", "{family} {initials}", "{family} {glued}",
    "{family} {joined}", "{family} {bare}", "{joined}{family}", "{hyphened} {family}",
)  # fmt: skip
_BETWEEN = (", ", ", ", ", ", ",", "; ", "/", " , ", ". ")
_LASTS = (" and ", ", and ", " & ", ", & ", "", "", " und ", " et ", " y ", " e ", "; and ")
_OTHERS = (" et al", " et al.", ", et al.", " and others", ", ...", ", …", " u. a.", "; et al.", " [et al.]")
_DASHES = ("——", "———", "—", "---", "___", "–––")
_EDITED = (" (ed.)", " (Ed.)", ", ed.", ", editor", " (Hrsg.)", " (eds.)", ", Eds.")
_EARLY = (
    " ({}). ", " ({}) ", ", {}. ", " {}. ", ", {}, ", " ({}), ", " ({}): ", ", {}: ", ". {}. ", ". ({}). ", ". {}, ",
    " [{}] ", " {} ", ", ({}). ", " ({}a). ", ", {}b, ", ": {}, ", " - {} - ", "({}). ",
)  # fmt: skip
_LATE = (
    ", {}.", ", {}", " ({}).", " ({})", ". {}.", ", May {}.", ", {}, in press", " - {}.", ", [{}]", "; {}.",
    " {}.", ", {}a.", " (Aug 23, {}).", ", {};", ", 3 June {}.",
)  # fmt: skip
_QUOTES = (("", ""),) * 4 + (("“", "”"), ("“", "”"), ('"', '"'), ("‘", "’"), ("«", "»"), ("„", "“"), ("``", "''"))
_BEHIND_NAMES = (". ", ". ", ", ", ", ", ": ", " : ", "; ", " – ", " - ", ".: ", ". — ")
_BEHIND = (
    ". ", ". ", ". ", ". ", ", ", ", ", "; ", ": ", " – ", ", in ", ". In ", ". In: ", ".", " // ", ". - ",
    ". — ", " [J]. ", ", ser. Quay series in things. ", " [Online]. ", " (in Russian). ", " (unpublished). ",
)  # fmt: skip
_NUMBERS = (
    ", {v}({i}), {p}", " {v}({i}):{p}", ", {v}, {p}", ", vol. {v}, no. {i}, pp. {p}", " {v}: {p}", " {v} ({i}), {p}",
    ", Volume {v}, Issue {i}, pp. {p}", ", v. {v}, p. {p}", " {v}, {p}", ", Vol.{v}, No.{i}, pp.{p}", ", pp. {p}",
)  # fmt: skip
_DATED_NUMBERS = (" {v}, no. {i} ({y}): {p}", " {v} ({y}) {p}", ". {y};{v}({i}):{p}", ", {y}, {v}, {p}")
_PAGES = (", pp. {p}", ", pages {p}", " (pp. {p})", ", {p}", " {p}", ", vol. {v}, pp. {p}", ". p. {p}", "")
_EDS = (" (Eds.), ", " (Ed.), ", ", editors, ", " (eds.): ", " (Eds.). ", ", eds., ")
_SERVERS = (("arXiv preprint", " arXiv:{}"), ("CoRR", ", abs/{}"), ("arXiv", ":{}"), ("arXiv", ":{} [cs.CL]"))
_KINDS = ("", "", "vol. {n}, ", "{n} pp., ", "chap. {n}, ", "2nd ed., ", "Ph.D. thesis, ", "Technical Report {n}, ")
_PHYSICS = (
    "Phys. Rev. Lett.", "Phys. Rev. D", "Phys.Rev.", "Phys. Lett. B", "Astrophys. J.", "ApJ", "MNRAS", "JHEP",
    "Nucl. Phys. B", "Class. Quant. Grav.", "A&A", "Nature", "J. Chem. Phys.", "J. Am. Chem. Soc.", "Rev. Mod. Phys.",
    "Z. Phys.", "Nuovo Cim.", "Commun. Math. Phys.", "Langmuir", "J. Phys.: Condens. Matter",
)  # fmt: skip
_BARE = (
    ", {j} {v}, {p} ({y})", ". {j} {v}, {p} ({y})", " {y} {j} {v} {p}", ", {y}, {j}, {v}, {p}", ", {j} {v} ({y}) {p}",
    ". {j}{v}:{p},{y}", ", {j}. {v} ({y}), p.{p}", ". {j} {v} {p} ({y})", " {j} {v}:{p} ({y})",
    ", {j}, vol. {v}, p. {p}, {y}", "; {j}, {y}, {v}, {p}", " ({y}) {j} {v}:{p}",
)  # fmt: skip
_NUMBERED = (" [SPIRES]", ", [astro-ph/0003365]", " [arXiv:0803.0732]", ". doi:10.1103/PhysRev.23.7")
_DOIS = (" doi:{}", " https://doi.org/{}", " doi: {}.", ", DOI {}", " http://dx.doi.org/{}.")
_URLS = (
    " {}", " URL {}.", " Available at {}", " Retrieved from {}", " [Online]. Available: {}", "; {}.",
    " {} (accessed 3 May 2019).", " Available from: {} [Accessed 2 June 2011]",
)  # fmt: skip
_TAILS = (
    " PMID: {}", " Google Scholar", " [CrossRef]", " Accessed {} May.", " (Cited on page {})", " ↑ {}",
    " [Cited on pages {}, {}, and 7.]", " ISBN 978-3-16-{}.", " Preprint.", " (In German).", " 320 S.", " PMLR.",
)  # fmt: skip
_LABELS = ("[{}] ", "{}. ", "({}) ", "[{}]", "{} ", "[Smi{:02}] ", "{}) ", "• ")


def typed(work: Work, rng: Random) -> OwnedText:
    """Return the entry of a work in a layout by chance."""
    return (_without_title(work, rng) if rng.random() < 0.17 else _with_title(work, rng)).tidied()


def _with_title(work: Work, rng: Random) -> OwnedText:
    """Return an entry with names, year, title and source, parted by marks by chance; the year may end it."""
    entry = OwnedText()
    named = bool(work.authors) and rng.random() < 0.93
    early = bool(work.year) and rng.random() < (0.5 if named else 0.3)
    opening, closing = rng.choice(_QUOTES)
    if named:
        _add_authors(entry, work, rng)
    if early:
        _fill(entry, rng.choice(_EARLY) if named else rng.choice(("{}. ", "({}) ", "{}, ")), work)
    elif named:
        entry.add(rng.choice(_BEHIND_NAMES))
    entry.add(opening).add(work.title, Owner.TITLE)
    between, asks = rng.choice(_BEHIND), work.title[-1] in "?!"
    if closing and rng.random() < 0.5:
        entry.add(("" if asks else rng.choice(",.")) + closing)
        between = " "
    else:
        entry.add(closing)
    if asks and between[0] in ".," and rng.random() < 0.8:
        between = between[1:] or " "
    source = _source(work, rng, early)
    if source.text:
        entry.add(between).extend(source)
    if work.year and not early and Owner.YEAR not in source.owners:
        _fill(entry, rng.choice(_LATE), work)
    elif not entry.text.endswith((".", "?", "!")) and rng.random() < 0.85:
        entry.add(".")
    if work.doi and rng.random() < 0.4:
        return entry.add(rng.choice(_DOIS).format(work.doi))
    return entry.add(rng.choice(_URLS).format(work.url) if work.url and rng.random() < 0.6 else "")


def _without_title(work: Work, rng: Random) -> OwnedText:
    """Return an entry of physics: names, journal, volume, page and year; or names and a preprint, or a book."""
    entry = OwnedText()
    if work.authors:
        _add_authors(entry, work, rng)
    kind = rng.random()
    if kind < 0.08:
        entry.add(rng.choice((", ", ". ", " "))).add(work.title, Owner.TITLE).add(" (")
        return _fill(entry.add(rng.choice(HOUSES), Owner.VENUE), ", {}).", work)
    if kind < 0.14:
        archive = rng.choice(("arXiv:{}.{}", "hep-th/{}{}", "gr-qc/{}{}", "astro-ph/{}{}"))
        number = archive.format(f"{work.year[2:]}{rng.randint(1, 12):02}", rng.randint(100, 999))
        entry.add(rng.choice((", ", " ", ". ")) + number)
        return _fill(entry, " ({}).", work) if rng.random() < 0.5 else entry
    form = rng.choice(_BARE)
    form = form[1:] if entry.text.endswith(".") and form.startswith(".") else form
    pages = (str(rng.randint(1, 9999)), f"{rng.randint(1, 900)}-{rng.randint(901, 1900)}", f"L{rng.randint(1, 99)}")
    _fill(entry, form, work, {"j": rng.choice(_PHYSICS), "v": str(rng.randint(1, 900)), "p": rng.choice(pages)})
    return entry.add(rng.choice(_NUMBERED) if rng.random() < 0.3 else "").add("." if rng.random() < 0.8 else "")


def _fill(entry: OwnedText, form: str, work: Work, values: Mapping[str, str] | None = None) -> OwnedText:
    """Add a form whose holes are the year ("", "y"), the journal ("j") and others; a letter behind the year is its."""
    for part in form.replace("{", "\0{").replace("}", "}\0").split("\0"):
        name = part[1:-1]
        if not part.startswith("{"):
            last_is_year = bool(entry.owners) and entry.owners[-1] == Owner.YEAR
            letter = part[:1] if last_is_year and part[:1].isalpha() else ""
            entry.add(letter, Owner.YEAR).add(part[len(letter) :])
        elif name in ("", "y"):
            entry.add(work.year, Owner.YEAR)
        else:
            entry.add((values or {})[name], Owner.VENUE if name == "j" else Owner.NONE)
    return entry


def person(name: PersonName, form: str) -> str:
    """Return a name in one of the forms."""
    initials = [part[0] for part in name.given.replace("-", " ").replace(".", " ").split() if part[0].isupper()]
    if not initials:
        return f"{name.family} {name.given}".strip()
    stops = [f"{letter}." for letter in initials]
    return form.format(
        family=name.family, given=name.given, initials=" ".join(stops), joined="".join(stops), glued="".join(initials),
        bare=" ".join(initials), hyphened="-".join(stops),
    )  # fmt: skip


def _add_authors(entry: OwnedText, work: Work, rng: Random) -> None:
    """Add the list of authors, or the dash that stands for those of the entry before."""
    if rng.random() < 0.03:
        entry.add(rng.choice(_DASHES), Owner.NAME)
        return
    form = rng.choice(_FORMS)
    inverted = form.startswith("{family},")
    turned = inverted and rng.random() < 0.3
    between = rng.choice(("; ", ". ", ", ") if inverted and not turned else _BETWEEN[:-1])
    last = rng.choice(_LASTS) or between
    most = rng.choice((99, 99, 99, 99, 1, 2, 3, 6, 10))
    for n, name in enumerate(work.authors[:most]):
        if n:
            entry.add(last if n == len(work.authors) - 1 else between)
        entry.add(person(name, "{initials} {family}" if turned and n else form), Owner.NAME + n)
    if len(work.authors) > most:
        entry.add(rng.choice(_OTHERS))
    if rng.random() < 0.04:
        entry.add(rng.choice(_EDITED))


def _source(work: Work, rng: Random, early: bool) -> OwnedText:
    """Return where a work appeared: the journal or the proceedings, the book, the publisher or the server."""
    source = OwnedText()
    values = {
        "v": work.volume or str(rng.randint(1, 90)),
        "i": work.issue or str(rng.randint(1, 12)),
        "p": (work.pages or str(rng.randint(1, 900))).replace("–", rng.choice("–––-")),
    }
    if work.kind == "incollection":
        editors = ", ".join(person(name, rng.choice(_FORMS[:4])) for name in work.editors[:4])
        source.add(rng.choice(("In ", "in ", "In: ", "")))
        before = editors + rng.choice(_EDS) if rng.random() < 0.5 else ""
        source.add(before).add(work.venue, Owner.VENUE).add("" if before else f", edited by {editors}")
        source.add(rng.choice((", pp. {p}. ", ": {p}, ", ". ")).format(**values))
    elif work.venue:
        meeting = work.kind == "inproceedings"
        source.add(rng.choice(("In ", "in ", "In: ")) if meeting and rng.random() < 0.8 else "")
        source.add(work.venue, Owner.VENUE).add(f", {work.place}" if meeting and work.place else "")
        forms = _PAGES if meeting else _NUMBERS if early or rng.random() < 0.7 else _DATED_NUMBERS
        _fill(source, rng.choice(forms), work, values)
        return source.add(f". {work.house}" if meeting and work.house and rng.random() < 0.6 else "")
    elif work.house:
        source.add(rng.choice(_KINDS).format(n=rng.randint(2, 999)))
    if work.house:
        owner = Owner.NONE if Owner.VENUE in source.owners else Owner.VENUE
        before = work.place + rng.choice((": ", ": ", ":")) if work.place and rng.random() < 0.5 else ""
        source.add(before).add(work.house, owner).add(f", {work.place}" if work.place and not before else "")
    elif work.arxiv:
        server, number = rng.choice(_SERVERS)
        source.add(server, Owner.VENUE).add(number.format(work.arxiv))
    return source


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
    text = entry.text
    marks = [i for i in range(1, len(text)) if text[i] in ",.:;"]
    outside = [i for i in marks if entry.owners[i] == Owner.NONE]
    inner = [i for i in range(2, len(text) - 2) if text[i - 2 : i + 2].isalpha()]
    faults = ((marks, (" ",), 0), (outside, ("", ",", ".", ";"), 1), (inner, ("-", "- "), 0))
    places, texts, length = rng.choice(faults)
    if places and rng.random() < 0.13:
        at = rng.choice(places)
        entry.put(at, at + length, rng.choice(texts))
    if rng.random() < 0.1:
        entry.text = entry.text.replace("–", "-")
    return entry

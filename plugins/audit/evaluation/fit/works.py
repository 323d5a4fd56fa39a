"""Works to print: drawn out of real records, with names, titles, journals and groups put together anew.

Titles are cut from sentences as well as taken from records, so that what is learnt is not one field's words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from plugins.audit.evaluation.construct import PersonName, Work

_KINDS = {
    "article": 32, "inproceedings": 24, "preprint": 16, "book": 6, "incollection": 5, "techreport": 4,
    "phdthesis": 2, "mastersthesis": 2, "web": 6, "misc": 3,
}  # fmt: skip
"""The kinds of works and how many of a hundred entries are of them."""
_JOURNALS = (
    "Journal of {}", "{}", "International Journal of {}", "{} Letters", "Annals of {}", "The {} Review", "Nature {}",
    "Advances in {}", "IEEE Transactions on {}", "J. {}", "Zeitschrift für {}", "Revue de {}", "Frontiers in {}",
    "Acta {}", "Archives of {}", "Trends in {}", "{} Quarterly", "Bulletin of {}", "Nature", "Science", "PLoS ONE",
    "Phys. Rev. B", "J. Am. Chem. Soc.", "PNAS", "计算机学报", "情報処理学会論文誌", "Вопросы языкознания",
)  # fmt: skip
_MEETINGS = (
    "Proceedings of the {n} International Conference on {}", "International Conference on {}", "Workshop on {}",
    "Proceedings of the {n} Annual Meeting of the Association for {}", "Proc. of the {n} Conference on {}",
    "Proceedings of the {y} Conference on {}", "{n} Symposium on {}", "Lecture Notes in {}", "Proc. Int. Conf. {}",
    "Advances in {} Systems", "Findings of the Association for {}: EMNLP {y}", "Actes de la {n} Conférence sur {}",
    "NeurIPS", "ICML", "CVPR", "ACL", "COLING {y}", "Proc. ICASSP", "Thirty-Fourth Conference on {}",
)  # fmt: skip
_GROUPS = (
    "National Institute of {}", "{} Agency", "U.S. Department of {}", "World {} Organization", "{} Society",
    "Federal Ministry of {}", "International {} Association", "Royal Society of {}", "Task Force on {}",
    "{} Team", "European Commission", "WHO", "OECD", "OpenAI", "NASA", "Microsoft", "R Core Team", "AT&T", "BBC News",
    "Statistisches Bundesamt", "Johnson & Johnson", "DeepSeek-AI", "Google DeepMind", "Wikipedia contributors",
)  # fmt: skip
HOUSES = (
    "Springer", "MIT Press", "Cambridge University Press", "Elsevier", "John Wiley & Sons", "ACM", "IEEE", "PMLR",
    "Association for Computational Linguistics", "Curran Associates, Inc.", "CRC Press", "O’Reilly Media", "De Gruyter",
    "Presses Universitaires de France", "Routledge", "Academic Press", "Penguin Books", "USENIX Association",
)  # fmt: skip
_SCHOOLS = ("Stanford University", "ETH Zürich", "Technische Universität Berlin", "Université Paris-Saclay")
PLACES = (
    "Berlin", "New York, NY, USA", "Cambridge, MA", "Paris, France", "Cham", "London", "Online", "Vienna, Austria",
    "Singapore", "Red Hook, NY", "Heidelberg", "Amsterdam", "Miami, Florida",
)  # fmt: skip
_SITES = ("Blog", "Press release", "Hugging Face", "GitHub repository", "The Guardian", "Technical report", "Medium")
_ORDINALS = ("12th", "33rd", "58th", "2nd", "21st", "Thirty-Fourth", "First", "17.", "Fifteenth", "5th")
_PARTICLES = ("van", "van der", "de", "de la", "von", "Di", "El", "bin")
_BETWEEN = (": ",) * 6 + (" : ", "? ", " – ", " - ", "—", ". ", "; ", "! ", ": II. ")
"""What stands between a title and its subtitle."""
_SMALL = frozenset((
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "via",
    "with", "over", "under", "vs", "is", "are",
))  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_STRANGE = re.compile(r"[|{}<>\[\]\\=_*#@~^]|http|www")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
AFTER_LATIN, FIRST_UNSPACED = 0x250, 0x2E80
"""The first code points behind Latin letters, and of the scripts that write a name without a space."""


def sentences_of(text: Path) -> tuple[str, ...]:
    """Return the sentences of a running text that titles can be cut from."""
    found = _SENTENCE.split(text.read_text(encoding="utf-8"))
    return tuple(sentence for sentence in found if not _STRANGE.search(sentence) and 6 <= len(sentence.split()) <= 60)


@dataclass(frozen=True, slots=True)
class WorkPool:
    """The stock that works are drawn from: those of BibTeX files, names of people in their parts, and sentences."""

    works: tuple[Work, ...]
    names: tuple[PersonName, ...]
    sentences: tuple[str, ...] = ()

    def draw(self, rng: Random) -> Work:
        """Return a work of a kind by chance, all its fields drawn anew."""
        kind = rng.choices(list(_KINDS), list(_KINDS.values()))[0]
        year = str(rng.randrange(2010, 2027) if rng.random() < 0.8 else rng.randrange(1890, 2010))
        host = rng.choice(("www.example.org/", "github.com/a/b-c/", "openreview.net/f?id="))
        doi = f"10.{rng.randrange(1000, 9999)}/{rng.choice(('s', 'j.x', 'v1/P', ''))}{rng.randrange(1000, 99999)}.7"
        work = Work(
            kind,
            self.title(rng),
            self.authors(rng),
            year,
            doi=doi if rng.random() < 0.5 and kind not in ("preprint", "web", "misc") else "",
            url=f"https://{host}x{rng.randrange(1, 9999)}" if rng.random() < 0.4 or kind == "web" else "",
        )
        return self._placed(work, rng)

    def _placed(self, work: Work, rng: Random) -> Work:
        """Return the work with where it appeared, as works of its kind do."""
        values: dict[str, Any] = {"place": rng.choice(PLACES) if rng.random() < 0.5 else ""}
        match work.kind:
            case "article":
                values |= {"venue": self.journal(rng), "pages": _pages(rng) if rng.random() < 0.85 else ""}
                values["volume"] = str(rng.randrange(1, 200)) if rng.random() < 0.9 else ""
                values["issue"] = str(rng.randrange(1, 30)) if rng.random() < 0.7 else ""
            case "inproceedings":
                values |= {"venue": _in_print(self._named(_MEETINGS, rng, work.year), rng)}
                values |= {"editors": self.authors(rng)[:3], "pages": _pages(rng) if rng.random() < 0.6 else ""}
                values["house"] = rng.choice(HOUSES) if rng.random() < 0.35 else ""
            case "preprint":
                number = f"{work.year[2:]}{rng.randrange(1, 13):02}.{rng.randrange(1000, 20000):05}"
                values |= {"kind": "misc", "arxiv": number}
            case "incollection":
                values |= {"venue": self.title(rng), "editors": self.authors(rng)[: rng.randint(1, 4)]}
                values |= {"house": rng.choice(HOUSES), "pages": _pages(rng)}
            case "book":
                values |= {"house": rng.choice(HOUSES), "edition": rng.choice(("", "", "2nd", "Third", "3rd"))}
            case "techreport":
                values |= {"house": self.group(rng)}
            case "phdthesis" | "mastersthesis":
                values |= {"house": rng.choice(_SCHOOLS)}
            case "web":
                values |= {"kind": "misc", "house": rng.choice(_SITES) if rng.random() < 0.4 else ""}
        return replace(work, **values)

    def authors(self, rng: Random) -> tuple[PersonName, ...]:
        """Return a list of authors: often two to six, sometimes fifty; at times a group, or none."""
        form = rng.random()
        if form < 0.1:
            return (PersonName(self.group(rng)),) if form < 0.08 else ()
        count = rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12)) if rng.random() < 0.97 else rng.randrange(15, 60)
        latin = [name for name in rng.choices(self.names, k=2 * count) if max(map(ord, name.plain)) < AFTER_LATIN]
        names = latin[:count] if latin and rng.random() < 0.94 else rng.choices(self.names, k=count)
        return tuple(self._person(name, rng) for name in names)

    def _person(self, name: PersonName, rng: Random) -> PersonName:
        """Return a name, at times with a middle initial, a particle, a suffix or a second family name."""
        given, family, suffix, more = name.given, name.family, "", rng.random()
        if not given[:1].isupper():
            return PersonName(family + given) if given and ord(given[0]) >= FIRST_UNSPACED else name
        if more < 0.2 and " " not in given:
            given += f" {rng.choice('ABCDEFGHJKLMNPRSTW')}."
        elif more < 0.24:
            given += "-Il"
        elif more < 0.29:
            family = f"{rng.choice(_PARTICLES)} {family}"
        elif more < 0.31:
            suffix = rng.choice(("Jr.", "III", "Jr", "II"))
        elif more < 0.34:
            family += f"{rng.choice('- ')}{rng.choice(self.names).family}"
        return PersonName(family, given, suffix)

    def phrase(self, rng: Random, least: int, most: int) -> str:
        """Return some words of a sentence or a title in their order, without what marks stand round them."""
        for _ in range(20):
            sentence = rng.choice(self.sentences) if self.sentences and rng.random() < 0.7 else ""
            words = (sentence or rng.choice(self.works).title).split()
            count = min(len(words), rng.randint(least, most))
            start = rng.randrange(len(words) - count + 1)
            part = words[start : start + count]
            while len(part) > 1 and part[-1].lower().strip(".,;:") in _SMALL:
                part.pop()
            text = re.sub(r"[.;!?] ", ", ", _ENDS.sub("", " ".join(part)))
            if sum(c.isalpha() for c in text) >= 4 and text.count("(") == text.count(")") and '"' not in text:
                return text
        return rng.choice(self.works).title

    def title(self, rng: Random) -> str:
        """Return a title: a record's, or a phrase; at times with a subtitle, a part, a bracket, years or quotes."""
        title = rng.choice(self.works).title if rng.random() < 0.45 else self.phrase(rng, 2, 13)
        bare, form = title.rstrip("?.!"), rng.random()
        if form < 0.26 and ":" not in title:
            head = self.phrase(rng, 1, 3) if rng.random() < 0.45 else bare
            subtitle = self.phrase(rng, 2, 9)
            title = head + rng.choice(_BETWEEN) + subtitle[:1].upper() + subtitle[1:]
        elif form < 0.4:
            shapes = (
                bare + rng.choice((" I", " II", ". II", ", Part 2", " (Part I)", ", vol. 1", "?")),
                f"{bare} ({self.phrase(rng, 1, 4)})",
                f"{bare}, {rng.randint(1900, 1990)}{rng.choice('-–')}{rng.randint(1991, 2022)}",
                rng.choice(("“{}” ", '"{}" ', "‘{}’ ")).format(self.phrase(rng, 1, 4)) + title,
                f"{rng.choice(('The', 'Report on', 'Handbook of'))} {title} in the {rng.choice(('U.S.', 'U.K.'))}",
            )
            title = rng.choice(shapes)
        title = title.rstrip(" .,;:")[:240]
        form = rng.random()
        title = in_capitals(title) if form < 0.3 else title[:1].upper() + title[1:] if form < 0.96 else title
        return title.upper() if rng.random() < 0.01 else title

    def group(self, rng: Random) -> str:
        """Return the name of a group that writes: a body, an authority, a company."""
        return self._named(_GROUPS, rng)

    def journal(self, rng: Random) -> str:
        """Return the name of a journal, a record's or a made-up one."""
        own = rng.choice(self.works)
        real = own.kind == "article" and own.venue and rng.random() < 0.3
        return _in_print(own.venue if real else self._named(_JOURNALS, rng), rng)

    def _named(self, patterns: Sequence[str], rng: Random, year: str = "") -> str:
        field = re.sub(r"[^\w\s&-]", "", in_capitals(self.phrase(rng, 1, 2)))
        return rng.choice(patterns).format(field, n=rng.choice(_ORDINALS), y=year)


def in_capitals(text: str) -> str:
    """Return a text whose words begin with capitals, but for the small ones."""
    words = text.split(" ")
    return " ".join(w if n and w.lower() in _SMALL else w[:1].upper() + w[1:] for n, w in enumerate(words))


def shortened(venue: str, rng: Random) -> str:
    """Return the name of a venue with its long words cut short: "J. Harb. Res."."""
    stop = "." if rng.random() < 0.75 else ""
    words = [word for word in venue.split() if word.lower() not in _SMALL]
    cut = rng.choice((3, 4, 5, 6))
    return " ".join(f"{word[:cut]}{stop}" if len(word) > cut + 2 and word.isalpha() else word for word in words)


def _in_print(venue: str, rng: Random) -> str:
    """Return a venue as bibliographies often have it: in small letters, or with its words cut short."""
    form = rng.random()
    return venue[:1] + venue[1:].lower() if form < 0.1 else shortened(venue, rng) if form < 0.35 else venue


def _pages(rng: Random) -> str:
    """Return pages, or the number of an article."""
    start = rng.randrange(1, 3000)
    return f"{start}–{start + rng.randrange(1, 40)}" if rng.random() < 0.85 else f"e{rng.randrange(1000, 99999)}"

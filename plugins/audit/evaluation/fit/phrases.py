"""Phrases: titles, groups and journals made of words of a running text, so that no one field's words are learnt."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from plugins.audit.evaluation.fit.titles import WORDS, made_up

_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_STRANGE = re.compile(r"[|{}<>\[\]\\=_*#@~^]|http|www")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_SMALL = frozenset((
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "via",
    "with", "over", "under", "vs", "is", "are",
))  # fmt: skip
_BETWEEN = (": ",) * 6 + (" : ", "? ", "? ", " – ", " - ", "—", " — ", ". ", "; ", "! ", ": II. ", " - III - ", ". I. ")
"""What stands between a title and its subtitle."""
_STOPPED = ("U.S.", "U.K.", "St.", "Dr.", "vs.", "No. 3", "4.1", "E. coli", "C. elegans", "D.C.")
"""Words whose stop ends no title."""
_WHO = (
    "National", "International", "European", "Federal", "State", "Royal", "American", "World", "Central", "U.S.",
    "United Nations", "Canadian", "German", "Regional", "Joint", "Global", "British", "New York", "Nordic",
)  # fmt: skip
_BODY = (
    "Institute", "Agency", "Department", "Ministry", "Office", "Commission", "Association", "Society", "Council",
    "Centre", "Bureau", "Board", "Foundation", "Committee", "Task Force", "Organization", "Administration", "Academy",
    "Service", "Authority", "Team", "Programme", "Consortium", "Company", "Laboratory",
)  # fmt: skip
_OF = (
    "Health", "Energy", "Education", "Agriculture", "Statistics", "Standards and Technology", "Water", "Labor",
    "Justice", "Economic Cooperation and Development", "Public Health", "Climate Change", "Research", "Science",
    "Engineering, and Medicine", "Trade and Industry", "Cancer", "Housing", "Finance", "Mental Health",
)  # fmt: skip
_SHORT = (
    "WHO", "OECD", "OpenAI", "NASA", "EPA", "ISO", "UNESCO", "FAO", "CDC", "Google", "Meta AI", "Anthropic", "IBM",
    "Microsoft", "R Core Team", "Eurostat", "AT&T", "Johnson & Johnson", "Procter & Gamble", "BBC News", "Reuters",
    "DeepSeek-AI", "NVIDIA", "Red Cross",
)  # fmt: skip
_GROUPS = (
    "{w} {b} of {o}", "{w} {o} {b}", "{b} of {o}", "{o} {b}", "{w} {b} on {o} and {p}",
    "{w} {b} for the Prevention of {o}", "{t} {b}",
)  # fmt: skip
_JOURNALS = (
    "Journal of {}", "{}", "International Journal of {}", "{} Letters", "{} Research", "Annals of {}", "{} Review",
    "Advances in {}", "The {} Journal", "American Journal of {}", "British {} Bulletin", "{} Reports",
    "Archives of {}", "{} Today", "Journal of {} and Practice", "{} Quarterly", "Clinical {}", "Acta {}",
    "European {}", "Trends in {}", "{} and Society", "Applied {}",
)  # fmt: skip


class Phrases:
    """The sentences of a text, to cut phrases from; `questions` of it may be titles as they are."""

    def __init__(self, text: Path | None) -> None:
        found = _SENTENCE.split(text.read_text(encoding="utf-8")) if text else []
        split = [sentence.split() for sentence in found if not _STRANGE.search(sentence)]
        self._sentences = [words for words in split if 6 <= len(words) <= 60]
        self._questions = [s for s in map(" ".join, split) if s.endswith("?") and len(s) < 140]

    def cut(self, rng: Random, least: int = 2, most: int = 13) -> str:
        """Return some words of a sentence in their order, without what marks stand round them."""
        for _ in range(20):
            words = rng.choice(self._sentences) if self._sentences else made_up(rng).split()
            count = min(len(words), rng.randint(least, most))
            start = rng.randrange(len(words) - count + 1)
            part = words[start : start + count]
            while len(part) > 1 and part[-1].lower().strip(".,;:") in _SMALL:
                part.pop()
            text = re.sub(r"[.;!?] ", ", ", _ENDS.sub("", " ".join(part)))
            if sum(c.isalpha() for c in text) >= 4 and text.count("(") == text.count(")") and '"' not in text:
                return text
        return made_up(rng)

    def title(self, own: str, rng: Random) -> str:
        """Return a title: the record's `own`, a made-up one, a question or a phrase, at times with a subtitle."""
        kind = rng.random()
        if kind < 0.38:
            title = own
        elif kind < 0.55:
            title = made_up(rng)
        elif kind < 0.62 and self._questions:
            title = rng.choice(self._questions)
        else:
            title = self.cut(rng)
        title = self._decorated(title, rng)
        if rng.random() < 0.035:
            words = title.split()
            words.insert(rng.randrange(len(words)), rng.choice(_STOPPED))
            title = " ".join(words)
        title = title.rstrip(" .,;:")[:240]
        form = rng.random()
        if len(title) < 3:
            return made_up(rng)
        title = in_capitals(title) if form < 0.3 else title[:1].upper() + title[1:] if form < 0.96 else title
        return title.upper() if rng.random() < 0.01 else title

    def _decorated(self, title: str, rng: Random) -> str:
        """Return a title with a subtitle, a part, a bracket, years, quotes or a list, or as it was."""
        bare, form = title.rstrip("?.!"), rng.random()
        if form < 0.26 and ":" not in title:
            short = (rng.choice(WORDS["s"]), self.cut(rng, 1, 1), self.cut(rng, 1, 2), self.cut(rng, 2, 3))
            head = rng.choice(short) if rng.random() < 0.45 else bare
            subtitle = self.cut(rng, 2, 9)
            return head + rng.choice(_BETWEEN) + subtitle[:1].upper() + subtitle[1:]
        if form > 0.4:
            return title
        decorations = (
            bare + rng.choice((" I", " II", ". II", ", Part 2", " (Part I)", ", vol. 1")),
            f"{bare} ({self.cut(rng, 1, 4)})",
            f"{bare}, {rng.randint(1900, 1990)}{rng.choice('-–')}{rng.randint(1991, 2022)}",
            rng.choice(("“{}” ", '"{}" ', "‘{}’ ")).format(self.cut(rng, 1, 4)) + title,
            f"{bare}, {self.cut(rng, 1, 4)}, and {self.cut(rng, 1, 4)}",
            rng.choice(("The ", "Report on ", "Guide to ", "Handbook of ", "Annual Report: ")) + title,
            f"{bare}?",
        )
        return rng.choice(decorations)

    def group(self, rng: Random) -> str:
        """Return the name of a group that writes: a body, an authority, a company."""
        if rng.random() < 0.3:
            return rng.choice(_SHORT)
        filled = rng.choice(_GROUPS).format(
            w=rng.choice(_WHO),
            b=rng.choice(_BODY),
            o=rng.choice(_OF),
            p=rng.choice(_OF),
            t=in_capitals(self.cut(rng, 1, 3)),
        )
        name = filled if filled.startswith("U.S.") else re.sub(r"[.,;:?!]", "", filled)
        short = "".join(word[0] for word in name.split() if word[0].isupper())
        return f"{name} ({short})" if rng.random() < 0.12 else name

    def journal(self, rng: Random) -> str:
        """Return the name of a journal."""
        field = in_capitals(self.cut(rng, 1, 2)) if rng.random() < 0.5 else rng.choice(_OF)
        return rng.choice(_JOURNALS).format(re.sub(r"[^\w\s&-]", "", field))


def in_capitals(text: str) -> str:
    """Return a text whose words begin with capitals, but for the small ones."""
    words = text.split(" ")
    return " ".join(w if n and w.lower() in _SMALL else w[:1].upper() + w[1:] for n, w in enumerate(words))


def shortened(venue: str, rng: Random) -> str:
    """Return the name of a venue with its long words cut short: "J. Harb. Res."."""
    stop = "." if rng.random() < 0.75 else ""
    words = [word for word in venue.split() if word.lower() not in ("of", "the", "and", "in", "on", "for")]
    return " ".join(_cut_short(word, stop, rng) for word in words)


def _cut_short(word: str, stop: str, rng: Random) -> str:
    """Return the beginning of a long word with its stop: at times one that could be a word of its own."""
    if word == "Journal":
        return f"J{stop}"
    if len(word) <= 6 or not word.isalpha():
        return word
    return f"{word[: rng.choice((3, 4, 5, 6, len(word) - 2))]}{stop}"

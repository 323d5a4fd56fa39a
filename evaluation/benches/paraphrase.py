"""Sentences -> the same in other words, by rules that keep the meaning: numbers, order of clauses, voice, synonyms.

The synonyms are those of everyday editing, not a copy of the verifier's own: some are unknown to it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from indexing.language import SCALES, lexicon_values

_NUMBERS = {str(value): word for word, value in lexicon_values("numbers", "en").items() if 2 <= value <= 12}
_SYNONYMS = {
    "increased": "rose", "decreased": "fell", "declined": "dropped", "rose": "climbed", "fell": "declined",
    "purchase": "buy", "purchased": "bought", "shows": "depicts", "show": "illustrate", "use": "employ",
    "used": "employed", "uses": "employs", "approximately": "about", "about": "approximately", "begins": "starts",
    "began": "started", "built": "constructed", "needs": "requires", "required": "needed", "requires": "needs",
    "largest": "biggest", "majority": "bulk", "children": "kids", "obtain": "get", "provide": "give",
    "provides": "gives", "ensure": "make sure", "additional": "extra", "select": "choose", "remove": "take away",
    "press": "push", "contains": "holds", "consists": "is made up", "primarily": "mainly", "mainly": "chiefly",
    "however": "yet", "achieve": "reach", "achieves": "reaches", "significantly": "considerably", "often": "frequently",
    "important": "significant", "difficult": "hard", "located": "situated", "due to": "because of", "people": "persons",
    "whole": "entire", "sufficient": "enough", "via": "through", "prior to": "before", "in order to": "to",
}  # fmt: skip
_MONTHS = "|".join(month.title() for month in lexicon_values("months", "en"))

Rule = Callable[[str], str]


def paraphrases(sentence: str, chance: random.Random, count: int) -> list[str]:
    """Return up to `count` rewordings, each by one to three rules that changed something."""
    able = [rule for rule in RULES if rule(sentence) != sentence]
    made: list[str] = []
    for _ in range(3 * count if able else 0):
        reworded = sentence
        for rule in chance.sample(able, min(len(able), chance.randint(1, 3))):
            reworded = rule(reworded)
        if reworded != sentence and reworded not in made:
            made.append(reworded)
    return made[:count]


def percent(sentence: str) -> str:
    """Swap "12 %" and "12 percent"."""
    if "%" in sentence:
        return re.sub(r"(\d)\s?%", r"\1 percent", sentence)
    return re.sub(r"(\d)\s(?:per cent|percent)\b", r"\1%", sentence)


def digits(sentence: str) -> str:
    """Swap "1,236" and "1236", "1.2 million" and "1,200,000"."""
    scaled = re.search(r"(?<!\d)(\d+(?:\.\d+)?) (thousand|million|billion)\b", sentence)
    if scaled:
        value = f"{round(float(scaled[1]) * SCALES[scaled[2]]):,}"
        return sentence[: scaled.start()] + value + sentence[scaled.end() :]
    return re.sub(r"(?<![\d.,])(\d{1,3}),(\d{3})(?![\d,.]\d)", r"\1\2", sentence)


def spelled(sentence: str) -> str:
    """Swap "5 boats" and "five boats"; never a number with a unit sign, a decimal or a label before it."""
    words = {word: number for number, word in _NUMBERS.items()}
    spelt = re.sub(
        r"(?<=[a-z] )(?<!page )(?<!Table )(?<!Figure )(?<!Step )([2-9]|1[0-2])(?= [a-z]{3,})",
        lambda m: _NUMBERS[m[1]],
        sentence,
    )
    if spelt != sentence:
        return spelt
    return re.sub(rf"(?<=[a-z] )({'|'.join(words)})(?= [a-z]{{3,}})", lambda m: words[m[1]], sentence)


def dates(sentence: str) -> str:
    """Swap "31 December 2024" and "December 31, 2024"."""
    turned = re.sub(rf"\b(\d{{1,2}}) ({_MONTHS}) (\d{{4}})\b", r"\2 \1, \3", sentence)
    return turned if turned != sentence else re.sub(rf"\b({_MONTHS}) (\d{{1,2}}), (\d{{4}})", r"\2 \1 \3", sentence)


def quarters(sentence: str) -> str:
    """Turn "Q1 2021" into "the first quarter of 2021"."""
    names = dict(zip("1234", ["first", "second", "third", "fourth"], strict=True))
    return re.sub(r"\bQ([1-4]) (\d{4})\b", lambda m: f"the {names[m[1]]} quarter of {m[2]}", sentence)


def order(sentence: str) -> str:
    """Swap "In 2024, boats ran" and "Boats ran in 2024"."""
    front = re.fullmatch(r"((?:In|By|Since|During|At|After|Before|Until|On) [^,.;:]{3,60}), ([^;:]+[^.;:])\.", sentence)
    if front:
        head, rest = front[1], front[2]
        return f"{rest[0].upper()}{rest[1:]} {head[0].lower()}{head[1:]}."
    back = re.fullmatch(r"([A-Z][^,;:]{20,}) ((?:in|since|until|during) (?:[A-Z][a-z]+ )?\d{4})\.", sentence)
    if not back:
        return sentence
    start = back[1] if re.match(r"[A-Z][A-Z]|[A-Z]\w* [A-Z]", back[1]) else _lowered(back[1])
    return f"{back[2][0].upper()}{back[2][1:]}, {start}."


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first in ("The", "A", "An", "This", "These", "It", "We", "Our") else text


def synonyms(sentence: str) -> str:
    """Replace every word of the list by its synonym."""
    pattern = rf"\b({'|'.join(_SYNONYMS)})\b"
    return re.sub(pattern, lambda m: _SYNONYMS[m[1]], sentence)


def shorter(sentence: str) -> str:
    """Leave out text in brackets, an opening adverb, or a relative clause at the end."""
    cut = re.sub(r"\s?\([^()]{3,60}\)", "", sentence)
    cut = re.sub(r"^(?:However|Moreover|Furthermore|In addition|Additionally|Also|Finally|Overall), ([a-zA-Z])",
                 lambda m: m[1].upper(), cut)  # fmt: skip
    return re.sub(r"^([^,]{30,}), (?:which|where|while) [^,]{10,}\.$", r"\1.", cut)


def voice(sentence: str) -> str:
    """Turn "The boat was designed by Holm" into "Holm designed the boat"."""
    match = re.fullmatch(
        r"((?:The|This|Our|Its) [a-z ]{3,30}) (?:was|were) ([a-z]{3,}ed) by (the [a-z]+|[A-Z]\w+(?: [A-Z]\w+)*)"
        r"((?: (?:in|on|at) [^,;]+)?)\.",
        sentence,
    )
    if not match:
        return sentence
    doer = match[3][0].upper() + match[3][1:]
    return f"{doer} {match[2]} {match[1][0].lower()}{match[1][1:]}{match[4]}."


def framed(sentence: str) -> str:
    """Add a frame: "According to the document, the boat was late"."""
    first = sentence.split(" ", 1)[0]
    if first not in ("The", "A", "An", "This", "These", "It", "There", "All", "Most", "Some"):
        return sentence
    return f"According to the document, {sentence[0].lower()}{sentence[1:]}"


def condensed(sentence: str) -> str:
    """Leave out adverbs and the last phrase that a preposition begins: less is said, and nothing else."""
    if re.search(r"\b(?:not|no|never|without|only|if|unless|except|nor)\b|n[’']t\b", sentence):
        return sentence
    cut = re.sub(r"\b(?:very|quite|also|mainly|typically|generally|usually|currently|highly|really) ", "", sentence)
    shorter_yet = re.sub(r"^(.{40,}?) (?:in|on|for|with|at|during|through) [^,;:]{8,60}\.$", r"\1.", cut)
    return shorter_yet if len(shorter_yet.split()) >= 7 else cut


RULES: tuple[Rule, ...] = (
    percent,
    digits,
    spelled,
    dates,
    quarters,
    order,
    synonyms,
    shorter,
    voice,
    framed,
    condensed,
)

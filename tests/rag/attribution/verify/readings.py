"""What is found of 150 sentences, true and false, on 82 elements, as it was written down in `readings.json`.

Every rule of checking shows in some of them, and so does every change of a rule, wanted or not. Where it was wanted,
`python -m tests.rag.attribution.verify.readings` writes the file anew; its diff then says what the change does. Numbers
stand there with three decimals; places are what stands at them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from indexing import Element
from rag.attribution.verify.verify import reading_of, verify
from tests.support import fakes

FILE = Path(__file__).with_name("readings.json")


def written() -> list[dict[str, Any]]:
    """Elements (`kind`, `section`, `caption`, `text`), each with its sentences and what was found of them."""
    read: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def element_of(piece: dict[str, Any]) -> Element:
    """The element that sentences are held against."""
    made = fakes.element(piece["text"], kind=piece["kind"])
    return replace(made, section=tuple(piece["section"]), caption=piece["caption"])


def found(sentence: str, element: Element) -> dict[str, Any]:
    """The verdict on a sentence, and the reading behind it where there is one."""
    check, reading = verify(sentence, element), reading_of(sentence, element)
    told: dict[str, Any] = {
        "sentence": sentence,
        "verdict": check.verdict,
        "score": round(check.score, 3),
        "reason": check.reason,
        "proof": _pieces(element, check.spans),
    }
    if reading is not None:
        told |= {
            "coverage": [round(reading.coverage, 3), round(reading.words, 3)],
            "objections": list(reading.objections),
            "doubts": list(reading.doubts),
            "missing": list(reading.missing),
            "passage": _pieces(element, [reading.passage])[0],
        }
    return told


def _pieces(element: Element, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Each place as its offset and what stands there."""
    return [f"{start}: {_short(element.text[start:end])}" for start, end in spans]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:28]} ... {text[-28:]}"


def main() -> None:
    """Write the file anew, of the same sentences."""
    anew = [
        piece | {"said": [found(told["sentence"], element_of(piece)) for told in piece["said"]]} for piece in written()
    ]
    FILE.write_text(_lines(anew), encoding="utf-8")


def _lines(pieces: list[dict[str, Any]]) -> str:
    """A line a field, so that a diff shows the one that changed."""
    plain = [[f"  {_json(name)}: {_json(piece[name])}," for name in piece if name != "said"] for piece in pieces]
    said = [
        ",\n".join(
            "   {" + ",\n    ".join(f"{_json(k)}: {_json(v)}" for k, v in told.items()) + "}" for told in piece["said"]
        )
        for piece in pieces
    ]
    each = (f' {{\n{chr(10).join(own)}\n  "said": [\n{told}\n  ]\n }}' for own, told in zip(plain, said, strict=True))
    return "[\n" + ",\n".join(each) + "\n]\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()

"""Prompts: one Markdown file each in `rag/prompts/` or the folder `prompts` of a plugin.

It loads only if the declared, used and given variables agree.

A file opens with YAML between two lines `---` that lists its `variables`; in its text a variable is `{{name}}`.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from importlib import resources

import yaml

from indexing import Element
from rag.errors import PromptDamaged
from rag.yaml_errors import fault_of, read_yaml

_FRONT = re.compile(r"\A---\n(?P<front>.*?)^---\n(?P<text>.*)\Z", re.DOTALL | re.MULTILINE)
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_NAME = re.compile(r"[a-z][a-z_]*")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its variables; `version` is eight hex digits of its text, under which its results are kept."""

    name: str
    text: str
    variables: frozenset[str]

    @property
    def version(self) -> str:
        """The version, which changes whenever the text does."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def fill(self, **values: str | int) -> str:
        """Return the text with all variables replaced, in one pass: values are not searched for variables.

        Raises PromptDamaged unless exactly the declared variables are given.
        """
        _check_equal(self.name, "declares", self.variables, "is given", frozenset(values))
        return _VARIABLE.sub(lambda match: str(values[match[1]]), self.text)


def load_prompt(name: str, *variables: str) -> Prompt:
    """Load the prompt `rag/prompts/<name>.md`; `variables` are the variables that the caller will fill.

    A prompt of a plugin is named `<package of the plugin>:<name>`.
    Raises PromptDamaged when the file is missing, or when the variables it declares, uses and is given differ.
    """
    package, _, own = name.rpartition(":")
    path = f"{(package or 'rag').replace('.', '/')}/prompts/{own}.md"
    file = resources.files(package or "rag").joinpath("prompts", f"{own}.md")
    if not file.is_file():
        raise PromptDamaged(f"prompt {name}: there is no {path}: install Vouch again")
    prompt = read_prompt(name, file.read_text(encoding="utf-8"))
    _check_equal(name, "declares", prompt.variables, "will be given", frozenset(variables))
    return prompt


def read_prompt(name: str, source: str) -> Prompt:
    """Return the prompt in the text of a prompt file. Raises PromptDamaged if its header or variables are wrong."""
    parts = _FRONT.match(source)
    if parts is None:
        raise PromptDamaged(f"prompt {name}: it must begin with its variables between two lines of three dashes")
    variables = _read_variables(name, parts["front"])
    text = parts["text"].strip()
    used_names = frozenset(_VARIABLE.findall(text))
    _check_equal(name, "declares", variables, "uses", used_names)
    if not text:
        raise PromptDamaged(f"prompt {name}: it is empty: write below its header what the model is to do")
    return Prompt(name, text, variables)


def _read_variables(name: str, front: str) -> frozenset[str]:
    """Return the variables in the YAML header of a prompt. Raises PromptDamaged for any other header."""
    try:
        values = read_yaml(front)
    except yaml.YAMLError as error:
        raise PromptDamaged(f"prompt {name}: its header is not YAML ({fault_of(error)}): correct it there") from None
    names = values.get("variables") if isinstance(values, dict) and len(values) == 1 else None
    if not isinstance(names, list) or not all(isinstance(v, str) and _NAME.fullmatch(v) for v in names):
        raise PromptDamaged(f"prompt {name}: its header must be `variables:` and a list of names, and nothing else")
    return frozenset(names)


def _check_equal(name: str, one: str, first: frozenset[str], other: str, second: frozenset[str]) -> None:
    """Raise PromptDamaged unless two sets of variables are equal; `one` and `other` are the verbs of the message."""
    if first != second:
        texts = [", ".join(sorted(names)) or "none" for names in (first, second)]
        raise PromptDamaged(f"prompt {name}: {one} the variables {texts[0]}, but {other} {texts[1]}: make them agree")


QUOTED = "| "
"""The opening of every line that is quoted from a document."""
_MARKER = re.compile(r"\[(?=\s*E\s*\d)", re.IGNORECASE)
_TURN = re.compile(r"<(?=[|/!\uff5cA-Za-z_])|\[(?=/?\w*[A-Z]{2}\w*\])")
"""The openings of `<|im_end|>`, `</s>`, `<start_of_turn>`, `<image>`, `[/INST]`, the tokens of chat templates."""
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_JOINERS = frozenset("\u200c\u200d")
"""The zero-width characters that Persian, Hindi and emoji need."""


def fence(text: str) -> str:
    """Return the text with each line quoted, without blank lines; empty if it has no visible characters."""
    lines = (in_line(line) for line in text.splitlines())
    return "\n".join(f"{QUOTED}{line}" for line in lines if line)


def in_line(text: str) -> str:
    """Return the text on one line, with evidence markers and chat template tokens broken up."""
    return _TURN.sub(_apart, _MARKER.sub("(", visible(text)))


def context_line(element: Element) -> str:
    """Return the headings and the caption of an element on one line; `nothing` if it has none."""
    return in_line(" / ".join(p for p in (*element.section[-2:], element.caption) if p)) or "nothing"


def visible(text: str) -> str:
    """Return the text on one line, with white space collapsed and control, direction and tag characters removed."""
    chars = (" " if c.isspace() else c for c in text if c.isspace() or not _is_invisible(c))
    return " ".join("".join(chars).split())


def _apart(match: re.Match[str]) -> str:
    return match[0] + " "


def _is_invisible(char: str) -> bool:
    return char not in _JOINERS and unicodedata.category(char) in _INVISIBLE

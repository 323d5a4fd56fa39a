"""Prompts: one Markdown file each in `rag/prompts/` or the folder `prompts` of a plugin.

It loads only if the declared, used and given variables agree.

A file opens with YAML between two lines `---` that lists its `variables`; in its text a variable is `{{name}}`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources

import yaml

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

    def filled(self, **values: str | int) -> str:
        """Return the text with all variables replaced, in one pass: values are not searched for variables.

        Raises PromptDamaged unless exactly the declared variables are given.
        """
        _same(self.name, "declares", self.variables, "is given", frozenset(values))
        return _VARIABLE.sub(lambda match: str(values[match[1]]), self.text)


def load_prompt(name: str, *given: str) -> Prompt:
    """Load the prompt `rag/prompts/<name>.md`; `given` are the variables that the caller will fill.

    A prompt of a plugin is named `<package of the plugin>:<name>`.
    Raises PromptDamaged when the file is missing, or when the variables it declares, uses and is given differ.
    """
    package, _, own = name.rpartition(":")
    path = f"{(package or 'rag').replace('.', '/')}/prompts/{own}.md"
    file = resources.files(package or "rag").joinpath("prompts", f"{own}.md")
    if not file.is_file():
        raise PromptDamaged(f"prompt {name}: there is no {path}: install Vouch again")
    prompt = read_prompt(name, file.read_text(encoding="utf-8"))
    _same(name, "declares", prompt.variables, "will be given", frozenset(given))
    return prompt


def read_prompt(name: str, source: str) -> Prompt:
    """Parse the text of a prompt file. Raises PromptDamaged, which says what is wrong."""
    parts = _FRONT.match(source)
    if parts is None:
        raise PromptDamaged(f"prompt {name}: it must begin with its variables between two lines of three dashes")
    variables = _read_variables(name, parts["front"])
    text = parts["text"].strip()
    used_names = frozenset(_VARIABLE.findall(text))
    _same(name, "declares", variables, "uses", used_names)
    if not text:
        raise PromptDamaged(f"prompt {name}: it is empty: write below its header what the model is to do")
    return Prompt(name, text, variables)


def _read_variables(name: str, front: str) -> frozenset[str]:
    try:
        values = read_yaml(front)
    except yaml.YAMLError as error:
        raise PromptDamaged(f"prompt {name}: its header is not YAML ({fault_of(error)}): correct it there") from None
    names = values.get("variables") if isinstance(values, dict) and len(values) == 1 else None
    if not isinstance(names, list) or not all(isinstance(v, str) and _NAME.fullmatch(v) for v in names):
        raise PromptDamaged(f"prompt {name}: its header must be `variables:` and a list of names, and nothing else")
    return frozenset(names)


def _same(name: str, one: str, first: frozenset[str], other: str, second: frozenset[str]) -> None:
    if first != second:
        texts = [", ".join(sorted(names)) or "none" for names in (first, second)]
        raise PromptDamaged(f"prompt {name}: {one} the variables {texts[0]}, but {other} {texts[1]}: make them agree")

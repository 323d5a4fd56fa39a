"""RagSettings and profiles: every setting of answering, documented where it is defined."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from configs import did_you_mean
from indexing import IndexingSettings, SearchSettings
from rag.errors import ProfileError
from rag.llm import ModelSettings
from rag.yaml_errors import fault_of, read_yaml

MOST_QUERIES, MOST_PASSAGES = 20, 100
"""The most queries and passages that a profile, or a question, may ask for."""


class WritingSettings(BaseModel):
    """The settings of a model that writes an answer, and of its input. The defaults fit a reply of 1,536 tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentences: int = Field(6, ge=1, le=20, description="the most sentences that it may write")
    sentence_chars: int = Field(300, ge=40, le=2000, description="the most characters that a sentence may have")
    sources: int = Field(4, ge=1, le=10, description="the most pieces of evidence that a sentence may name")
    facts: int = Field(6, ge=1, le=20, description="the most facts that method cot notes before it answers")
    pictures: Literal["crops", "pages"] = Field(
        "crops",
        description="the pictures that the model sees in the modes image and multi. crops: each element is cut out of "
        "its page, and the text before it gives its label. pages: each page is shown once, whole, with the labels "
        "drawn beside the elements",
    )
    pictured: Literal["drawn", "all"] = Field(
        "drawn",
        description="the elements of which mode multi shows a picture beside their text. drawn: those that say more "
        "than their text (figures, tables, formulas, groups, and all that OCR recognised). all: plain paragraphs too, "
        "which takes more room",
    )
    picture_side: int = Field(1024, ge=64, le=4096, description="the longer side that a picture may have, in pixels")
    candidates: int = Field(3, ge=1, le=32, description="the number of pages that method visa shows, best first")
    page_width: int = Field(
        1275, ge=256, le=4096, description="the width, in pixels, at which pages are drawn before elements are cut out"
    )


class RagSettings(BaseModel):
    """The settings of answering a question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["auto", "text", "image", "multi"] = Field(
        "auto", description="the mode of search; auto means multi where the collection has a visual embedder, else text"
    )
    queries: int = Field(
        4,
        ge=1,
        le=MOST_QUERIES,
        description="the most queries made of a question: the question itself, what the glossary adds, its parts and "
        "its key phrases",
    )
    glossary: str = Field("", description="the path of your own glossary; empty for the one in configs/")
    search: SearchSettings = Field(
        default_factory=SearchSettings, description="the settings of ranking (keys: indexing/settings.py)"
    )
    model: ModelSettings | None = Field(
        None, description="the model that writes answers (keys: rag/llm/settings.py); null if you have none"
    )
    method: Literal["quote", "vanilla", "cot", "visa"] = Field(
        "quote",
        description="the method of answering. quote: the documents' own words. vanilla: the model answers at once. "
        "cot: the model answers in three steps (find, extract, answer). visa: the model looks at whole pages and "
        "draws a box",
    )
    extract: bool = Field(
        False,
        description="if true, the model first takes notes of each element, once, and reads them when it answers; the "
        "notes are kept",
    )
    planner: Literal["rules", "model"] = Field(
        "rules",
        description="the planner of queries. rules: the parts of the question and the glossary give them. model: the "
        "model makes them from the question and its image; if it fails, the rules do",
    )
    judge: Literal["rules", "model"] = Field(
        "model",
        description="the judge of what strict checking leaves open in written answers. rules: words and numbers "
        "decide. model: the model decides, and looks at figures too",
    )
    writing: WritingSettings = Field(
        default_factory=WritingSettings, description="the limits of what the model writes, and of what it is shown"
    )
    top_k: int = Field(12, ge=1, le=MOST_PASSAGES, description="the number of elements that are retrieved as evidence")
    max_sentences: int = Field(3, ge=1, le=20, description="the most sentences that are quoted in an answer")
    min_confidence: float = Field(
        0.24, ge=0, le=1, description="the least calibrated probability that a quote answers; Vouch abstains below it"
    )
    sentence_margin: float = Field(
        0.1, ge=0, le=1, description="a further sentence is quoted if its confidence is this close to the best one's"
    )
    localizer: Literal["element", "patch", "model"] = Field(
        "element",
        description="the localizer, which boxes a proof on its page. element: the lines and cells that say it. patch: "
        "the regions whose pixels are most like the sentence. model: the vision model's own box, moved to its element",
    )
    print_check: bool = Field(
        True,
        description="if true, the words that are cited are compared with what their pages show, read by OCR: where the "
        "two differ the sentence is not supported",
    )
    max_question_chars: int = Field(2000, ge=1, description="the most characters that a question may have")

    @property
    def hash(self) -> str:
        """The twelve hex digits that stand for these settings."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:12]


class Profile(BaseModel):
    """The settings of both stages, as one YAML file holds them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    indexing: IndexingSettings = Field(default_factory=IndexingSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
    ui: dict[str, Any] = Field(
        default_factory=dict,
        description="the limits of the page of `vouch serve`; nothing else reads them (ui/settings.py)",
    )


def shipped_profiles() -> list[str]:
    """Return the names of the profiles in `configs/`, which also holds a glossary."""
    files = (f.name for f in resources.files("configs").iterdir() if f.name.endswith(".yaml"))
    return sorted(name.removesuffix(".yaml") for name in files if name != "glossary.yaml")


def load_profile(name_or_path: str = "default") -> Profile:
    """Load a profile that ships in `configs/`, by name, or one of your own, by path. Raises ProfileError."""
    shipped = resources.files("configs").joinpath(f"{name_or_path}.yaml")
    own = Path(name_or_path)
    try:
        if own.suffix in (".yaml", ".yml"):
            text = own.read_text(encoding="utf-8")
        elif shipped.is_file():
            text = shipped.read_text(encoding="utf-8")
        else:
            known = shipped_profiles()
            raise ProfileError(
                f"no profile {name_or_path!r} (there are: {', '.join(known)}): give the path of a .yaml file of your "
                f"own{did_you_mean(name_or_path, known, lead=', or ')}"
            )
        values = read_yaml(text) or {}
        return Profile.model_validate(values)
    except OSError as error:
        raise ProfileError(f"{name_or_path}: cannot be read ({error.strerror}): check the path") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{name_or_path}: is not text in UTF-8: save it as such") from None
    except yaml.YAMLError as error:
        raise ProfileError(f"{name_or_path}: is not YAML ({fault_of(error)}): correct it there") from None
    except ValidationError as error:
        raise ProfileError(f"{name_or_path}: {'; '.join(_explained(e) for e in error.errors())}") from None


def _explained(error: Any) -> str:
    """Say one problem of a profile in words; for an unknown key name the nearest known one."""
    where = ".".join(map(str, error["loc"])) or "the profile"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg'].removeprefix('Value error, ')}"
    parts: dict[str, type[BaseModel]] = {
        "indexing": IndexingSettings,
        "rag": RagSettings,
        "search": SearchSettings,
        "model": ModelSettings,
        "writing": WritingSettings,
    }
    model = parts.get(str(error["loc"][-2]), Profile) if len(error["loc"]) > 1 else Profile
    return f"{where}: no such key{did_you_mean(str(error['loc'][-1]), model.model_fields, alike=0.3)}"

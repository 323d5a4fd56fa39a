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
from rag.yaml_errors import fault_of


class WritingSettings(BaseModel):
    """The settings of a model that writes an answer, and of its input. The defaults fit a reply of 1,536 tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentences: int = Field(6, ge=1, le=20, description="most sentences that it may write")
    sentence_chars: int = Field(300, ge=40, le=2000, description="most characters of a sentence")
    sources: int = Field(4, ge=1, le=10, description="most pieces of evidence that a sentence may name")
    facts: int = Field(6, ge=1, le=20, description="most facts that method cot takes down before it answers")
    pictures: Literal["crops", "pages"] = Field(
        "crops",
        description="what it is shown in the modes image and multi: each element cut out of its page, its label in the "
        "text before it; or pages whole, once each, with the labels drawn beside the elements",
    )
    pictured: Literal["drawn", "all"] = Field(
        "drawn",
        description="what mode multi cuts out beside its text: drawn, what says more than its text (figures, tables, "
        "formulas, groups, and all that was recognised by OCR); or all, plain paragraphs too, which takes more room",
    )
    picture_side: int = Field(1024, ge=64, le=4096, description="longer side of a picture at most, in pixels")
    candidates: int = Field(
        3, ge=1, le=32, description="pages that method visa shows, the best first; 1: that one alone"
    )
    page_width: int = Field(
        1275, ge=256, le=4096, description="width in pixels at which pages are drawn before elements are cut out"
    )


class RagSettings(BaseModel):
    """The settings of answering a question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["auto", "text", "image", "multi"] = Field(
        "auto", description="the mode of search; auto: multi where the collection has a visual embedder, else text"
    )
    queries: int = Field(
        4,
        ge=1,
        le=20,
        description="most queries made of a question: itself, what the glossary adds, its parts, its key phrases",
    )
    glossary: str = Field("", description="path of a glossary of your own; empty: the one that ships in configs/")
    search: SearchSettings = Field(default_factory=SearchSettings, description="how elements and pages are ranked")
    model: ModelSettings | None = Field(
        None, description="the model that writes answers (keys: rag/llm/settings.py); null: answers are quoted"
    )
    method: Literal["quote", "vanilla", "cot", "visa"] = Field(
        "quote",
        description="the method of answering: quote, the evidence itself, word for word; vanilla, the model; cot, the "
        "model in three steps (find, extract, answer); visa, the model from whole pages, with a box of its own",
    )
    extract: bool = Field(
        False,
        description="whether a model that answers also reads what was extracted from the evidence beforehand, which is "
        "done once an element, and kept",
    )
    planner: Literal["rules", "model"] = Field(
        "rules",
        description="the planner of queries: rules (parts of the question, glossary), or the model, from the question "
        "and its image; where it fails the rules take its place",
    )
    judge: Literal["rules", "model"] = Field(
        "model",
        description="the judge of what strict checking leaves open in written answers: rules, by words "
        "and numbers alone; or the model, which also looks at figures",
    )
    writing: WritingSettings = Field(
        default_factory=WritingSettings, description="how the model writes, and what it is shown"
    )
    top_k: int = Field(12, ge=1, le=100, description="elements that are retrieved as evidence")
    max_sentences: int = Field(3, ge=1, le=20, description="most sentences that are quoted in an answer")
    min_confidence: float = Field(
        0.24, ge=0, le=1, description="below this calibrated probability that it answers, Vouch abstains"
    )
    sentence_margin: float = Field(
        0.1, ge=0, le=1, description="a further sentence is added while its confidence is this close to the best one's"
    )
    localizer: Literal["element", "patch", "model"] = Field(
        "element",
        description="the localizer, which boxes a proof on its page: element, the lines and cells that say it; patch, "
        "the regions whose pixels are most like the sentence; model, the vision model's own box, moved to its element",
    )
    max_question_chars: int = Field(2000, ge=1, description="longest question that is accepted, in characters")

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
        default_factory=dict, description="limits of the page of `vouch serve`, which alone reads it (ui/settings.py)"
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
        values = yaml.safe_load(text) or {}
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
        return f"{where}: {error['msg']}"
    parts: dict[str, type[BaseModel]] = {
        "indexing": IndexingSettings,
        "rag": RagSettings,
        "search": SearchSettings,
        "model": ModelSettings,
        "writing": WritingSettings,
    }
    model = parts.get(str(error["loc"][-2]), Profile) if len(error["loc"]) > 1 else Profile
    return f"{where}: no such key{did_you_mean(str(error['loc'][-1]), model.model_fields, alike=0.3)}"

"""RagSettings and profiles: every knob of answering, documented where it is defined."""

from __future__ import annotations

import difflib
import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from indexing import IndexingSettings, SearchSettings
from rag.errors import ProfileError


class RagSettings(BaseModel):
    """How a question becomes an answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["auto", "text", "image", "multi"] = Field(
        "auto", description="what is searched; auto: multi where the collection has a visual embedder, else text"
    )
    queries: int = Field(
        4, ge=1, le=20, description="most queries made of a question: itself, its parts, what the glossary adds"
    )
    glossary: str = Field("", description="path of a glossary of your own; empty: the one that ships in configs/")
    search: SearchSettings = Field(default_factory=SearchSettings, description="how elements and pages are ranked")
    top_k: int = Field(8, ge=1, le=100, description="elements that are retrieved as evidence")
    max_sentences: int = Field(3, ge=1, le=20, description="most sentences in an answer")
    min_confidence: float = Field(
        0.2, ge=0, le=1, description="below this calibrated probability that it answers, Vouch abstains"
    )
    sentence_margin: float = Field(
        0.1, ge=0, le=1, description="a further sentence is added while its confidence is this close to the best one's"
    )
    max_question_chars: int = Field(2000, ge=1, description="longest question that is accepted, in characters")

    @property
    def hash(self) -> str:
        """Twelve hex digits that stand for these settings."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:12]


class Profile(BaseModel):
    """The settings of both stages, as one YAML file holds them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    indexing: IndexingSettings = Field(default_factory=IndexingSettings)
    rag: RagSettings = Field(default_factory=RagSettings)


def load_profile(name_or_path: str = "default") -> Profile:
    """A profile that ships in `configs/`, by name, or one of your own, by path. Raises ProfileError."""
    shipped = resources.files("configs").joinpath(f"{name_or_path}.yaml")
    own = Path(name_or_path)
    try:
        if own.suffix in (".yaml", ".yml"):
            text = own.read_text(encoding="utf-8")
        elif shipped.is_file():
            text = shipped.read_text(encoding="utf-8")
        else:
            names = sorted(
                f.name.removesuffix(".yaml") for f in resources.files("configs").iterdir() if f.name.endswith(".yaml")
            )
            raise ProfileError(
                f"no profile {name_or_path!r} (there are: {', '.join(names)}): or give the path of a .yaml file"
            )
        values = yaml.safe_load(text) or {}
        return Profile.model_validate(values)
    except OSError as error:
        raise ProfileError(f"{name_or_path}: cannot be read ({error.strerror}): check the path") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{name_or_path}: is not text in UTF-8: save it as such") from None
    except yaml.YAMLError as error:
        raise ProfileError(f"{name_or_path}: is not YAML ({str(error).splitlines()[0]})") from None
    except ValidationError as error:
        raise ProfileError(f"{name_or_path}: {'; '.join(_explained(e) for e in error.errors())}") from None


def _explained(error: Any) -> str:
    """One problem of a profile; an unknown key is told the nearest known one."""
    where = ".".join(map(str, error["loc"])) or "the profile"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg']}"
    parts: dict[str, type[BaseModel]] = {"indexing": IndexingSettings, "rag": RagSettings, "search": SearchSettings}
    model = parts.get(str(error["loc"][-2]), Profile) if len(error["loc"]) > 1 else Profile
    near = difflib.get_close_matches(str(error["loc"][-1]), list(model.model_fields), n=1, cutoff=0.3)
    return f"{where}: no such key{f', did you mean {near[0]}?' if near else ''}"

"""Every setting of answering, documented where it is defined, and the profiles that set them."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from configs import did_you_mean
from indexing import IndexingSettings, SearchSettings, default_home
from rag.errors import NoModel, ProfileError
from rag.llm import ModelSettings
from rag.types import MethodName
from rag.yaml_errors import fault_of, read_yaml

MOST_QUERIES, MOST_PASSAGES = 20, 100
"""The most queries and passages that a profile, or a question, may ask for."""
MOST_SHOWN = 64
"""The most pages that a model is shown at once."""
MOST_MODELS, _NAME_CHARS = 30, 80
"""The most models that a question may choose among, and the most characters of the name of one."""
_HEAD = """\
# Your own profile, written by Vouch. Commands use profile.yaml beside the collections where --profile names no other.
# All keys are explained in rag/settings.py, rag/llm/settings.py and indexing/settings.py.
"""


class WritingSettings(BaseModel):
    """The settings of a model that writes an answer, and of what it is shown."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentences: int = Field(6, ge=1, le=20, description="the most sentences of an answer")
    sentence_chars: int = Field(600, ge=40, le=2000, description="the most characters of a sentence")
    sources: int = Field(8, ge=1, le=20, description="the most pieces of evidence that a sentence may cite")
    facts: int = Field(6, ge=1, le=20, description="the most facts that method cot writes down before it answers")
    pages: int | None = Field(
        None,
        ge=1,
        le=MOST_SHOWN,
        description="the number of pages that the model is shown, the best that were found; null means as many as the "
        "model takes images, from 4 to 6. Each further page takes about 2,000 tokens, half of them for its picture",
    )
    page_side: int = Field(
        1400,
        ge=256,
        le=4096,
        description="the most pixels of the longer side of a page that is shown; rag.model.max_pixels limits it, too",
    )
    enlarged: int = Field(
        2,
        ge=0,
        le=16,
        description="the most figures and tables that are shown enlarged beside their page: the best that were found "
        "of those that are small on it",
    )
    rounds: int = Field(
        2,
        ge=1,
        le=4,
        description="the most calls that write one answer: where the model says what the pages do not show, that is "
        "searched for, and the model is asked again with the pages that were found; each round costs as much as the "
        "first",
    )
    picture_side: int = Field(
        1024, ge=64, le=4096, description="the most pixels of the longer side of an element that is cut out of its page"
    )
    page_width: int = Field(
        1275,
        ge=256,
        le=4096,
        description="the width, in pixels, at which pages are rendered before elements are cut out",
    )


class VerifierSettings(BaseModel):
    """The settings of a model that says if a text entails a claim."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    checkpoint: str = Field(min_length=1, description="the folder of a cross-encoder that classifies entailment")
    template: str = Field(
        "",
        description="how {text} and {claim} become one text, for a model that was trained so; empty means that it "
        "reads them as two",
    )
    threshold: float = Field(
        0.5,
        gt=0,
        lt=1,
        description="the probability of entailment from which a claim is confirmed (vouch models calibrate)",
    )

    @field_validator("template")
    @classmethod
    def _check_template(cls, template: str) -> str:
        """Return the template. Raises ValueError unless it is empty or has {text} and {claim} once each."""
        if template and not all(template.count(name) == 1 for name in ("{text}", "{claim}")):
            raise ValueError("must have {text} and {claim}, each once")
        return template


class RagSettings(BaseModel):
    """The settings of answering a question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["auto", "text", "image", "multi"] = Field(
        "auto", description="the search mode; auto means multi if the collection has a visual embedder, else text"
    )
    queries: int = Field(
        4,
        ge=1,
        le=MOST_QUERIES,
        description="the most queries made of a question: the question itself, what the glossary adds, its parts and "
        "its key phrases",
    )
    glossary: str = Field("", description="the path of your own glossary; empty means the one in configs/")
    ratios: str = Field(
        "",
        description="the path of your own list of ratios and the rows they are computed from; empty means the "
        "one in configs/",
    )
    search: SearchSettings = Field(
        default_factory=SearchSettings, description="the settings of ranking (keys: indexing/settings.py)"
    )
    model: ModelSettings | None = Field(
        None, description="the model that writes answers (keys: rag/llm/settings.py); null if you have none"
    )
    models: dict[str, ModelSettings] = Field(
        default_factory=dict,
        description="further models, each with its keys under a name that you choose; a question can choose one by "
        "that name (vouch ask --model NAME, the page, the API), and `model` is the default",
    )
    method: MethodName = Field(
        "quote",
        description="the answering method. quote: the documents' own words. vanilla: the model answers in one step. "
        "cot: the model answers in three steps (find, extract, answer). visa: the model looks at whole pages "
        "and draws a box",
    )
    extract: bool = Field(
        False,
        description="if true, the model first takes notes on each retrieved element, without seeing the question, "
        "and answers from the notes alone (vanilla, cot); notes are taken once and stored",
    )
    planner: Literal["rules", "model"] = Field(
        "rules",
        description="the query planner. rules: queries come from the parts of the question and the glossary. model: "
        "the model writes all of them from the question and its image; if it fails, the rules do",
    )
    judge: Literal["rules", "model"] = Field(
        "model",
        description="the judge of claims in written answers that strict checking cannot decide. rules: words and "
        "numbers decide. model: the model decides, and looks at figures too",
    )
    reranker: str = Field(
        "",
        description="the folder of a cross-encoder that reorders the 50 best elements of a search (vouch models use "
        "NAME); empty means none",
    )
    verifier: VerifierSettings | None = Field(
        None,
        description="a small model that judges texts in place of the large one, which keeps figures and tables (keys: "
        "VerifierSettings); null means none",
    )
    writing: WritingSettings = Field(
        default_factory=WritingSettings, description="the limits of what the model writes and is shown"
    )
    top_k: int = Field(
        12,
        ge=1,
        le=MOST_PASSAGES,
        description="the number of elements that are retrieved as evidence; where a model writes, an image file "
        "counts as one, with all text that was read on it",
    )
    max_sentences: int = Field(3, ge=1, le=20, description="the most sentences that are quoted in an answer")
    min_confidence: float = Field(
        0.24,
        ge=0,
        le=1,
        description="the lowest calibrated probability that a quote answers the question; below it, Vouch abstains "
        "(vouch calibrate)",
    )
    min_confidence_written: float = Field(
        0.0,
        ge=0,
        le=1,
        description="the same for answers that a model writes: below it, the model is not asked, and Vouch abstains; 0 "
        "always asks (vouch calibrate)",
    )
    sentence_margin: float = Field(
        0.1, ge=0, le=1, description="a further sentence is quoted if its confidence is this close to the best one's"
    )
    localizer: Literal["element", "patch", "model"] = Field(
        "element",
        description="the localizer, which draws the box of a citation on its page. element: the lines and cells that "
        "say it. patch: the regions whose pixels are most similar to the sentence. model: the vision model's "
        "own box, snapped to its element",
    )
    print_check: bool = Field(
        True,
        description="if true, the cited words are compared with what their pages show, as read by OCR; where the two "
        "differ, the sentence is not supported",
    )
    max_question_chars: int = Field(2000, ge=1, description="the most characters that a question may have")

    @field_validator("models")
    @classmethod
    def _choosable(cls, models: dict[str, ModelSettings]) -> dict[str, ModelSettings]:
        """Return the models. Raises ValueError for more than MOST_MODELS, or a name that is no readable line."""
        if len(models) > MOST_MODELS:
            raise ValueError(f"holds {len(models)} models, the limit is {MOST_MODELS}: leave some out")
        for name in models:
            if not name.isprintable() or name != name.strip() or not 1 <= len(name) <= _NAME_CHARS or name == "auto":
                raise ValueError(
                    f"{name[:_NAME_CHARS]!r} cannot be the name of a model: give one line of at most {_NAME_CHARS} "
                    "characters, without a space at either end, and not auto, which stands for the default"
                )
        return models

    @model_validator(mode="after")
    def _default_apart(self) -> Self:
        """Return the settings. Raises ValueError for `models` without `model`, or with the same name as it."""
        if self.models and self.model is None:
            raise ValueError("models also needs model, the default that writes if none is chosen: set it")
        if self.model is not None and self.model.name in self.models:
            raise ValueError(
                f"models contains {self.model.name!r}, which is the name of the default (model): give it another name"
            )
        return self

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names by which a question may choose a model, the default first; none where there is no model."""
        return (self.model.name, *self.models) if self.model is not None else ()

    def with_model(self, name: str | None) -> RagSettings:
        """Return the settings with the model of that name as the writer; None is the default. Raises NoModel."""
        if name is None or name == (self.model.name if self.model is not None else None):
            return self
        if name not in self.models:
            names = self.model_names
            there = f"it has {', '.join(names)}: choose one of these" if names else "it has none: see rag.model"
            raise NoModel(f"the profile has no model {name[:_NAME_CHARS]!r}; {there}{did_you_mean(name, names)}")
        return self.model_copy(update={"model": self.models[name]})

    @property
    def hash(self) -> str:
        """Twelve hex digits of a hash of these settings, without `models`, the further models to choose from."""
        values = self.model_dump(mode="json", exclude={"models"})
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


NetworkSource = Literal["crossref", "openalex", "doi", "web"]
"""The sources of records that are asked over the network, where a profile names them."""


class AuditSettings(BaseModel):
    """The settings of `vouch audit`: where it looks references up. Nothing leaves this machine unless it is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    network: tuple[NetworkSource, ...] = Field(
        (),
        description="the network services to ask, in this order, after the sources on this machine: crossref, "
        "openalex, doi (which has arXiv numbers too). They are sent titles, first authors and identifiers of "
        "references. web fetches the page at the address of a reference without an identifier. Empty means none",
    )
    mailto: str = Field(
        "",
        max_length=254,
        description="an e-mail address that is sent with each request; services allow more requests to those who "
        "give one",
    )
    cache_days: float = Field(
        30, ge=0, le=3650, description="the days for which a response of a service is cached; 0 asks every time"
    )
    bibliographies: tuple[str, ...] | None = Field(
        None, description="the bibliographies to search (vouch bibliography list); null means all, an empty list none"
    )
    openalex_key_env: str = Field(
        "",
        description="the environment variable that holds your key for OpenAlex, which allows few requests without one",
    )

    @field_validator("network", "bibliographies", mode="before")
    @classmethod
    def _check_list(cls, names: Any) -> Any:
        """Return the names. Raises ValueError for a string, which would be read as a list of letters."""
        if isinstance(names, str):
            raise ValueError(f"must be a list: write [{names[:_NAME_CHARS]}]")  # noqa: TRY004  pydantic takes no other
        return names

    @field_validator("network")
    @classmethod
    def _once(cls, network: tuple[NetworkSource, ...]) -> tuple[NetworkSource, ...]:
        """Return the services. Raises ValueError for one that is named twice."""
        if twice := {name for name in network if network.count(name) > 1}:
            raise ValueError(f"names {', '.join(sorted(twice))} twice: name each once")
        return network

    @field_validator("mailto")
    @classmethod
    def _address(cls, mailto: str) -> str:
        """Return the e-mail address. Raises ValueError for one that cannot be sent in the header of a request."""
        name, _, host = mailto.partition("@")
        plain = mailto.isascii() and mailto.isprintable() and not set(mailto) & set(' ;,()<>"')
        if mailto and not (plain and name and "." in host and "@" not in host):
            raise ValueError(f"{mailto[:_NAME_CHARS]!r} is not an e-mail address: give one such as name@example.org")
        return mailto


class Profile(BaseModel):
    """The settings of indexing, answering and auditing, as one YAML file holds them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    indexing: IndexingSettings = Field(default_factory=IndexingSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
    audit: AuditSettings = Field(default_factory=AuditSettings)
    ui: dict[str, Any] = Field(
        default_factory=dict,
        description="the limits of the page of `vouch serve`, which nothing else uses (keys: ui/settings.py)",
    )


def shipped_profiles() -> list[str]:
    """Return the names of the profiles in `configs/`, which also holds a glossary and a list of ratios."""
    files = (f.name for f in resources.files("configs").iterdir() if f.name.endswith(".yaml"))
    return sorted(name.removesuffix(".yaml") for name in files if name not in ("glossary.yaml", "ratios.yaml"))


def own_profile() -> Path:
    """Return the path of the user's own profile, `profile.yaml` beside the collections; the file may not exist."""
    return default_home() / "profile.yaml"


def extend_profile(path: Path, changes: Mapping[str, Mapping[str, Any]]) -> Path:
    """Merge keys into the sections of a profile (None removes a key), replace the file, and return its path.

    A profile that Vouch did not write is kept beside it as `NAME.yaml.before`. Raises ProfileError, OSError.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        values = yaml.safe_load(text) or {}
        for section, keys in changes.items():
            section_values = {**(values.get(section) or {}), **keys}
            values[section] = {key: value for key, value in section_values.items() if value is not None}
        Profile.model_validate(values)
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, TypeError, ValidationError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ProfileError(f"{path} cannot be extended ({reason}): correct it there, or remove it") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    if text and not text.startswith(_HEAD):  # somebody's own, whose comments would be lost
        path.with_suffix(f"{path.suffix}.before").write_text(text, encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".yaml", encoding="utf-8", delete=False) as file:
        file.write(_HEAD + yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
    Path(file.name).replace(path)
    return path


def load_profile(name_or_path: str = "default") -> Profile:
    """Load a profile: by name from `configs/`, or your own by path. Raises ProfileError.

    "default" is `own_profile()` where it exists, else the profile of that name in `configs/`.
    """
    own = Path(name_or_path)
    if name_or_path == "default" and own_profile().exists():
        own, name_or_path = own_profile(), str(own_profile())
    names = shipped_profiles()
    if own.suffix not in (".yaml", ".yml") and name_or_path not in names:
        raise ProfileError(
            f"no profile {name_or_path!r} (there are: {', '.join(names)}): give the path of a .yaml file of your "
            f"own{did_you_mean(name_or_path, names, lead=', or ')}"
        )
    resource = resources.files("configs").joinpath(f"{name_or_path}.yaml")
    values = _values_of(own if own.suffix in (".yaml", ".yml") else resource, name_or_path, "check the path")
    try:
        return Profile.model_validate(values)
    except ValidationError as error:
        raise ProfileError(f"{name_or_path}: {'; '.join(_describe_error(e) for e in error.errors())}") from None


def _describe_error(error: Any) -> str:
    """Describe an error in a profile; for an unknown key, with the nearest known one."""
    where = ".".join(map(str, error["loc"])) or "the profile"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg'].removeprefix('Value error, ')}"
    parts: dict[str, type[BaseModel]] = {
        "indexing": IndexingSettings,
        "rag": RagSettings,
        "audit": AuditSettings,
        "search": SearchSettings,
        "model": ModelSettings,
        "writing": WritingSettings,
    }
    at = error["loc"]
    model = ModelSettings if at[1:2] == ("models",) else parts.get(str(at[-2]), Profile) if len(at) > 1 else Profile
    return f"{where}: no such key{did_you_mean(str(error['loc'][-1]), model.model_fields, alike=0.3)}"


def lookup_file(default_name: str, path: str, setting: str) -> tuple[str, Any]:
    """Return the name and the values of a YAML file: the user's own at `path`, or else `default_name` in `configs/`.

    `setting` is the key of the profile that names the path. Raises ProfileError for what cannot be read as YAML.
    """
    file = Path(path) if path else resources.files("configs").joinpath(default_name)
    return path or default_name, _values_of(file, path or default_name, f"check {setting} in the profile")


def _values_of(file: Path | Traversable, name: str, advice: str) -> Any:
    """Return the values of a file of YAML. Raises ProfileError, with the advice where it cannot be read."""
    try:
        return read_yaml(file.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise ProfileError(f"{name}: cannot be read ({error.strerror}): {advice}") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{name}: is not UTF-8 text: save it as UTF-8") from None
    except yaml.YAMLError as error:
        raise ProfileError(f"{name}: is not YAML ({fault_of(error)}): correct it there") from None

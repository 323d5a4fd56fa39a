"""ModelSettings: the model that is asked, where it is served, and what it can take. Every key is documented here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Boxes = Literal["relative_1000", "absolute_pixels", "relative_1000_yx"]


IN_PROCESS = {"concurrency": 1, "timeout": 1800.0, "max_seconds": 1800.0}
"""The defaults of a model in this process, which has few processors: one call at a time, and patience."""


class ModelSettings(BaseModel):
    """A vision-language model: a served one, by `base_url` and `name`, or one that runs in this process, by `gguf`.

    Nothing else has to be given; no key is ever kept here.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str = Field(
        "",
        description="the address of an OpenAI-compatible server, which usually ends in /v1; no other server is called",
    )
    name: str = Field(
        min_length=1,
        description="the name of the model as the server lists it (vLLM: --served-model-name); for a file, its name "
        "without the extension by default",
    )
    gguf: str = Field(
        "",
        description="the file of a model that runs in this process, instead of base_url (pip install "
        "'vouch[local]'); one question is then answered at a time (concurrency), and timeout and max_seconds "
        "default to 1800",
    )
    mmproj: str = Field("", description="the file of the vision part of the model (mmproj-...gguf), if it has one")
    threads: int = Field(
        0,
        ge=0,
        le=512,
        description="the number of threads of a model in this process; 0 means half of the processors, because "
        "threads that wait for a busy processor slow all others down",
    )
    api_key_env: str = Field(
        "",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        description="the environment variable that holds the key; empty if the server needs none",
    )
    context_tokens: int = Field(
        16_384,
        ge=512,
        description="the most tokens of prompt and reply together (vLLM: --max-model-len); for a model in this "
        "process never more than it was trained for",
    )
    max_output_tokens: int = Field(1536, ge=16, description="the most tokens of a reply")
    images: int = Field(
        8,
        ge=0,
        le=256,
        description="the most images in a prompt (vLLM: --limit-mm-per-prompt); 0 for a text-only model",
    )
    max_pixels: int = Field(
        1_048_576,
        ge=50_176,
        description="the most pixels of an image; larger ones are scaled down before they are sent",
    )
    min_pixels: int = Field(
        65_536,
        ge=1,
        description="the fewest pixels of an image; smaller ones are enlarged, as Qwen3-VL would do itself",
    )
    patch: int = Field(
        32,
        ge=1,
        le=64,
        description="the number of pixels that both sides of an image are made a multiple of, so that the server "
        "does not resize it: 28 for Qwen2-VL, Qwen2.5-VL and InternVL, 32 for Qwen3-VL",
    )
    boxes: Boxes = Field(
        "relative_1000",
        description="the way the model writes boxes: relative_1000 (x first, 0 to 1000: Qwen2-VL, Qwen3-VL, InternVL, "
        "GLM-V), absolute_pixels (of the image as sent: Qwen2.5-VL), relative_1000_yx (y first: Gemma 3)",
    )
    structured: Literal["schema", "markers"] = Field(
        "schema",
        description="the format of replies. schema: the server restricts them to a JSON schema (vLLM, llama.cpp and "
        "OpenAI can). markers: for servers that cannot; sentences carry their labels in brackets",
    )
    temperature: float = Field(
        0.0,
        ge=0,
        le=2,
        description="the temperature of sampling; 0 takes the likeliest tokens, and the judge of claims always uses 0",
    )
    seed: int | None = Field(
        0, description="the seed that makes replies repeatable, if the server supports it; null sends none"
    )
    timeout: float = Field(
        120.0, gt=0, description="the seconds without any data from the server after which a call is given up"
    )
    max_seconds: float = Field(
        300.0,
        gt=0,
        description="the seconds after which one call, with all its tries, is cut off, even while the server is "
        "still writing; a model on a CPU may need more",
    )
    max_bytes: int = Field(
        8_388_608,
        ge=1024,
        description="the most bytes that one call, with all its tries, may receive; a streamed token takes about 300",
    )
    max_line_chars: int = Field(
        4000,
        ge=100,
        description="the most characters in one line of a reply, or in one JSON string, after which it is cut off; a "
        "sentence of more than 4,000 is not checked anyway",
    )
    retries: int = Field(
        3,
        ge=0,
        le=10,
        description="the number of retries after status 429, 5xx or a lost connection; each waits twice as long as "
        "the one before",
    )
    concurrency: int = Field(
        8, ge=1, le=256, description="the most calls at once; streamed and other calls are counted separately"
    )
    queue_seconds: float = Field(600.0, gt=0, description="the seconds that a call waits for its turn")
    prompt_price: float = Field(0.0, ge=0, description="the price of a million tokens of prompt, in your currency")
    completion_price: float = Field(0.0, ge=0, description="the price of a million tokens of reply")
    extra_body: dict[str, Any] = Field(
        default_factory=dict,
        description="additional fields of every request, for servers that support them; for example "
        "{chat_template_kwargs: {enable_thinking: false}}",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_file(cls, values: Any) -> Any:
        """Return the values, with the defaults of a model in this process if `gguf` is set."""
        file = values.get("gguf") if isinstance(values, dict) else None
        if not file or not isinstance(file, str):
            return values
        eyes = {} if values.get("mmproj") else {"images": 0}
        return {"name": Path(file).stem} | IN_PROCESS | eyes | values

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        """Return the settings. Raises ValueError unless the model is either on a server or in a file, completely."""
        if bool(self.base_url) == bool(self.gguf):
            raise ValueError(
                "give base_url and name for a server, or gguf for the file of a model that runs in this process"
                + ", but not both" * bool(self.gguf)
            )
        if self.mmproj and not self.gguf:
            raise ValueError("mmproj works only with gguf: start a server with its own vision part")
        if self.gguf and self.images and not self.mmproj:
            raise ValueError("images needs mmproj, the file of the vision part: set it, or leave images out")
        return self

    @field_validator("gguf", "mmproj")
    @classmethod
    def _file(cls, value: str) -> str:
        """Return the path with ~ replaced by the home folder."""
        return str(Path(value).expanduser()) if value else ""

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        """Return the address. Raises ValueError for an invalid one, or one with a user, a password or a query."""
        try:
            parts = urlsplit(value)
            port = parts.port
        except ValueError:
            raise ValueError("is not an address: give one such as http://127.0.0.1:8000/v1") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise ValueError("is not an address: give one such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "must not contain a user, password or query: name the environment variable of the key in api_key_env"
            )
        return value.rstrip("/")

    @property
    def place(self) -> str:
        """The address of the server, or the file, as it is named in messages."""
        return self.base_url or f"{self.gguf} (in this process)"

    @property
    def host(self) -> str:
        """The server's host, without the port."""
        return urlsplit(self.base_url).hostname or ""

"""A model in this process: its file, its memory, and its settings."""

import gc
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import ModelSettings, ProfileError, load_profile
from rag.errors import EngineMissing, MemoryShort, ModelFileUnusable, PromptTooLong
from rag.llm import Message, ServedModel, check_reachable, probe_name
from rag.llm.local import engine_of, read_header
from tests.support.gguf_files import gguf
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says

Serve = Callable[..., ScriptedServer]
ASK = [Message("user", ("What fell?",))]


class StandIn:
    """The package xllamacpp, as far as we use it: its server is a scripted one."""

    __version__ = "1"

    def __init__(self, server: ScriptedServer | None = None, kind: str = "GGML_BACKEND_DEVICE_TYPE_CPU") -> None:
        self.server, self.kind = server, kind
        self.loaded: list[Any] = []

    def get_device_info(self) -> list[dict[str, object]]:
        return [{"name": "some", "type": SimpleNamespace(name=self.kind)}]

    def CommonParams(self) -> SimpleNamespace:  # noqa: N802 - its name
        parts = ("model", "mmproj", "cpuparams", "cpuparams_batch")
        return SimpleNamespace(**{part: SimpleNamespace() for part in parts})

    def Server(self, params: Any) -> SimpleNamespace:  # noqa: N802 - its name
        self.loaded.append(params)
        if self.server is None:
            raise RuntimeError("Failed to init server, please check the input params.")
        return SimpleNamespace(listening_address=self.server.url.removesuffix("/v1"))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., StandIn]:
    def install(server: ScriptedServer | None = None, **more: str) -> StandIn:
        made = StandIn(server, **more)
        monkeypatch.setitem(sys.modules, "xllamacpp", made)
        return made

    return install


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(gguf(tmp_path / "small.gguf"))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("{name: x}", "give base_url and name for a server, or gguf for the file of a model"),
        ("{gguf: m.gguf, base_url: 'http://127.0.0.1:1/v1'}", "but not both"),
        ("{base_url: 'http://127.0.0.1:1/v1', name: x, mmproj: m.gguf}", "mmproj works only with gguf"),
        ("{gguf: m.gguf, images: 2}", "images needs mmproj"),
        ("{gguf: 3}", "gguf"),
    ],
)
def test_what_does_not_go_together_is_told(tmp_path: Path, model: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(f"rag:\n  model: {model}\n")
    with pytest.raises(ProfileError, match=said):
        load_profile(str(tmp_path / "mine.yaml"))


def test_it_is_asked_as_a_served_model_is(serve: Serve, stand_in: Callable[..., StandIn], file: str) -> None:
    server = serve(says("Rain."), says("Snow."))
    server.models = [{"id": "small", "object": "model"}]
    loaded = stand_in(server).loaded
    model = ServedModel(ModelSettings(gguf=file, threads=3))
    assert loaded == []  # not before it is asked
    assert model.complete(ASK).text == "Rain."
    assert [*model.stream(ASK)][-1].text == "Snow."  # type: ignore[union-attr]
    assert probe_name(model) == f"small is served at {file} (in this process)"
    (params,) = loaded
    assert server.asked[0].headers["authorization"] == f"Bearer {params.api_keys[0]}"
    assert len(params.api_keys[0]) > 30
    assert (params.hostnames, params.port, params.ui, params.offline) == (["127.0.0.1"], 0, False, True)
    assert (params.n_parallel, params.n_ctx) == (2, 2 * 8192)  # one whole call and one streamed
    assert params.cpuparams.n_threads == params.cpuparams_batch.n_threads == 3
    model.close()


def test_a_context_is_no_longer_than_the_model_was_trained_for(stand_in: Callable[..., StandIn], file: str) -> None:
    stand_in()
    assert ServedModel(ModelSettings(gguf=file)).settings.context_tokens == 8192
    assert ServedModel(ModelSettings(gguf=file, context_tokens=4096)).capacity.tokens == 4096 - 1536
    with pytest.raises(PromptTooLong, match=r"trained for 8192 tokens .* lower rag\.model\.max_output_tokens"):
        ServedModel(ModelSettings(gguf=file, max_output_tokens=8192))


def test_models_of_the_same_settings_are_loaded_once(serve: Serve, stand_in: Callable[..., StandIn], file: str) -> None:
    loaded = stand_in(serve()).loaded
    settings = ModelSettings(gguf=file)
    first = engine_of(settings)
    assert engine_of(settings.model_copy()) is first
    assert engine_of(settings.model_copy(update={"threads": 1})) is not first
    assert len(loaded) == 2
    del first
    gc.collect()
    engine_of(settings)
    assert len(loaded) == 3  # nobody held it any more


def test_files_are_told_before_anything_is_done(stand_in: Callable[..., StandIn], file: str, tmp_path: Path) -> None:
    stand_in()
    eyes = str(gguf(tmp_path / "eyes.gguf", "clip"))
    with pytest.raises(ModelFileUnusable, match="there is no file nosuch"):
        check_reachable(ModelSettings(gguf="nosuch.gguf"))
    with pytest.raises(ModelFileUnusable, match=r"set it as rag\.model\.mmproj"):
        check_reachable(ModelSettings(gguf=eyes))
    with pytest.raises(ModelFileUnusable, match=r"set rag\.model\.mmproj to that file, or leave it out"):
        check_reachable(ModelSettings(gguf=file, mmproj=file))
    check_reachable(ModelSettings(gguf=file, mmproj=eyes))


def test_a_file_that_llama_cpp_refuses_is_told(stand_in: Callable[..., StandIn], file: str) -> None:
    stand_in(None)
    with pytest.raises(ModelFileUnusable, match=rf"llama\.cpp cannot load {file}: .*pip install -U xllamacpp"):
        ServedModel(ModelSettings(gguf=file)).complete(ASK)


def test_memory_that_is_not_there_is_told(
    serve: Serve, stand_in: Callable[..., StandIn], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(gguf(tmp_path / "wide.gguf", block_count=1000))
    free = psutil.virtual_memory()._replace(available=10_000_000_000)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: free)
    stand_in(serve())
    with pytest.raises(
        MemoryShort, match=r"wide takes about 12\.9 GB .* and 10\.0 GB are free: lower rag\.model\.conte"
    ):
        engine_of(ModelSettings(gguf=file, context_tokens=8192))
    assert engine_of(ModelSettings(gguf=file, context_tokens=4096)).base_url.endswith("/v1")
    stand_in(serve(), kind="GGML_BACKEND_DEVICE_TYPE_GPU")  # llama.cpp itself divides weights between the two memories
    assert engine_of(ModelSettings(gguf=file, context_tokens=8192)).base_url.endswith("/v1")


def test_a_package_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(EngineMissing, match=r"pip install 'vouch\[local\]'"):
        ServedModel(ModelSettings(gguf=file))


def test_a_header_is_read(tmp_path: Path) -> None:
    header = read_header(gguf(tmp_path / "m.gguf"))
    assert (header.architecture, header.context_tokens) == ("llama", 8192)
    assert header.cache == 30 * 3 * 64 * 2 * 2  # layers, heads, their width, keys and values, bytes
    assert header.size == (tmp_path / "m.gguf").stat().st_size


def test_heads_may_differ_by_layer_and_have_widths_of_their_own(tmp_path: Path) -> None:
    keys = {"attention__head_count_kv": [1, 0, 2], "attention__key_length": 256, "attention__value_length": 128}
    assert read_header(gguf(tmp_path / "m.gguf", "gemma3", **keys)).cache == 3 * (256 + 128) * 2


@pytest.mark.parametrize("cut", [2, 5, 30, 200])
def test_a_file_that_is_cut_off_is_told(tmp_path: Path, cut: int) -> None:
    path = gguf(tmp_path / "m.gguf")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ModelFileUnusable, match=r"m\.gguf (is damaged or cut off: download it again|is not a GGUF)"):
        read_header(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("m.gguf", b"", "is damaged or cut off"),
        ("m.gguf", b"PK\x03\x04" * 20, r"is not a GGUF file: give a model file that ends in \.gguf"),
        ("m.gguf", b"GGUF" + struct.pack("<IQQ", 3, 1, 1 << 60) + b"\0" * 80, "is damaged"),
        ("m.gguf", b"GGUF" + struct.pack("<IQQ", 99, 0, 0), "is damaged"),
        ("other.gguf", b"", r"there is no file .*m\.gguf: check the path in rag\.model"),
    ],
)
def test_whatever_is_no_model_is_told(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelFileUnusable, match=said):
        read_header(tmp_path / "m.gguf")


@given(st.binary(max_size=400))
def test_any_bytes_are_a_header_or_our_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<I", 3) + data)
    try:
        assert read_header(path).size == len(data) + 8
    except ModelFileUnusable as error:
        assert "damaged" in str(error)  # noqa: PT017 - both ends are right

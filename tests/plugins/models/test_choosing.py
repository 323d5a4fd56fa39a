"""The choice of a model on the page: who may choose, what is asked of whom, and what stays when it fails."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from plugins.models.errors import ModelsError
from plugins.models.library import models_folder, part_folder
from plugins.models.web import choosing
from plugins.models.web.choosing import Choice, Choices
from plugins.models.web.page import choice_html, models_to_choose, plan_html, status_html
from rag import load_profile, own_profile
from rag.llm import ServerAt
from tests.plugins.models.hub_server import HubServer, Repository
from tests.rag.llm.discovery.test_inquiry import honest
from tests.support.gguf_files import gguf
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from ui.access import Access, Identity, acting, at_scene, may
from ui.errors import NotAllowed
from ui.web.open_collections import OpenCollections

KEY = "a key of a person"


def ferry(request: Asked) -> Script:
    return says("At eleven.") if "ferry" in request.text else honest(request)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server with one model, which answers what it is asked on trial."""
    with ScriptedServer(ferry) as started:
        started.models = [{"id": "scripted", "max_model_len": 8192}]
        yield started


@pytest.fixture
def choices() -> Choices:
    """The choices of a server without a model."""
    return Choices(OpenCollections(load_profile()))


@pytest.fixture
def small_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub that has one model of the catalogue, far too small to be one."""
    files = {
        "SmolVLM2-Q4_K_M.gguf": gguf(tmp_path / "model.gguf").read_bytes() + bytes(300_000),
        "mmproj-SmolVLM2-Q8_0.gguf": gguf(tmp_path / "eyes.gguf", "clip").read_bytes(),
        "LICENSE": b"Do with it <b>what</b> you like.",
    }
    with HubServer({"ggml-org/SmolVLM2-2.2B-Instruct-GGUF": Repository(files, licence="apache-2.0")}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        yield hub


def all_asked(server: ScriptedServer) -> list[Asked]:
    return [*server.asked, *server.looked_up]


def ended(choice: Choice) -> choosing.ChoiceMoment:
    *_, last = choice.follow()
    return last


def test_a_server_is_tried_used_at_once_and_written_down_without_its_key(
    choices: Choices, server: ScriptedServer
) -> None:
    last = ended(choices.connect(server.url, "", KEY))
    assert (last.state, last.error) == ("done", "")
    assert last.says == f"scripted at {server.url} writes the answers from now on"
    assert any(finding.startswith("structured output") for finding in last.findings)
    assert choices.in_use == "scripted"
    assert {request.headers["authorization"] for request in all_asked(server)} == {f"Bearer {KEY}"}
    written = own_profile().read_text()
    assert KEY not in written
    assert yaml.safe_load(written)["rag"]["model"]["api_key_env"] == "VOUCH_KEY_127_0_0_1"
    assert os.environ.pop("VOUCH_KEY_127_0_0_1") == KEY
    assert load_profile().rag.model_names == ("scripted",)
    choices.quotes()
    assert (choices.in_use, load_profile().rag.model) == ("", None)


def test_a_typed_key_goes_to_its_own_host_only(choices: Choices, server: ScriptedServer) -> None:
    ended(choices.connect(server.url.replace("127.0.0.1", "localhost"), "", KEY))
    assert os.environ.pop("VOUCH_KEY_LOCALHOST") == KEY
    before = all_asked(server)
    assert ended(choices.connect(server.url, "")).state == "done"
    later = [request for request in all_asked(server) if not any(request is one for one in before)]
    assert later
    assert all(KEY not in request.headers.get("authorization", "") for request in later)


def test_servers_of_this_machine_are_asked_only_when_somebody_asks(
    choices: Choices, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "LOCAL", (ServerAt("http://127.0.0.1:9/v1", "nobody"), ServerAt(server.url, "one")))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    status_html(choices)
    models_to_choose()
    assert all_asked(server) == []
    assert choices.servers() == [("scripted", server.url)]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("ftp://example.org", "is not an address"),
        ("http://user:secret@example.org/v1", "must not contain a user"),
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
    ],
)
def test_what_is_no_server_changes_nothing(choices: Choices, address: str, says: str) -> None:
    last = ended(choices.connect(address, "any"))
    assert last.state == "failed"
    assert says in last.error
    assert "The model in use is as it was." in choice_html(last)
    assert choices.in_use == ""
    assert not own_profile().exists()


def test_of_several_models_of_a_server_one_has_to_be_named(choices: Choices, server: ScriptedServer) -> None:
    server.models = [{"id": "one"}, {"id": "two"}]
    assert "name one of one, two" in ended(choices.connect(server.url, "")).error


def test_a_model_is_fetched_in_a_process_after_its_licence_was_shown(choices: Choices, small_hub: HubServer) -> None:
    todo = choices.plan("smolvlm2-2b")
    shown = plan_html(todo)
    assert "apache-2.0" in shown
    assert "Do with it &lt;b&gt;what&lt;/b&gt; you like." in shown
    assert not [path for path in small_hub.asked if path.endswith(".gguf")]
    last = ended(choices.fetch(todo))
    assert "smolvlm2-2b is here, and every file has its hash" in last.findings
    assert sorted(path.name for path in (models_folder() / "smolvlm2-2b").glob("*.gguf")) == [
        "SmolVLM2-Q4_K_M.gguf", "mmproj-SmolVLM2-Q8_0.gguf",
    ]  # fmt: skip
    assert last.state == "failed", "it has no weights"
    assert "smolvlm2-2b cannot be used" in last.error
    assert choices.in_use == ""
    assert models_to_choose()[0] == ("smolvlm2-2b: is here, 300.9 kB, not tried yet", "smolvlm2-2b")


@pytest.mark.usefixtures("small_hub")
def test_a_fetch_that_is_stopped_ends_its_process_and_keeps_what_came(
    choices: Choices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "_fetch_command", lambda _: ["/bin/sleep", "100"])
    begun = time.monotonic()
    choice = choices.fetch(choices.plan("smolvlm2-2b"))
    (part_folder("smolvlm2-2b") / "some").write_bytes(bytes(1000))
    for moment in choice.follow():
        if moment.here and moment.state == "busy":
            assert "1.0 kB of" in choice_html(moment)
            with pytest.raises(ModelsError, match="this is not finished yet: Fetching smolvlm2-2b"):
                choices.connect("http://127.0.0.1:9/v1", "")
            choices.stop()
    assert choice.now.state == "stopped"
    assert time.monotonic() - begun < 60
    assert (part_folder("smolvlm2-2b") / "some").exists()


class _Team(Access):
    has_accounts = True

    def may(self, least: str, collection: str) -> bool:
        from ui.access import ACTING

        return may(ACTING.get(), least, collection)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("roles", "allowed"), [({"*": "editor"}, True), ({"*": "reader"}, False), ({"own": "owner"}, False)]
)
def test_with_accounts_an_editor_of_all_collections_chooses(
    server: ScriptedServer, roles: dict[str, str], allowed: bool
) -> None:
    choices = Choices(OpenCollections(load_profile(), access=_Team()))
    calls: list[Callable[[], object]] = [
        lambda: choices.plan("smolvlm2-2b"), choices.servers, choices.quotes, lambda: choices.connect(server.url, ""),
    ]  # fmt: skip
    with acting(Identity("ada", 1, roles=roles)):  # type: ignore[arg-type]
        assert choices.may_choose is allowed
        if allowed:
            assert ended(choices.connect(server.url, "")).state == "done"
            return
        for call in calls:
            with pytest.raises(NotAllowed, match="an editor of all collections"):
                call()
    assert all_asked(server) == []


@pytest.mark.parametrize(("address", "allowed"), [("127.0.0.1", True), ("::/64", True), ("192.0.2.7", False)])
def test_without_accounts_whoever_sits_at_the_machine_chooses(choices: Choices, address: str, allowed: bool) -> None:
    with at_scene(address, "page"):
        assert choices.may_choose is allowed
        if not allowed:
            with pytest.raises(NotAllowed, match="on the machine that Vouch runs on"):
                choices.quotes()


def test_a_server_with_another_profile_says_that_it_is_unchanged(server: ScriptedServer) -> None:
    choices = Choices(OpenCollections(load_profile().model_copy(update={"ui": {"max_file_mb": 7}})))
    assert any("started with another profile" in finding for finding in ended(choices.connect(server.url, "")).findings)


def test_a_model_that_is_not_in_the_list_is_not_fetched(choices: Choices) -> None:
    for name in ("hf:acme/other", "lateon", ""):
        with pytest.raises(ModelsError, match="choose one of it"):
            choices.plan(name)

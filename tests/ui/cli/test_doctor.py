"""`vouch doctor`: what is well is said, what is not is told with what to change; against servers of all sorts."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from indexing import Collection
from tests.support.damage import damage_manifests
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, refuses, says
from ui.cli import parser as cli
from ui.cli.doctor import Finding, examine
from vouch.hooks import VARIABLE, DoctorCheck, Installed, Plugin, load_installed

Serve = Callable[..., ScriptedServer]


def honest(asked: Asked) -> Script:
    """A server that holds replies to schemas and sees images."""
    tokens = (20 + 64 * len(asked.images), 5)
    if asked.schema is not None:
        return says({"word": asked.schema["properties"]["word"]["enum"][1]}, usage=tokens)
    return says("A square.", usage=tokens)


@pytest.fixture
def profile(tmp_path: Path) -> Callable[..., str]:
    """`profile(address, key=value)`: a profile of one's own that names a model."""

    def write(url: str, **keys: object) -> str:
        model = {"base_url": url, "name": "scripted"} | keys
        (tmp_path / "mine.yaml").write_text(json.dumps({"rag": {"model": model}, "indexing": {"visual": "none"}}))
        return str(tmp_path / "mine.yaml")

    return write


Write = Callable[..., str]
ROLES = [
    f"model that {does}"
    for does in (
        "writes answers", "embeds texts", "embeds page images", "orders what a search finds",
        "judges whether a text proves a sentence",
    )
]  # fmt: skip
"""What the plugin `models` says, a line for each role."""


def found(profile: str, collection: str | None = None, home: Path | None = None) -> dict[str, Finding]:
    return {f.check: f for f in examine(profile, collection, home)}


def problems(findings: dict[str, Finding]) -> set[str]:
    return {check for check, f in findings.items() if f.state == "problem"}


def blind(asked: Asked) -> Script:
    """A server whose model does not see images."""
    return says("A square.", usage=(20, 5)) if asked.images else honest(asked)


def unruly(asked: Asked) -> Script:
    """A server that does not hold replies to schemas."""
    return says('{"word": "hello"}') if asked.schema else honest(asked)


@pytest.mark.parametrize(
    ("replies", "keys", "wrong", "check", "said"),
    [
        (unruly, {}, {"structured output"}, "structured output", "rag.model.structured to markers"),
        (unruly, {"structured": "markers"}, set(), "structured output", "not requested"),
        (blind, {}, {"images"}, "images", "rag.model.images"),
        (blind, {"images": 0}, set(), "images", ""),
        (honest, {"name": "scripped"}, {"model"}, "model", "which has: scripted: set rag.model.name"),
        (honest, {"context_tokens": 32_000}, {"model"}, "model", "set it to 16384"),
        (honest, {"api_key_env": "NO_SUCH_KEY"}, {"model"}, "model", "NO_SUCH_KEY"),
        (honest, {"base_url": "http://127.0.0.1:9/v1"}, {"model"}, "model", "start the server"),
    ],
)
def test_what_is_wrong_with_a_model_is_found_out(
    serve: Serve,
    profile: Write,
    replies: Callable[[Asked], Script],
    keys: dict[str, object],
    wrong: set[str],
    check: str,
    said: str,
) -> None:
    server = serve(replies)
    findings = found(profile(**{"url": server.url} | keys))
    assert (problems(findings), said in findings[check].says) == (wrong, True)
    assert "model" not in wrong or findings.get("images", Finding("images", "skipped", "")).state == "skipped"
    assert not (keys.get("images") == 0 and any(asked.images for asked in server.asked))


def test_homes_disks_and_collections_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert "VOUCH_HOME" in found("default", home=tmp_path / "file" / "home")["home folder"].says
    home = tmp_path / "a"
    assert found("default", home=home)["home folder"].says == f"{home} will be created"
    for name in ("damaged", "whole"):
        Collection.create(name, home).documents()
    damage_manifests(home / "damaged" / "db" / "documents.lance")
    findings = found("default", home=home)
    assert problems(findings) == {"collection damaged"}
    assert (findings["model"].state, findings["visual embedder"].says) == ("skipped", "ocr_regions is loaded, on cpu")
    assert found("default", "whole", home)["collection"].says == "whole has 0 documents"
    assert "there are: damaged, whole" in found("default", "yours", home)["collection"].says
    home.chmod(0o755)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_200_000))
    findings = found("default", "whole", home)
    assert problems(findings) == {"home folder", "disk"}
    assert findings["home folder"].says == f"{home}: other users of this machine can read it: chmod 700 {home}"
    assert "only 1.2 MB free" in findings["disk"].says


def test_a_profile_that_does_not_exist_ends_it() -> None:
    assert list(found("defualt")) == ["home folder", "disk", "profile"]


@pytest.mark.gate
def test_the_command_prints_and_exits(serve: Serve, profile: Write, capsys: pytest.CaptureFixture[str]) -> None:
    good = profile(serve(honest).url)
    assert cli.main(["doctor", "--profile", good]) == 0
    said = capsys.readouterr().out
    assert "structured output: the server restricts replies to a JSON schema" in said
    assert said.endswith("All is well.\n")
    assert "images: an image of 256 x 256 pixels is 64 tokens" in said
    assert list(found(good)) == [
        "home folder", "disk", "profile", "text embedder", "visual embedder", "plugins", "files",
        "Office files", *ROLES, "model", "structured output", "images",
    ]  # fmt: skip
    assert cli.main(["doctor", "--profile", profile(serve(honest).url, name="other"), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert {c["state"] for c in report["checks"]} == {"good", "problem", "skipped"}


def test_what_a_server_says_is_disarmed(serve: Serve, profile: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--profile", profile(serve(lambda _: refuses(400, "\x1b[2Jboom")).url)]) == 1
    said = capsys.readouterr().out
    assert "boom" in said
    assert "\x1b" not in said


def test_plugins_are_named_and_problems_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare.yaml").write_text("indexing: {visual: none}")
    monkeypatch.setenv(VARIABLE, "")
    load_installed.cache_clear()
    findings = found(str(tmp_path / "bare.yaml"))
    assert findings["plugins"] == Finding("plugins", "good", "none")
    assert findings["files"].says == "epub, jpeg, jpg, oxps, pdf, png, tif, tiff, webp, xps"
    assert "Office files" not in findings
    monkeypatch.setenv(VARIABLE, "absent")
    load_installed.cache_clear()
    problem = found(str(tmp_path / "bare.yaml"))["plugins"]
    assert (problem.state, problem.says) == (
        "problem",
        "VOUCH_PLUGINS names 'absent', which is not installed: install it, or leave it out of VOUCH_PLUGINS",
    )
    monkeypatch.undo()
    load_installed.cache_clear()


def test_a_check_of_a_plugin_that_fails_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare.yaml").write_text("indexing: {visual: none}")
    plugin = Plugin("weather", "It checks.", checks=(DoctorCheck("weather", "no_such_module:run"),))
    monkeypatch.setattr("vouch.hooks.load_installed", lambda: Installed((plugin,), ()))
    finding = found(str(tmp_path / "bare.yaml"))["weather"]
    assert finding.state == "problem"
    assert finding.says.startswith("the check failed (ModuleNotFoundError: No module named 'no_such_module')")

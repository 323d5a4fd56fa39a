"""Plugins: found by entry points, chosen by a variable, left out with a reason where they cannot be loaded."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from vouch import hooks

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = sorted(path.parent.name for path in ROOT.glob("plugins/*/plugin.py"))
GOOD = hooks.Plugin("good", "It adds a format.", formats=(hooks.FileFormat(".good", "good", ("text",), "os:getcwd"),))
NOT_A_PLUGIN = "a text"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    hooks.load_installed.cache_clear()
    yield
    hooks.load_installed.cache_clear()


def found(monkeypatch: pytest.MonkeyPatch, **targets: str) -> None:
    points = EntryPoints(EntryPoint(name, value, hooks.GROUP) for name, value in targets.items())
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points.select(group=group))


def test_the_plugins_of_the_repository_are_found_by_their_entry_points() -> None:
    assert [plugin.name for plugin in hooks.load_installed().plugins] == BUNDLED
    assert hooks.load_installed().problems == ()


def test_what_plugins_add_comes_in_the_order_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, good=f"{__name__}:GOOD")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    assert hooks.names(hooks.additions("formats")) == ("good",)
    assert hooks.additions("tabs") == ()


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("no_such_package.plugin:PLUGIN", "the plugin 'bad' could not be loaded: ModuleNotFoundError"),
        (f"{__name__}:NOTHING", "the plugin 'bad' could not be loaded: AttributeError"),
        (f"{__name__}:NOT_A_PLUGIN", "the plugin 'bad' is not a vouch.hooks.Plugin"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_left_out(monkeypatch: pytest.MonkeyPatch, target: str, problem: str) -> None:
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    found(monkeypatch, bad=target, good=f"{__name__}:GOOD")
    assert hooks.load_installed().plugins == (GOOD,)
    assert hooks.load_installed().problems[0].startswith(problem)


def test_the_variable_chooses_among_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(hooks.VARIABLE, "")
    assert hooks.load_installed() == hooks.Installed((), ())
    hooks.load_installed.cache_clear()
    monkeypatch.setenv(hooks.VARIABLE, f"{BUNDLED[0]}, absent")
    assert [plugin.name for plugin in hooks.load_installed().plugins] == BUNDLED[:1]
    assert hooks.load_installed().problems == ("VOUCH_PLUGINS names 'absent', which is not installed",)


@pytest.mark.parametrize("first", ["vouch", "ui.cli", "evaluation", "plugins.audit.plugin"])
def test_every_plugin_loads_whatever_was_imported_first(first: str) -> None:
    """In a process of its own: here all of them are imported already, and a circle of imports stays unseen."""
    code = f"import {first}; from vouch import hooks; print(hooks.load_installed().problems)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout == "()\n"


def test_listing_plugins_imports_nothing_heavy() -> None:
    code = "from vouch import hooks; hooks.load_installed(); import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    heavy = {"gradio", "lancedb", "numpy", "pymupdf", "onnxruntime", "pydantic", "rich", "lxml"}
    assert heavy.intersection(run.stdout.split()) == set()


def test_a_name_of_the_core_stays_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = hooks.Plugin(
        "taken",
        "It takes names.",
        commands=(hooks.Command("ask", "no", "os:getcwd", "os:getcwd"),),
        embedders=(hooks.EmbedderSpec("minilm", "text", "no", "os:getcwd", "included"),),
        methods=(hooks.AnswerMethod("quote", "No", "no", "no", "os:getcwd"),),
        exports=(hooks.Export("pdf", (".pdf",), "no", "text/plain", "os:getcwd"),),
        tasks=(hooks.BenchmarkTask("mmdocir", "os"),),
    )
    monkeypatch.setattr(hooks, "load_installed", lambda: hooks.Installed((taken,), ()))
    from configs import EMBEDDERS, EXPORTS, METHODS, embedders, exports, methods
    from evaluation.tasks import TASKS
    from ui.cli.command_list import COMMANDS, every_command

    assert every_command() == COMMANDS
    assert (*embedders("text"), *embedders("visual")) == EMBEDDERS
    assert (methods(), exports()) == (METHODS, EXPORTS)
    assert TASKS["mmdocir"].NAME == "mmdocir"

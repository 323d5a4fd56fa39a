"""Benchmarks and commands of plugins stand beside our own, and are not there without them."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from types import ModuleType

import pytest

from evaluation import cli
from evaluation.tasks import TASKS, own_questions
from tests.vouch.test_hooks import found
from vouch import hooks

ADDED = hooks.Plugin(
    "added",
    "It adds a benchmark and a command.",
    commands=(hooks.Command("weigh", "weigh runs", f"{__name__}:add_options", f"{__name__}:weigh", group="eval"),),
    tasks=(hooks.BenchmarkTask("weather", "weather_benchmark"),),
)


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--heavy", action="store_true")


def weigh(asked: Namespace) -> int:
    return 7 if asked.heavy else 0


@pytest.fixture(autouse=True)
def only_the_added_one(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("weather_benchmark", "Forecasts of a mill.")
    vars(module).update({name: value for name, value in vars(own_questions).items() if not name.startswith("__")})
    vars(module).update(NAME="weather", SAYS="forecasts")
    monkeypatch.setitem(sys.modules, "weather_benchmark", module)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    found(monkeypatch, added=f"{__name__}:ADDED")
    hooks.load_installed.cache_clear()
    yield
    hooks.load_installed.cache_clear()


def test_a_benchmark_of_a_plugin_is_one_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*TASKS][-1] == "weather"
    assert len(TASKS) == len([*TASKS]) == 3
    assert TASKS["weather"].SAYS == "forecasts"
    with pytest.raises(SystemExit):
        cli.main(["weather", "--help"])
    assert "Forecasts of a mill." in capsys.readouterr().out


def test_a_command_of_a_plugin_is_run_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["weigh", "--heavy"]) == 7
    assert cli.main(["weigh"]) == 0
    with pytest.raises(SystemExit):
        cli.main(["weigh", "--help"])
    assert str(__doc__) in capsys.readouterr().out, "the docstring of the module with its options describes it"


def test_what_absent_plugins_would_add_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("construct", "written", "citevqa"):
        with pytest.raises(SystemExit):
            cli.main([name])
        said = capsys.readouterr().err
        assert f"'{name}' is not known" in said
        assert "see vouch eval --help" in said
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    said = capsys.readouterr().out
    assert "vouch eval mmdocir" in said
    assert "vouch eval citevqa" not in said, "no example of a task that is not there"
    assert "come with the plugin research" in said

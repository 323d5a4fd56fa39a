"""The hooks: what a plugin can add to Vouch, and the list of the plugins that are installed.

A plugin is a package with one `Plugin` value, named by an entry point of the group "vouch.plugins":

    [project.entry-points."vouch.plugins"]
    weather = "vouch_weather.plugin:PLUGIN"

    PLUGIN = Plugin("weather", "Answer from weather reports.", formats=(FileFormat(".grib", "grib", ("text",), "..."),))

The core lists its own commands, formats, embedders, methods, exports and tasks by the same types. Whatever takes time
to import is named as "module:attribute" and loaded when it is first used, so listing plugins imports next to nothing.
`VOUCH_PLUGINS` chooses among the installed plugins: names with commas between, or nothing for none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal, Protocol, TypeVar

GROUP = "vouch.plugins"
"""The group of entry points that name plugins."""
VARIABLE = "VOUCH_PLUGINS"
"""The variable of the environment that chooses among the installed plugins."""

Target = str
"""A place in code, as "module:attribute"."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `vouch NAME`, in the group "eval" `vouch eval NAME`, in "construct" `vouch eval construct NAME`.

    `options` is a function that adds the options to a parser, `run` one that takes the parsed options and returns the
    exit code. `examples` is the text below the help.
    """

    name: str
    summary: str
    options: Target
    run: Target
    examples: str = ""
    group: Literal["", "eval", "construct"] = ""


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of the page: `build` takes the `PageContext` (ui/web/app.py) and makes widgets and events.

    Its style sheets and scripts are in the folder `static` beside the plugin, its templates in `templates`.
    `without_model` is the label of a button that leads to the tab, on a page whose answers no language model writes.
    """

    name: str
    title: str
    build: Target
    without_model: str = ""


@dataclass(frozen=True, slots=True)
class ApiRoutes:
    """Operations of the HTTP API below /api/v1: `router` is an `OperationRouter` (ui/web/api/routing.py).

    `tools` are functions of an `ApiCall` and a model of arguments, which `vouch serve --mcp` offers by their names.
    """

    router: Target
    tools: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class CitationFollower:
    """The part of a text check that follows the sources which a text names to documents of the collection.

    `make` is a function of the `Collection` and the `ListedEntry`s of the text's bibliography that returns a
    `SourceFollower` (rag/attribution/checking.py). Of several the first is used.
    """

    make: Target


Container = Literal["zip", "ole", "rtf", "text"]
"""The outermost form of a file, identified by its first bytes."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format that is converted to a PDF with elements on it.

    `suffix` is its extension, in small letters with the dot. `converter` is a function of the path and the
    `IndexingSettings` that returns a `Rendition` (indexing/conversion.py), or raises a FileError.
    `containers` are the forms that its files can have. `program` is True if the converter runs another program, to
    which the memory limit of the worker must not apply.
    """

    suffix: str
    name: str
    containers: tuple[Container, ...]
    converter: Target
    program: bool = False


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A source of documents for `vouch index`, named by an option in place of paths.

    `options` is a function of two arguments, the parser and its group of options of which exactly one is given; it adds
    the source's option to the group. `read` is a function of the parsed options that returns `SourceFiles`
    (indexing/ingest/report.py), or None if they do not name the source. `example` is a line for the help.
    """

    name: str
    options: Target
    read: Target
    example: str = ""


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """An embedder of texts or of page images, by the name that settings and collections have for it.

    `load` is a function of an `EmbedderContext` that returns a `TextEmbedder` or a `VisualEmbedder`; all three are in
    indexing/embed/protocol.py. `weights` says where its weights are: included in Vouch or a plugin, in a checkpoint
    that the settings name, or on a server. `bits` are those in which a component of its vectors is stored, 4 or 8.
    `packages` are imported by it and checked before it is loaded, `file` is the one by which a checkpoint is known.
    """

    name: str
    kind: Literal["text", "visual"]
    summary: str
    load: Target
    weights: Literal["included", "checkpoint", "server"]
    bits: Literal[4, 8] = 8
    packages: tuple[str, ...] = ()
    file: str = "config.json"


@dataclass(frozen=True, slots=True)
class ExecutorSpec:
    """A place where `vouch index --on` lets work be done: NAME, or NAME://ADDRESS.

    `index` is a function of the value of `--on`, the `IndexingSettings`, the folder for renditions, and a function that
    returns True once the run is to end; it returns an `Executor` (indexing/executors.py). `summary` says in a help what
    the name stands for.
    """

    name: str
    summary: str
    index: Target


OptionValue = bool | int | float | str
"""A value of an option of a method of answering."""


@dataclass(frozen=True, slots=True)
class MethodOption:
    """An option that methods of answering declare: `min_words` is `--min-words` of `vouch ask`.

    Its values have the type of the `default`; one that is True or False is a flag.
    """

    name: str
    default: OptionValue
    help: str


@dataclass(frozen=True, slots=True)
class AnswerMethod:
    """A method of answering: `make` is a function of a `MethodContext` (rag/methods/protocol.py) that returns it.

    `label` is its name on the page, `answered` how an answer by it is described ("written"), `summary` its line in a
    help. `model` is True if it needs a language model, `notes` if it can answer from notes on the evidence, and so
    read every page, `pages` if it can be given pages, `earlier` if it gets the earlier questions. `options` are those
    that it reads from the `method_options` of a question (rag/options.py), which has the values of all of them.
    """

    name: str
    label: str
    answered: str
    summary: str
    make: Target
    model: bool = True
    notes: bool = False
    pages: bool = True
    earlier: bool = True
    options: tuple[MethodOption, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRemarks:
    """Additional remarks, displayed beside an answer: `make` is a function of two arguments.

    They are the `Draft` and the `MethodContext` that it was made in (rag/methods/protocol.py). It returns `Sentence`s
    (rag/types.py) that are `beside` the answer under a `heading`, and cite places. Remarks whose citations do not agree
    with the page are left out.
    """

    make: Target


@dataclass(frozen=True, slots=True)
class Export:
    """An export format for answers; the first of `suffixes` is that of its files.

    `write` is a function of `ExportContents` (ui/export/sources.py) and the path of the file that was asked for; it
    returns the bytes of each file to write by its path, and raises ExportError. `cites` is True for a form that only
    answers with citations have, `pictures` for one with pictures of the places, `offered` for one on the page.
    """

    name: str
    suffixes: tuple[str, ...]
    label: str
    media_type: str
    write: Target
    cites: bool = False
    pictures: bool = False
    offered: bool = True


@dataclass(frozen=True, slots=True)
class BenchmarkTask:
    """A benchmark of `vouch eval`: `module` has the names of `Task` in evaluation/tasks/protocol.py."""

    name: str
    module: str


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """Something that `vouch doctor` checks: `run` is a function of the `Profile` that yields findings.

    A finding is the name of what was checked, its state ("good"; "skipped" for what is missing and not needed;
    "problem"), and a text, which names the next step of a problem.
    """

    name: str
    run: Target


@dataclass(frozen=True, slots=True)
class IndexNotes:
    """Notes at the end of `vouch index`: `make` is a function of two arguments that returns them, a sentence each.

    They are the `Collection`, and the `Document`s (indexing/types.py) that it had before.
    """

    make: Target


@dataclass(frozen=True, slots=True)
class AccessControl:
    """The access to a server by accounts, with the rights of each, in place of one owner of everything.

    `open` is a function of a `StateStore` (ui/state), the `UiSettings`, and True where people have to log in, which
    returns an `Access` (ui/access.py). It raises AddressError. Of several the first is used. `tables` is a `MetaData`
    of SQLAlchemy with the tables that it needs in the state: those that are missing are created.
    """

    name: str
    open: Target
    tables: Target = ""


@dataclass(frozen=True, slots=True)
class PairReader:
    """Models that read two texts together: rerankers, and judges of whether a text proves a sentence.

    `reranking` is a function of a search (the number of elements -> `Found`), the question and the folder of a
    model. It returns a search whose best elements are reordered, with `notes` and `seconds`. `judge` is a
    function of `VerifierSettings` and another `Judge`, or None, that returns a `Judge`. Of several the first is used.
    """

    name: str
    reranking: Target
    judge: Target


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin: its name, a sentence about it, and what it adds."""

    name: str
    summary: str
    commands: tuple[Command, ...] = ()
    tabs: tuple[Tab, ...] = ()
    routes: tuple[ApiRoutes, ...] = ()
    citations: tuple[CitationFollower, ...] = ()
    formats: tuple[FileFormat, ...] = ()
    sources: tuple[DocumentSource, ...] = ()
    checks: tuple[DoctorCheck, ...] = ()
    embedders: tuple[EmbedderSpec, ...] = ()
    executors: tuple[ExecutorSpec, ...] = ()
    methods: tuple[AnswerMethod, ...] = ()
    remarks: tuple[AnswerRemarks, ...] = ()
    exports: tuple[Export, ...] = ()
    tasks: tuple[BenchmarkTask, ...] = ()
    access: tuple[AccessControl, ...] = ()
    pair_readers: tuple[PairReader, ...] = ()
    index_notes: tuple[IndexNotes, ...] = ()


@dataclass(frozen=True, slots=True)
class Installed:
    """The plugins that could be loaded, in the order of their names, and an error message for each of the others."""

    plugins: tuple[Plugin, ...]
    problems: tuple[str, ...]


@cache
def load_installed() -> Installed:
    """Load the plugins that are installed and chosen. One that cannot be loaded is reported and left out."""
    from importlib.metadata import entry_points

    points = {point.name: point for point in entry_points(group=GROUP)}
    chosen_names = _chosen_names(points)
    plugins: list[Plugin] = []
    problems = [f"{VARIABLE} names {name!r}, which is not installed" for name in sorted(chosen_names - set(points))]
    for name, point in sorted((name, point) for name, point in points.items() if name in chosen_names):
        try:
            plugin = point.load()
        except Exception as error:  # noqa: BLE001 - third-party code, and Vouch works without it
            problems.append(f"the plugin {name!r} could not be loaded: {type(error).__name__}: {error}")
            continue
        if isinstance(plugin, Plugin):
            plugins.append(plugin)
        else:
            problems.append(f"the plugin {name!r} is not a vouch.hooks.Plugin: {point.value}")
    return Installed(tuple(plugins), tuple(problems))


def _chosen_names(installed_names: Iterable[str]) -> set[str]:
    """Return the names of the plugins in `VOUCH_PLUGINS`, of all installed ones if it is not set."""
    setting = os.environ.get(VARIABLE)
    return set(installed_names) if setting is None else {name.strip() for name in setting.split(",")} - {""}


def left_out() -> tuple[str, ...]:
    """Return the sorted names of the installed plugins that `VOUCH_PLUGINS` does not name."""
    from importlib.metadata import entry_points

    installed_names = {point.name for point in entry_points(group=GROUP)}
    return tuple(sorted(installed_names - _chosen_names(installed_names)))


Kind = Literal[
    "commands",
    "tabs",
    "routes",
    "citations",
    "formats",
    "sources",
    "checks",
    "embedders",
    "executors",
    "methods",
    "remarks",
    "exports",
    "tasks",
    "access",
    "pair_readers",
    "index_notes",
]
"""The kinds of things that a plugin adds: the fields of `Plugin`."""


def additions(kind: Kind) -> Any:
    """Return the items of one kind that plugins add, as a tuple in the order of the plugins' names."""
    return tuple(item for plugin in load_installed().plugins for item in getattr(plugin, kind))


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


def with_added(own: Sequence[_Named], more: Sequence[_Named]) -> tuple[_Named, ...]:
    """Return the items of the core and those of plugins; of two with the same name the first."""
    by_name: dict[str, _Named] = {}
    for item in (*own, *more):
        by_name.setdefault(item.name, item)
    return tuple(by_name.values())


def left_out_advice() -> str:
    """Return advice about the installed plugins that `VOUCH_PLUGINS` leaves out; "" if it leaves out none.

    It is the end of a message about an unknown name, which one of them may add.
    """
    names = left_out()
    return f"{VARIABLE} leaves out {', '.join(names)}: name the plugin there, or unset it" if names else ""


def load(target: Target) -> Any:
    """Import the module of a target and return the attribute. Raises what importing raises, and AttributeError."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def package_of(target: Target) -> str:
    """Return the name of the package of a target's module, in whose folder the files beside it are."""
    return target.partition(":")[0].rpartition(".")[0]


def names(items: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of commands, tabs, formats and so on, in their order."""
    return tuple(item.name for item in items)

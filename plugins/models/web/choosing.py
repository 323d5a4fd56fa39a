"""Choose the model that answers, on the page: fetch, try and use it, as work that can be followed and stopped.

Independent of Gradio; every method may be called from any thread. No server is contacted before a person asks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import ValidationError

from indexing import IndexingError
from plugins.models.errors import ModelsError
from plugins.models.library import installed_model, part_folder, write_manifest
from plugins.models.profile import QUOTES, Changes, merge, try_model, try_writer, write_changes
from rag import ModelError, RagSettings, load_profile
from rag.llm import LOCAL, ServerAt, models_at, place_of_environment, server_address
from ui import NotAllowed
from ui.access import ALL_COLLECTIONS, SCENE
from ui.show import State
from ui.web import FollowedWork, begin_thread

if TYPE_CHECKING:
    from plugins.models.hub import FetchPlan
    from ui.web.open_collections import OpenCollections

_POLL = 0.5
_ENDS_WITHIN = 10.0
"""The seconds that a fetch has to end by itself once it is stopped."""
_MOST_ERROR = 2000


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the work: `says` names it, a finding, and the bytes fetched (`here`) of `all`, 0 without a fetch."""

    says: str = ""
    finding: str = ""
    here: int = 0
    all: int = 0


@dataclass(frozen=True, slots=True)
class ChoiceMoment:
    """The progress at one moment: the current step (`says`), the findings so far, and the bytes of a fetch."""

    state: State = "done"
    says: str = ""
    findings: tuple[str, ...] = ()
    here: int = 0
    all: int = 0
    error: str = ""

    def after(self, step: Step) -> ChoiceMoment:
        """Return the progress after a step or a finding."""
        findings = (*self.findings, step.finding) if step.finding else self.findings
        return replace(self, says=step.says or self.says, findings=findings, here=step.here, all=step.all)

    def end(self, state: State, error: str = "") -> ChoiceMoment:
        """Return the progress at the end of the work, with its state and error."""
        return replace(self, state=state, error=error)


class Choice(FollowedWork[ChoiceMoment]):
    """The work of bringing one model into use, which can be followed and stopped."""


class Choices:
    """The choice of a server's model, one at a time, visible to all who may choose.

    Each method raises NotAllowed for others: people with accounts need the role editor in all collections; without
    accounts, requests must come from this machine.
    """

    def __init__(self, open_collections: OpenCollections) -> None:
        """Keep the open collections, which answer with the chosen model."""
        self._open = open_collections
        self._lock = threading.Lock()
        self.latest: Choice | None = None
        open_collections.at_close(self.stop)

    @property
    def may_choose(self) -> bool:
        """True if the person or address of the current request may choose the model."""
        access = self._open.access
        if access.has_accounts:
            return access.may("editor", ALL_COLLECTIONS)
        return SCENE.get().address.startswith("127.") or SCENE.get().address in ("", "::/64")

    def require(self) -> None:
        """Raise NotAllowed if the current request may not choose the model."""
        if not self.may_choose:
            raise NotAllowed(
                "the model is chosen by an editor of all collections"
                if self._open.access.has_accounts
                else "the model is chosen on the machine that Vouch runs on: open the page there, or use vouch models"
            )

    @property
    def in_use(self) -> str:
        """The name of the model that answers, "" for quotes."""
        model = self._open.profile.rag.model
        return model.name if model is not None else ""

    def advice(self, collection: str) -> str:
        """Return advice to use another text embedder for a collection; "" for those who may not choose."""
        from plugins.models.languages import advice_on

        with suppress(NotAllowed, IndexingError):
            self.require()
            with self._open.open_collection(collection) as (source, _):
                return advice_on(source)
        return ""

    def plan(self, name: str) -> FetchPlan:
        """Ask the hub what would be fetched for a model of the catalogue. Raises NotAllowed, ModelsError."""
        from plugins.models.catalogue import catalogue, entry_of
        from plugins.models.hub import plan

        self.require()
        if name not in {entry.name for entry in catalogue() if entry.role == "writer"}:
            raise ModelsError(f"no model {name[:80]!r} is in the list: choose one of it")
        return plan(entry_of(name))

    def servers(self) -> list[tuple[str, str]]:
        """Return the models that servers of this machine have, as (name, address). Raises NotAllowed."""
        self.require()
        own_server = place_of_environment()
        models = []
        for server in (*LOCAL, *([own_server] if own_server else [])):
            with suppress(ModelError, ValidationError):
                models += [(model.name, server.base_url) for model in models_at(server)]
        return models

    def fetch(self, todo: FetchPlan) -> Choice:
        """Begin to fetch a model whose licence was shown, and to use it. Raises NotAllowed."""
        return self._start(lambda: _fetch_steps(todo), lambda: self._use_installed(todo.entry.name))

    def use(self, name: str) -> Choice:
        """Begin to use an installed model. Raises NotAllowed, ModelsError."""
        installed_model(name)
        return self._start(lambda: self._use_installed(name))

    def connect(self, address: str, name: str, key: str = "") -> Choice:
        """Begin to use the model of a server; `name` is required if it has several. Raises NotAllowed."""
        return self._start(lambda: self._use_server(server_address(address.strip()), name.strip(), key.strip()))

    def quotes(self) -> None:
        """Let answers be quotes again. Raises NotAllowed, ModelsError."""
        self.require()
        list(self._apply(QUOTES))

    def stop(self) -> None:
        """Stop the work in progress; files that were fetched stay, and the model in use does not change."""
        if self.latest is not None:
            self.latest.stop()

    def _start(self, *parts: Callable[[], Iterator[Step]]) -> Choice:
        """Begin work in parts, one after the other. Raises NotAllowed, and ModelsError while other work runs."""
        self.require()
        with self._lock:
            if self.latest is not None and self.latest.now.state == "busy":
                raise ModelsError(f"this is not finished yet: {self.latest.now.says}: wait for it, or stop it")
            choice = self.latest = Choice(ChoiceMoment("busy"))
        begin_thread(choice.run, _run_parts(choice, parts), name=f"model {choice.id}")
        return choice

    def _use_installed(self, name: str) -> Iterator[Step]:
        """Yield the steps of trying an installed model, and of using it from then on."""
        manifest, _ = installed_model(name)
        yield Step(f"Loading {name}, and asking it a first question")
        findings: list[str] = []
        changes, speed = try_model(manifest, findings.append)
        yield from (Step(finding=finding) for finding in findings)
        write_manifest(manifest.model_copy(update={"speed": speed}))
        yield from self._apply(changes)
        yield Step(f"{name} writes the answers from now on")

    def _use_server(self, address: str, name: str, key: str) -> Iterator[Step]:
        """Yield the steps of trying a model of a server, and of using it from then on."""
        variable = _variable_of(address, key)
        yield Step(f"Asking {address} for its models")
        server = ServerAt(address, api_key_env=variable)
        try:
            models = {model.name: model.context_tokens for model in models_at(server)}
            if not name and len(models) != 1:
                names = ", ".join(list(models)[:20]) or "none"
                raise ModelsError(f"there are several models, or none: name one of {names}")
            name = name or next(iter(models))
            yield Step(f"Asking {name} a first question")
            keys = {"base_url": address, "name": name} | ({"api_key_env": variable} if variable else {})
            findings: list[str] = []
            changes, _ = try_writer(keys, findings.append, models.get(name, 0))
        except ValidationError as error:
            reason = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise ModelsError(f"{address[:200]} {reason}") from None
        yield from (Step(finding=finding) for finding in findings)
        yield from self._apply(changes)
        yield Step(f"{name} at {address} writes the answers from now on")

    def _apply(self, changes: Changes) -> Iterator[Step]:
        """Use a model from the next question on, and write it into the profile of the server's user."""
        profile = self._open.profile
        is_own = load_profile().model_dump() == profile.model_dump()
        try:
            rag = profile.rag.model_dump(mode="json", exclude_unset=True)
            settings = RagSettings.model_validate(merge(rag, changes["rag"]))
        except ValidationError as error:
            raise ModelsError(f"the profile of this server cannot be changed: {error.errors()[0]['msg']}") from None
        with self._open.access.record("choose-model", thing=settings.model.name if settings.model else "quotes"):
            write_changes(changes)
            self._open.answer_with(settings)
        if not is_own:
            yield Step(finding="this server was started with another profile, which is as it was: start it without one")


def _variable_of(address: str, key: str) -> str:
    """Return the environment variable that has the key of an address, "" for a server that needs none.

    A typed key is put into a variable of this process that is named after the host, so that no other host is sent it;
    a profile has the name of the variable and no key.
    """
    if key:
        variable = "VOUCH_KEY_" + re.sub(r"[^A-Z0-9]+", "_", (urlsplit(address).hostname or "").upper())
        os.environ[variable] = key
        return variable
    server = place_of_environment()
    return server.api_key_env if server is not None and server.base_url == address else ""


def _run_parts(choice: Choice, parts: tuple[Callable[[], Iterator[Step]], ...]) -> Iterator[Step]:
    for part in parts:
        yield from part()
    choice.set_moment(choice.now.end("done"))


def _fetch_steps(todo: FetchPlan) -> Iterator[Step]:
    """Fetch a model in a separate process, which can be ended at any moment; the next fetch resumes."""
    name, folder = todo.entry.name, part_folder(todo.entry.name)
    with tempfile.TemporaryFile() as errors:
        environment = os.environ | {"HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        process = subprocess.Popen(  # noqa: S603  our own command
            _fetch_command(todo), stdout=subprocess.DEVNULL, stderr=errors, env=environment
        )
        try:
            while process.poll() is None:
                yield Step(f"Fetching {name}", here=min(_bytes_in(folder), todo.size), all=todo.size)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL)
        finally:
            if process.poll() is None:
                _terminate(process)
        if process.returncode:
            errors.seek(0)
            lines = errors.read()[-_MOST_ERROR:].decode(errors="replace").strip().splitlines()
            raise ModelsError((lines or ["the fetch ended"])[-1].removeprefix("vouch: "))
    yield Step(finding=f"{name} is here, and every file has its hash")


def _fetch_command(todo: FetchPlan) -> list[str]:
    """Return the command that fetches a model whose licence was accepted."""
    options = ["--accept", todo.licence] if todo.licence else []
    return [sys.executable, "-m", "ui.cli", "models", "get", todo.entry.name, "--yes", *options]


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _bytes_in(folder: Path) -> int:
    """Return the bytes of all files of a folder, unfinished ones included."""
    sizes: list[int] = []
    for path in folder.rglob("*"):
        with suppress(OSError):  # it was renamed meanwhile
            sizes.append(path.stat().st_size if path.is_file() else 0)
    return sum(sizes)

"""`vouch connect`: find a model, ask it what it can take, write a profile, and show that it answers.

Nothing is downloaded. Only this machine is looked at, and the address that OPENAI_BASE_URL names, unless an address is
given.
"""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from rag import (
    ModelError,
    ModelSettings,
    ModelUnknown,
    NoChatServer,
    NoModel,
    ProfileError,
    ReplyCutOff,
    ServerDown,
)
from rag.llm import Message, served_model
from rag.llm.discovery import LOCAL, Served, ServerAt, models_at, place_of_environment, probe_server
from rag.llm.local import engine_of, limit_context
from ui.cli.connection.profile_file import add_model, check_addable, check_free, write_profile
from ui.cli.terminal import state_mark
from ui.show import clean, counted

_PATIENCE = 300.0
"""The seconds that a server may take for a first answer: some load the model for it."""
_QUESTION = "The ferry leaves at nine. When does the ferry leave? Answer in one short sentence."
_MOST_SHOWN = 30
"""The most models that are listed."""


def connect(args: Namespace) -> int:
    """Run `vouch connect`: 0 when a model answered and its profile is written, 1 when there are several to choose from.

    Raises RagError where none is found, or where one does not answer.
    """
    target = Path(args.to)
    if args.add is None:
        check_free(target)
    else:
        check_addable(target, args.add)
    where = args.where or ""
    if where and "://" not in where:
        settings, context = _file(where, args), 0
    else:
        places = [ServerAt(_address(where), "", args.key_env or "")] if where else [*LOCAL, *_of_environment(args)]
        selection = _select_model(places, args.model)
        if selection is None:
            return 1
        settings, context = selection
    print(f"{_mark(True)} {clean(settings.name)} at {clean(settings.place)}", flush=True)
    held = engine_of(limit_context(settings)) if settings.gguf else None  # loaded once for all that follows
    for finding in probe_server(settings, context):
        settings = finding.settings
        print(f"{_mark(finding.good)} {finding.about}: {clean(finding.says)}", flush=True)
    print(f"{_mark(True)} {_test_answer(settings)}")
    del held
    if args.add is None:
        write_profile(target, settings)
        print(f"\nWritten: {clean(str(target))}. Next:")
    else:
        add_model(target, args.add, settings)
        print(f"\nAdded to {clean(str(target))}. Next:")
    which = f" --model {shlex.quote(clean(args.add))}" if args.add else ""
    print(f'  vouch ask "your question" --profile {clean(str(target))}{which}')
    print(f"  vouch serve --profile {clean(str(target))}")
    return 0


def _file(where: str, args: Namespace) -> ModelSettings:
    """Return the settings of a model in this process. A path that begins at home, or here, is written down whole."""
    values = {"gguf": str(Path(where).expanduser().absolute()), "name": args.model or Path(where).stem}
    if args.mmproj:
        values["mmproj"] = str(Path(args.mmproj).expanduser().absolute())
    return _settings(**values)


def _address(where: str) -> str:
    """Return an address with the path that nearly all servers have, where it has none."""
    return where.rstrip("/") + "/v1" if urlsplit(where).path in ("", "/") else where


def _of_environment(args: Namespace) -> list[ServerAt]:
    place = place_of_environment()
    if place is None:
        return []
    return [ServerAt(_address(place.base_url), place.known_as, args.key_env or place.api_key_env)]


def _select_model(places: list[ServerAt], wanted: str | None) -> tuple[ModelSettings, int] | None:
    """Return the only model found, or the wanted one, with its context length; None after listing several.

    Raises NoModel, ModelUnknown when only others are there, and the ModelError of a place that was named.
    """
    models = [(place, served) for place in places for served in _list_models(place, wanted)]
    fitting = [(place, served) for place, served in models if wanted in (None, served.name)]
    if not models:
        raise NoModel(_nothing(places))
    if not fitting:
        names = ", ".join(served.name for _, served in models[:_MOST_SHOWN])
        raise ModelUnknown(f"there is no model {wanted!r}: choose one of {names} with --model")
    if len(fitting) > 1:
        print("There are several models. Choose one:")
        for place, served in fitting[:_MOST_SHOWN]:
            print(f"  vouch connect {clean(place.base_url)} --model {clean(served.name)}")
        return None
    ((place, served),) = fitting
    values = {"name": served.name, "api_key_env": place.api_key_env, "retries": 1, "timeout": _PATIENCE}
    return _settings(base_url=place.base_url, **values), served.context_tokens


def _list_models(place: ServerAt, wanted: str | None) -> tuple[Served, ...]:
    """Return the models of a server; the wanted one if the server lists none, as some do.

    A usual place that does not answer is passed over, and a fault of it told; one that was named raises ModelError.
    """
    is_named = not place.known_as
    _settings(base_url=place.base_url, name="any", api_key_env=place.api_key_env)  # what is none is told by its name
    try:
        return models_at(place)
    except NoChatServer:
        if is_named and wanted:
            return (Served(wanted, 0),)
        if is_named:
            raise
    except ModelError as error:
        if is_named:
            raise
        if not isinstance(error, ServerDown):
            print(f"{_mark(False)} {clean(str(error))}")
    return ()


def _nothing(places: list[ServerAt]) -> str:
    """Say where nobody answered, and what to do."""
    places_text = ", ".join(place.label for place in places)
    key = (
        "; OPENAI_API_KEY is set, but the address is missing: give it, for example https://api.openai.com/v1 --key-env "
        "OPENAI_API_KEY"
    )
    return (
        f"no model answers at {places_text}: start a server (docs/serving.md), give its address (vouch connect "
        "http://HOST:PORT/v1), or use vouch connect MODEL.gguf, which needs no server"
        f"{key if os.environ.get('OPENAI_API_KEY') else ''}"
    )


def _settings(**values: Any) -> ModelSettings:
    """Return the settings. Raises ProfileError for an address, or a name, that is none."""
    try:
        return ModelSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        source = values.get("base_url") or values.get("gguf")
        raise ProfileError(f"{source}: {first['msg'].removeprefix('Value error, ')}") from None


def _test_answer(settings: ModelSettings) -> str:
    """Ask one question, and return the answer with its usage. Raises ModelError."""
    model = served_model(settings)
    try:
        reply = model.complete([Message("user", (_QUESTION,))], max_tokens=128)
        text, usage = reply.text, reply.usage
    except ReplyCutOff as error:  # it goes on and on, but it answers
        text, usage = error.text, error.usage
    finally:
        model.close()
    short = " ".join(text.split())[:200]
    tokens = counted(usage.completion_tokens, "token")
    return f"asked “{_QUESTION.partition('. ')[2]}”, it answered: “{clean(short)}” ({tokens}, {usage.seconds:.1f} s)"


def _mark(good: bool) -> str:
    return state_mark("good" if good else "skipped", sys.stdout.encoding)

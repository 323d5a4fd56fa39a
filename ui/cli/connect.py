"""`vouch connect`: find a model, test what it supports, write a profile, and show that it answers.

Nothing is downloaded. Without an address, only servers of this machine and the one in OPENAI_BASE_URL are tried.
"""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from rag import (
    ModelError,
    ModelSettings,
    ModelUnknown,
    NoChatServer,
    NoModel,
    ProfileError,
    RagSettings,
    ReplyCutOff,
    ServerDown,
    load_profile,
)
from rag.llm import (
    LOCAL,
    Message,
    Served,
    ServerAt,
    engine_of,
    limit_context,
    models_at,
    place_of_environment,
    probe_server,
    served_model,
    server_address,
)
from ui.cli.terminal import state_mark
from ui.show import clean, count_of

_PATIENCE = 300.0
"""The seconds that a server may take for its first answer: some load the model first."""
_QUESTION = "The ferry leaves at nine. When does the ferry leave? Answer in one short sentence."
_MOST_SHOWN = 30
"""The most models that are listed."""
_HEAD = """\
# Written by `vouch connect`. All keys are explained in rag/settings.py and rag/llm/settings.py.
# `vouch doctor --profile THIS_FILE` checks it again.
"""


def connect(args: Namespace) -> int:
    """Run `vouch connect`: 0 if a model answered and its profile is written, 1 if there are several to choose from.

    Raises RagError if no model is found, or the model does not answer.
    """
    target = Path(args.to)
    if args.add is None:
        _check_free(target)
    else:
        _check_addable(target, args.add)
    where = args.where or ""
    if where and "://" not in where:
        settings, context = _settings_of_file(where, args), 0
    else:
        server = ServerAt(server_address(where), "", args.key_env or "")
        selection = _select_model([server] if where else [*LOCAL, *_of_environment(args)], args.model)
        if selection is None:
            return 1
        settings, context = selection
    print(f"{_mark(True)} {clean(settings.name)} at {clean(settings.place)}", flush=True)
    engine = engine_of(limit_context(settings)) if settings.gguf else None  # loaded once for all that follows
    for finding in probe_server(settings, context):
        settings = finding.settings
        print(f"{_mark(finding.good)} {finding.about}: {clean(finding.says)}", flush=True)
    print(f"{_mark(True)} {_test_answer(settings)}")
    del engine
    which = ""
    if args.add is None:
        _write_profile(target, settings)
        print(f"\nWritten: {clean(str(target))}. Next:")
    else:
        entry = yaml.safe_dump({args.add: _changed_keys(settings)}, sort_keys=False, allow_unicode=True)
        print(f"\nPut this under rag.models in {clean(str(target))}:\n{entry}\nNext:")
        which = f" --model {shlex.quote(clean(args.add))}"
    print(f'  vouch ask "your question" --profile {clean(str(target))}{which}')
    print(f"  vouch serve --profile {clean(str(target))}")
    return 0


def _check_free(path: Path) -> None:
    """Raise ProfileError for a path that exists, or that does not end in .yaml or .yml."""
    if path.suffix not in (".yaml", ".yml"):
        raise ProfileError(f"{path}: a profile is a .yaml file: give such a name with --to")
    if path.exists():
        raise ProfileError(f"{path} already exists: name another file with --to, or remove it")


def _check_addable(path: Path, name: str) -> None:
    """Raise ProfileError if no model of that name can be added to a profile; called before any model is tested."""
    rag = load_profile(str(path)).rag
    if rag.model is None:
        raise ProfileError(f"{path} has no rag.model to add others to: write a profile without --add first")
    if name in rag.model_names:
        raise ProfileError(f"{path} already has a model {name!r}: give another name with --add")
    try:
        RagSettings(model=rag.model, models={**rag.models, name: rag.model})
    except ValidationError as error:
        raise ProfileError(f"--add: {_reason(error)}") from None


def _write_profile(path: Path, settings: ModelSettings) -> None:
    """Write the profile of a model, with mode text if it does not take images."""
    rag: dict[str, Any] = {"method": "vanilla"} | ({} if settings.images else {"mode": "text"})
    rag["model"] = _changed_keys(settings)
    with path.open("x", encoding="utf-8") as file:
        file.write(_HEAD + yaml.safe_dump({"rag": rag}, sort_keys=False, allow_unicode=True))


def _changed_keys(settings: ModelSettings) -> dict[str, Any]:
    """Return the keys that name the model, and those that differ from the defaults, without retries and timeout."""
    first = ("base_url", "gguf", "mmproj", "name")
    values = {key: value for key in first if (value := getattr(settings, key))}
    usual = ModelSettings.model_validate(values)
    rest = settings.model_dump(exclude={*first, "retries", "timeout"})
    return values | {key: value for key, value in rest.items() if value != getattr(usual, key)}


def _settings_of_file(where: str, args: Namespace) -> ModelSettings:
    """Return the settings of a model in this process by the path of its GGUF file, which is made absolute."""
    values = {"gguf": str(Path(where).expanduser().absolute()), "name": args.model or Path(where).stem}
    if args.mmproj:
        values["mmproj"] = str(Path(args.mmproj).expanduser().absolute())
    return _settings(**values)


def _of_environment(args: Namespace) -> list[ServerAt]:
    server = place_of_environment()
    return [] if server is None else [replace(server, api_key_env=args.key_env or server.api_key_env)]


def _select_model(servers: list[ServerAt], model_name: str | None) -> tuple[ModelSettings, int] | None:
    """Return the only model, or the wanted one, with its context length in tokens; None after listing several.

    Raises NoModel, ModelUnknown if there are only others, and the ModelError of a server that the user named.
    """
    models = [(server, model) for server in servers for model in _list_models(server, model_name)]
    fitting = [(server, model) for server, model in models if model_name in (None, model.name)]
    if not models:
        raise NoModel(_nothing(servers))
    if not fitting:
        names = ", ".join(model.name for _, model in models[:_MOST_SHOWN])
        raise ModelUnknown(f"there is no model {model_name!r}: choose one of {names} with --model")
    if len(fitting) > 1:
        print("There are several models. Choose one:")
        for server, model in fitting[:_MOST_SHOWN]:
            print(f"  vouch connect {clean(server.base_url)} --model {clean(model.name)}")
        return None
    ((server, model),) = fitting
    values = {"name": model.name, "api_key_env": server.api_key_env, "retries": 1, "timeout": _PATIENCE}
    return _settings(base_url=server.base_url, **values), model.context_tokens


def _list_models(server: ServerAt, model_name: str | None) -> tuple[Served, ...]:
    """Return the models of a server; for a server named by the user that lists none, the wanted one.

    A usual address without a server has none, and its faults are printed; a server named by the user raises ModelError.
    """
    is_named = not server.known_as
    _settings(
        base_url=server.base_url, name="any", api_key_env=server.api_key_env
    )  # an invalid address is reported by name
    try:
        return models_at(server)
    except NoChatServer:
        if is_named and model_name:
            return (Served(model_name, 0),)
        if is_named:
            raise
    except ModelError as error:
        if is_named:
            raise
        if not isinstance(error, ServerDown):
            print(f"{_mark(False)} {clean(str(error))}")
    return ()


def _nothing(servers: list[ServerAt]) -> str:
    """Return the message that no server answered at these addresses, and what to do."""
    places_text = ", ".join(server.label for server in servers)
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
    """Return the settings of a model. Raises ProfileError for an invalid address, path or name."""
    try:
        return ModelSettings.model_validate(values)
    except ValidationError as error:
        raise ProfileError(f"{values.get('base_url') or values.get('gguf')}: {_reason(error)}") from None


def _reason(error: ValidationError) -> str:
    return error.errors()[0]["msg"].removeprefix("Value error, ")


def _test_answer(settings: ModelSettings) -> str:
    """Ask the model one question; return a sentence with its answer, tokens and seconds. Raises ModelError."""
    model = served_model(settings)
    try:
        reply = model.complete([Message("user", (_QUESTION,))], max_tokens=128)
        text, usage = reply.text, reply.usage
    except ReplyCutOff as error:  # it goes on and on, but it answers
        text, usage = error.text, error.usage
    finally:
        model.close()
    short = " ".join(text.split())[:200]
    tokens = count_of(usage.completion_tokens, "token")
    return f"asked “{_QUESTION.partition('. ')[2]}”, it answered: “{clean(short)}” ({tokens}, {usage.seconds:.1f} s)"


def _mark(good: bool) -> str:
    return state_mark("good" if good else "skipped", sys.stdout.encoding)

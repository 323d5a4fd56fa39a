"""The content of the tab that chooses a model, as HTML, and the models that it offers. Pure."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from plugins.models.advice import cost, fits, minutes, seconds, suggestion
from plugins.models.catalogue import catalogue
from plugins.models.hub import endpoint
from plugins.models.library import installed_models
from ui.show import HTML, message_html, render, size

if TYPE_CHECKING:
    from plugins.models.hub import FetchPlan
    from plugins.models.web.choosing import ChoiceMoment, Choices

_MOST_LICENCE = 40_000
"""The most characters of a licence that are shown; the whole text has the address."""


def models_to_choose() -> list[tuple[str, str]]:
    """Return the models that write as (label, name): the installed ones, then those that fit this machine."""
    local = [manifest for manifest in installed_models() if manifest.role == "writer"]
    names = {manifest.name for manifest in local}
    best = suggestion("writer")
    entries = [entry for entry in catalogue() if entry.role == "writer" and fits(entry) and entry.name not in names]
    entries.sort(key=lambda entry: (entry != best, seconds(entry)))
    choices = [
        (f"{model.name}: is here, {size(model.disk)}, {model.speed or 'not tried yet'}", model.name) for model in local
    ]
    return choices + [(f"{entry.name}: {cost(entry)}; {minutes(entry)}", entry.name) for entry in entries]


def status_html(choices: Choices) -> HTML:
    """Return the name of the model that writes the answers now, and who may choose another."""
    name = choices.in_use
    return render("plugins.models:web/templates/status.html", name=name, allowed=choices.may_choose)


def heading_html(text: str) -> HTML:
    """Return the heading of a way to a model."""
    return render("plugins.models:web/templates/heading.html", text=text)


def plan_html(todo: FetchPlan) -> HTML:
    """Return the files that would be fetched, and the licence."""
    return render(
        "plugins.models:web/templates/plan.html",
        entry=todo.entry,
        place=f"{endpoint()}/{todo.entry.repo}",
        revision=todo.revision,
        files=[(file.name, size(file.size)) for file in todo.files],
        size=size(todo.size),
        licence=todo.licence,
        licence_text=todo.licence_text[:_MOST_LICENCE],
        engine=find_spec("xllamacpp") is not None,
    )


def choice_html(moment: ChoiceMoment | None) -> HTML:
    """Return the progress of the work; empty before any began."""
    bytes_here = f"{size(moment.here)} of {size(moment.all)}" if moment and moment.all else ""
    return render("plugins.models:web/templates/choice.html", moment=moment, bytes_here=bytes_here)


def refused_html(error: Exception) -> HTML:
    """Return the reason why nothing was begun."""
    return message_html("Nothing was changed.", str(error), "error")

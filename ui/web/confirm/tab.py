"""The tab of pairs: one at a time, and what a person decides on it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui.errors import BadRequest
from ui.web.confirm.html import pair_html, trouble_html
from ui.web.confirm.pairs import ReferencePairs
from ui.web.frame import QUIET

_CLICKS = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-decide]"), pair = event.target.closest("[data-pair]");
  if (!button || !pair || pair.dataset.sent) return;
  pair.dataset.sent = "yes";
  trigger("select", { act: button.dataset.decide, pair: pair.dataset.pair, part: pair.dataset.chosen });
});
watch("value", () => document.dispatchEvent(new CustomEvent("vouch-pair")));
"""


def pairs_tab(page: gr.Blocks, pairs: ReferencePairs) -> None:
    """Make the widgets and events of the tab; a reload begins with the first pair that nobody has decided on."""
    trouble = gr.HTML(elem_id="v-pair-trouble", apply_default_css=False)
    shown = gr.HTML(elem_id="v-pairs", js_on_load=_CLICKS, apply_default_css=False)

    def decided(event: gr.EventData) -> tuple[Any, Any]:
        data = event._data if isinstance(event._data, dict) else {}  # noqa: SLF001 - Gradio has no other name for it
        try:
            return "", pair_html(pairs, after(pairs, *(str(data.get(key, "")) for key in ("act", "pair", "part"))))
        except (BadRequest, OSError) as error:
            return trouble_html(str(error)), pair_html(pairs, pairs.first_open())

    page.load(lambda: pair_html(pairs, pairs.first_open()), None, shown, **QUIET)
    shown.select(decided, None, [trouble, shown], **QUIET)


def after(pairs: ReferencePairs, act: str, pair_id: str, part: str) -> int:
    """Do what a button asks and return the number, from 0, of the pair to be shown then. Raises BadRequest, OSError."""
    number, count = pairs.number(pair_id), len(pairs.pairs)
    if act in ("previous", "next"):
        return (number + (1 if act == "next" else -1)) % count
    if act not in ("keep", "drop"):
        raise BadRequest("There is no such button: reload the page.")
    if act == "keep" and not part:
        raise BadRequest("Choose a part first.")
    pairs.decide(pair_id, part if act == "keep" else "")
    return pairs.first_open(number)

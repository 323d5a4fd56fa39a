"""The page of `vouch confirm`: one pair at a time, what a person decides on it, and a server on this machine alone.

`ui/web/static/confirm.js` finds its way by data attributes: `data-choose` is a part, `data-decide` what a button does,
`data-sheet` a page.
"""

from __future__ import annotations

import contextlib
import io
import signal
from collections.abc import AsyncIterator
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from ui.errors import BadRequest
from ui.show import HTML, message_html, render
from ui.web.app import launch_options  # first: it keeps Gradio from calling home
from ui.web.confirm.pairs import ReferencePairs
from ui.web.frame import QUIET
from ui.web.health import wait_for_signal
from ui.web.server import Border, Guard, ServerAddress

_NAMES = {"confirmed": "Confirmed", "corrected": "Corrected", "dropped": "Dropped"}
_CLICKS = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-decide]"), pair = event.target.closest("[data-pair]");
  if (!button || !pair || pair.dataset.sent) return;
  pair.dataset.sent = "yes";
  trigger("select", { act: button.dataset.decide, pair: pair.dataset.pair, part: pair.dataset.chosen });
});
watch("value", () => document.dispatchEvent(new CustomEvent("vouch-pair")));
"""


def pair_html(pairs: ReferencePairs, number: int) -> HTML:
    """Return the pair with this number, from 0: the parts to choose from, and how many of all are decided."""
    pair = pairs.pairs[number]
    decision = pairs.decisions.get(pair.id)
    choices = tuple(enumerate(pair.choices, 1))
    selected = (decision.part if decision else "") or pair.part
    by_page = {
        page: [(n, c) for n, c in choices if c.page == page] for page in dict.fromkeys(c.page for c in pair.choices)
    }
    return render(
        "web/confirm/templates/pair.html",
        pair=pair,
        number=number + 1,
        count=len(pairs.pairs),
        decided=len(pairs.decisions),
        said=_NAMES[decision.decision] if decision else "",
        choices=choices,
        chosen=selected,
        open_page=next((c.page for c in pair.choices if c.id == selected), pair.choices[0].page),
        sheets=[(page, pairs.image(parts[0][1]), parts) for page, parts in by_page.items()],
    )


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


def build_pairs_page(pairs: ReferencePairs) -> gr.Blocks:
    """Build the page, not yet served; a reload begins with the first pair that nobody has decided on."""
    with gr.Blocks(title="Vouch: pairs", analytics_enabled=False, fill_width=True) as page:
        with gr.Row(elem_id="v-top"):
            gr.HTML(render("web/templates/brand.html"), elem_id="v-brand", apply_default_css=False)
            gr.HTML(render("web/templates/theme.html", accounts=False), apply_default_css=False)
        with gr.Tabs(elem_id="v-tabs"), gr.Tab("Pairs", id="pairs"):
            trouble = gr.HTML(elem_id="v-pair-trouble", apply_default_css=False)
            shown = gr.HTML(elem_id="v-pairs", js_on_load=_CLICKS, apply_default_css=False)

        def decided(event: gr.EventData) -> tuple[Any, Any]:
            data = event._data if isinstance(event._data, dict) else {}  # noqa: SLF001 - Gradio has no other name for it
            try:
                return "", pair_html(pairs, after(pairs, *(str(data.get(key, "")) for key in ("act", "pair", "part"))))
            except (BadRequest, OSError) as error:
                return message_html("This was not saved.", str(error), "error"), pair_html(pairs, pairs.first_open())

        page.load(lambda: pair_html(pairs, pairs.first_open()), None, shown, **QUIET)
        shown.select(decided, None, [trouble, shown], **QUIET)
    return page


def serve_pairs(pairs: ReferencePairs, port: int, *, block: bool = True) -> str:
    """Show the pairs until Ctrl-C or SIGTERM; return the address. Raises OSError where the port is taken."""
    address = ServerAddress(port=port)
    border = Border(address)
    page = build_pairs_page(pairs)

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        border.enclose(app)
        yield

    options = launch_options(address, [Middleware(Guard)], lifespan) | {"max_file_size": "1kb"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # Gradio has a lot to say of itself
            _, where, _ = page.launch(**options)
    except OSError as error:
        raise OSError(f"cannot listen on port {port}: another program may have it; try --port") from error
    if block:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        print(f"The pairs are at {where}   (Ctrl-C stops it; every decision is saved at once)", flush=True)
        try:
            wait_for_signal()
        finally:
            page.close(verbose=False)
    return str(where)

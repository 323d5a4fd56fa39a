"""`make bench-ui`: how fast the page is for one reader, and for twenty who ask at once, on the embedded profile.

It serves a copy of the samples in a process of its own, and looks with Chromium. Lines with a limit
say whether it was held; the exit code is 1 when one was not.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import yaml
from playwright.sync_api import Page, sync_playwright

from indexing import Collection
from samples.make import HERE
from tests.support.library import indexed_samples
from tests.ui.browser.chromium import FLAGS, executable
from tests.ui.browser.reader import Reader
from tests.ui.served_page import serving
from ui.web.viewer.images import LIGHT_WIDTH

ASKERS = 20
ROUNDS = 7
_SETTLED = ".v-viewer:not([hidden]) .v-page:not([hidden]) .v-sheet > img"
# From the click to the frame in which the box and its page are both painted, by the browser's own clock.
_CLICK = """async (number) => {
  const chip = document.querySelector(`#v-current .v-sentence .v-cite[data-cite="${number}"]`);
  const started = performance.now();
  chip.click();
  for (;;) {
    await new Promise(requestAnimationFrame);
    const group = document.querySelector(`.v-viewer:not([hidden]) .v-page:not([hidden]) g.v-on[data-cite="${number}"]`);
    const image = group && group.closest('.v-sheet').querySelector('img');
    if (image && image.complete && image.naturalWidth) return performance.now() - started;
  }
}"""


class Findings:
    """Lines of measurements, each with its limit."""

    def __init__(self) -> None:
        self.passed = True

    def say(self, what: str, value: float, unit: str, limit: float | None = None) -> None:
        verdict = "" if limit is None else f"   limit {limit:g} {unit}: {'held' if value <= limit else 'PASSED OVER'}"
        self.passed &= limit is None or value <= limit
        sys.stdout.write(f"{what:<58} {value:>9.1f} {unit}{verdict}\n")
        sys.stdout.flush()


def main() -> int:
    """Measure, print, and tell whether every limit was held."""
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="vouch-bench-ui-") as folder:
        home = Path(shutil.copytree(indexed_samples(), Path(folder) / "home"))
        with serving(Path(folder), home, collection="samples") as served:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
                _paint(
                    browser.new_context(viewport={"width": 1280, "height": 900}).new_page(), served.address, findings
                )
                _clicks(Reader(browser.new_context(viewport={"width": 1280, "height": 900}), served.address), findings)
                browser.close()
            _images(home, served.address, findings)
            _crowd(served.address, findings)
    return 0 if findings.passed else 1


def _paint(page: Page, address: str, findings: Findings) -> None:
    """From the request to the first paint, and to a page that can be used; the first visit warms the cache."""
    paints, usable = [], []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter()
        page.goto(address)
        page.wait_for_selector("#v-current .v-message")
        usable.append(time.perf_counter() - started)
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000)
    findings.say("first paint, warm, median", statistics.median(paints[1:]), "s", 2.0)
    findings.say("page can be used, warm, median", statistics.median(usable[1:]), "s", 2.0)


def _clicks(reader: Reader, findings: Findings) -> None:
    """From a click on a number to its box, with a page that was never drawn before, and with the same page again."""
    cached, cold = [], []
    seen: set[str] = set()
    for question in _questions():
        reader.page.route(
            "**/vouch/page/**", lambda route: route.abort()
        )  # so that nothing is fetched ahead of the click
        reader.ask(question, drawn=False)
        reader.page.locator(_SETTLED).wait_for(state="attached")
        reader.page.unroute("**/vouch/page/**")
        number = int(reader.chips[0].inner_text())
        page = str(reader.page.locator(_SETTLED).get_attribute("src"))
        if page not in seen:
            seen.add(page)
            cold.append(reader.page.evaluate(_CLICK, number))
            cached.append(reader.page.evaluate(_CLICK, number))
        if len(cold) == ROUNDS:
            break
    findings.say(f"click to box, page never drawn before, median of {len(cold)}", statistics.median(cold), "ms", 400)
    findings.say(f"click to box, page in the cache, median of {len(cached)}", statistics.median(cached), "ms", 150)


def _images(home: Path, address: str, findings: Findings) -> None:
    """The heaviest page image at the default zoom, and the slowest to be drawn: on screens of density 1 and 2."""
    with Collection.open("samples", home) as collection:
        pages = [(d.id, number) for d in collection.documents() for number in range(1, d.n_pages + 1)]
    for width in (1280, LIGHT_WIDTH):
        sizes, seconds = [], []
        with httpx.Client(base_url=address, timeout=60) as client:
            for doc_id, number in pages:
                started = time.perf_counter()
                image = client.get(f"/vouch/page/samples/{doc_id}/{number}.webp?w={width}")
                seconds.append(time.perf_counter() - started)
                sizes.append(len(image.content))
        findings.say(f"largest of {len(sizes)} page images, {width} pixels across", max(sizes) / 1000, "KB", 300)
        findings.say(f"one from the server, {width} pixels across, median", 1000 * statistics.median(seconds), "ms")


def _crowd(address: str, findings: Findings) -> None:
    """Twenty programs ask at once, each three questions, one after the other, by way of the queue."""
    questions = _questions()
    dependencies = httpx.get(f"{address}/config").json()["dependencies"]
    event = next(d["id"] for d in dependencies if d["api_name"] == "ask")
    together = threading.Barrier(ASKERS)

    def asks(who: int) -> list[float]:
        together.wait()
        return [_asked(address, event, f"asker{who}x{n}", questions[(who * 3 + n) % len(questions)]) for n in range(3)]

    with ThreadPoolExecutor(ASKERS) as pool:
        seconds = sorted(second for times in pool.map(asks, range(ASKERS)) for second in times)
    findings.say(f"{ASKERS} askers at once, {len(seconds)} answers, median", statistics.median(seconds), "s")
    findings.say(f"{ASKERS} askers at once, 95th percentile", seconds[int(0.95 * len(seconds)) - 1], "s")


def _asked(address: str, event: int, session: str, question: str) -> float:
    """Seconds until an answer was there; an error ends the benchmark."""
    started = time.perf_counter()
    data = [question, "samples", None, "auto", "auto", 0, 0, "auto", "auto"]
    body = {"data": data, "fn_index": event, "session_hash": session, "trigger_id": None}
    httpx.post(f"{address}/gradio_api/queue/join", json=body, timeout=120).raise_for_status()
    url = f"{address}/gradio_api/queue/data?session_hash={session}"
    with httpx.stream("GET", url, timeout=120) as stream:
        for line in stream.iter_lines():
            said = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            if said.get("msg") == "process_completed":
                assert said["success"], said
                return time.perf_counter() - started
    raise AssertionError(f"no answer to {question!r}")


def _questions() -> list[str]:
    found = yaml.safe_load((HERE / "questions.yaml").read_text(encoding="utf-8"))
    return [q["question"] for q in found if q["answer"] and q["kind"] in ("text", "table", "scan", "layout")]


if __name__ == "__main__":
    sys.exit(main())

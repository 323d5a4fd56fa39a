"""Chromium, which draws a page that reaches nothing but its gate: a process of its own that ends with the page.

Scripts of the page are off unless a setting turns them on. Our script runs in a world of its own, where the page's
cannot reach it. Chromium has no network: names lead nowhere, and the proxy for everything else is a dead address.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from indexing import BrowserMissing, DamagedFile, IndexingError, IndexingSettings, PageCrash, PageTimeout
from plugins.formats.web.archive import SavedPage
from plugins.formats.web.gate import Gate
from plugins.formats.web.page_data import WebPage, page_data
from plugins.formats.web.pixels import SCALE, PageSlice, page_slice
from plugins.formats.web.slices import Slice, slices_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, Playwright, Route

WIDTH = 980
"""The width of a page in CSS pixels; one that does not fit is given up to twice as much."""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chromium-headless-shell")
_FLAGS = [
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-quic",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--hide-scrollbars",
    "--deny-permission-prompts",
]
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "LD_LIBRARY_PATH")
_POLICY = "object-src 'none'; frame-src 'none'; worker-src 'none'; form-action 'none'; base-uri *"
_LOOK_SECONDS = 0.5
_SETTLED = 3.0
"""The seconds that pictures of a page at an address have to arrive after the page."""


def chromium_of(settings: IndexingSettings) -> str:
    """Return the path of Chromium: that of the settings, or the first of its usual names; "" where there is none."""
    if settings.chromium:
        return settings.chromium if os.access(settings.chromium, os.X_OK) else ""
    return next(filter(None, map(shutil.which, _NAMES)), "")


def drawn(saved: SavedPage, gate: Gate, settings: IndexingSettings) -> tuple[WebPage, list[PageSlice]]:
    """Draw a page and tell what is on it.

    Raises BrowserMissing where no browser can be started, PageTimeout, PageCrash or DamagedFile.
    """
    path = chromium_of(settings)
    if not path:
        raise BrowserMissing(
            "Chromium is not installed: install it (apt-get install chromium), or set its path in `chromium`"
        )
    try:
        import playwright.sync_api  # noqa: F401  the thread imports it, and cannot say so as well
    except ImportError:
        raise BrowserMissing("Playwright is not installed: pip install 'vouch[web]'") from None
    drawing = _Drawing(saved, gate, settings, path)
    drawing.start()
    return drawing.result()


class _Drawing(threading.Thread):
    """A thread that draws a page (Playwright holds to its thread), watched by the thread that waits for it."""

    def __init__(self, saved: SavedPage, gate: Gate, settings: IndexingSettings, path: str) -> None:
        super().__init__(name="page-drawing", daemon=True)
        self._saved, self._gate, self._settings, self._path = saved, gate, settings, path
        self._until = time.monotonic() + settings.web_seconds
        self._before = {child.pid for child in psutil.Process().children()}
        self._drawing: tuple[WebPage, list[PageSlice]] | None = None
        self._failure: Exception | None = None

    def run(self) -> None:
        """Draw, and keep what comes of it."""
        try:
            with self._page() as (page, session):
                self._drawing = self._draw(page, session)
        except Exception as error:  # noqa: BLE001  a thread's boundary: `result` raises it
            self._failure = self._failure or error

    def result(self) -> tuple[WebPage, list[PageSlice]]:
        """Wait for the drawing and return it; end the browser when it takes too long or too much memory.

        Raises the error that fits where nothing was drawn.
        """
        settings = self._settings
        while self.is_alive():
            self.join(_LOOK_SECONDS)
            if time.monotonic() > self._until:
                limit = f"{settings.web_seconds:g} s to draw and was stopped: raise web_seconds to allow more"
                self._give_up(PageTimeout(f"the page took longer than {limit}"))
            elif max(map(_memory, self._processes()), default=0) > settings.worker_memory_mb * 1024 * 1024:
                limit = f"more than {settings.worker_memory_mb} MB of memory: raise worker_memory_mb to allow more"
                self._give_up(PageCrash(f"the page needs {limit}"))
        if self._drawing is not None:
            return self._drawing
        if isinstance(self._failure, IndexingError):
            raise self._failure
        reason = (str(self._failure).strip().splitlines() or ["nothing was drawn"])[0][:200]
        raise DamagedFile(f"the page cannot be drawn ({reason}): open it in a browser and save it as a PDF") from None

    def _processes(self) -> list[psutil.Process]:
        """Return the browser's processes, the driver's first."""
        processes: list[psutil.Process] = []
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error):
                if child.pid not in self._before and any("playwright" in word for word in child.cmdline()):
                    processes += [child, *child.children(recursive=True)]
        return processes

    def _give_up(self, why: Exception) -> None:
        """End the browser; its driver then takes its folder away, and is ended if that does not happen soon."""
        self._failure = why
        for processes in (self._processes()[1:], self._processes()):
            for process in processes:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            self.join(5.0)
            if not self.is_alive():
                return

    @contextlib.contextmanager
    def _page(self) -> Iterator[tuple[Page, CDPSession]]:
        """Open the page, with everything that it asks for answered by the gate."""
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright, contextlib.closing(self._browser(playwright)) as browser:
            context = browser.new_context(
                viewport={"width": WIDTH, "height": self._settings.web_page_height},
                java_script_enabled=self._settings.web_scripts, service_workers="block", accept_downloads=False,
                locale="en-US", timezone_id="UTC", color_scheme="light", reduced_motion="reduce",
            )  # fmt: skip
            self._guard(context)
            page = context.new_page()
            page.goto(self._saved.address, wait_until="load", timeout=1000 * max(0.1, self._until - time.monotonic()))
            yield page, context.new_cdp_session(page)

    def _browser(self, playwright: Playwright) -> Browser:
        from playwright.sync_api import Error

        environment: dict[str, str | float | bool] = {key: os.environ[key] for key in _KEPT if key in os.environ}
        sandbox = os.geteuid() != 0  # Chromium refuses to have its sandbox made by root
        try:
            return playwright.chromium.launch(
                executable_path=self._path, args=_FLAGS, chromium_sandbox=sandbox, env=environment, timeout=30_000
            )
        except Error as error:
            reason = next((line for line in str(error).splitlines() if line.strip()), "")[:160]
            raise BrowserMissing(f"Chromium at {self._path} does not start ({reason})") from None

    def _guard(self, context: BrowserContext) -> None:
        scripts = "" if self._settings.web_scripts else "script-src 'none'; "
        own = {"x-content-type-options": "nosniff", "content-security-policy": scripts + _POLICY}
        requests: list[str] = []

        def answer(route: Route) -> None:
            """Answer a request, the first with the page itself; nothing is sent on."""
            request = route.request
            first = not requests and request.is_navigation_request()
            requests.append(request.url)
            frame = request.resource_type in ("document", "websocket", "ping", "eventsource")
            resource = self._saved.page if first else None
            if not first and request.method == "GET" and not frame and not request.url.startswith("data:"):
                resource = self._gate.answer(request.url)
            if resource is None:
                return route.abort("aborted")
            headers = {"content-type": resource.media_type} | (own if first else {})
            if resource.shared:
                headers["access-control-allow-origin"] = resource.shared
            return route.fulfill(status=200, headers=headers, body=resource.content)

        context.route("**/*", answer)
        context.route_web_socket("**/*", lambda socket: socket.close())

    def _draw(self, page: Page, session: CDPSession) -> tuple[WebPage, list[PageSlice]]:
        """Make the page stand still, read it, and take its picture slice by slice."""
        world, limits = _World(session, self._until), self._settings
        prepared = world.call("prepare()")
        if prepared["width"] > WIDTH:
            wide = min(2 * WIDTH, int(prepared["width"]))
            page.set_viewport_size({"width": wide, "height": limits.web_page_height})
        settled = min(self._until, time.monotonic() + _SETTLED)
        while world.call("pending()") and time.monotonic() < settled:
            page.wait_for_timeout(100)
        data = page_data(world.call("walk()"), int(prepared["outside"]))
        cuts = slices_of(data, limits.web_page_height, limits.max_pages, limits.web_height)
        slices = [_slice(world, session, data, limits.web_page_height, cut) for cut in cuts]
        if abs(world.call("size()")["height"] - data.height) > 1:
            raise DamagedFile("the page changes while it is being read: turn web_scripts off, or save it as a PDF")
        return data, slices


class _World:
    """The world of our script in a page, apart from that of the page's scripts."""

    def __init__(self, session: CDPSession, until: float) -> None:
        self._session, self._until = session, until
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "vouch"})
        self._id = world["executionContextId"]
        self._evaluate(Path(__file__).with_name("walk.js").read_text(encoding="utf-8") + "\n0")

    def call(self, what: str) -> Any:
        """Return what a function of the script returns."""
        return self._evaluate(f"vouch.{what}")

    def _evaluate(self, expression: str) -> Any:
        left = 1000 * max(0.1, self._until - time.monotonic())
        parameters = {"expression": expression, "contextId": self._id, "returnByValue": True, "timeout": left}
        answer = self._session.send("Runtime.evaluate", parameters)
        if "exceptionDetails" in answer:
            reason = answer["exceptionDetails"].get("exception", {}).get("description", "no reason")
            raise DamagedFile(f"the page cannot be read ({reason[:200]}): open it in a browser and save it as a PDF")
        return answer["result"].get("value")


def _slice(world: _World, session: CDPSession, page: WebPage, tall: int, at: Slice) -> PageSlice:
    """Scroll to a slice, take its picture, and find the words on it that cannot be seen."""
    from PIL import Image

    top, bottom = at
    scrolled = float(world.call(f"scrolled({top})"))
    blocks = (block for block in page.blocks if block.place[1] < bottom and block.place[3] > top)
    words = [word for block in blocks for word in block.all_words if word.on(top, bottom)]
    asked = [[w.number, (w.place[0] + w.place[2]) / 2, (w.place[1] + w.place[3]) / 2] for w in words]
    covered = world.call(f"covered({json.dumps(asked)})")
    # Always of the whole window: for another size Chromium would lay the page out anew, twice.
    clip = {"x": 0, "y": scrolled, "width": page.width, "height": tall, "scale": SCALE}
    shot = session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True, "clip": clip})
    above, high = round((top - scrolled) * SCALE), round((bottom - top) * SCALE)
    with Image.open(io.BytesIO(base64.b64decode(shot["data"]))) as picture:
        part = picture.convert("RGB").crop((0, above, picture.width, min(above + high, picture.height)))
    return page_slice(at, part, words, covered)


def _memory(process: psutil.Process) -> int:
    """Return the bytes of memory that a process holds, 0 of one that has ended."""
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0

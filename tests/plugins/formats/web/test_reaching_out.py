"""What gets out of a page from a file: nothing, whatever the page tries, with its scripts off and on."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.settings import IndexingSettings
from plugins.formats.web import web_rendition
from tests.plugins.formats.web.loopback import Loopback, loopback

pytestmark = pytest.mark.slow

TRICKS = """<!doctype html><html><head><title>x</title>
<base href="URL/base/">
<link rel="dns-prefetch" href="//prefetch.example"><link rel="preconnect" href="URL">
<link rel="preload" as="image" href="URL/preload"><link rel="prefetch" href="URL/prefetch">
<link rel="modulepreload" href="URL/module"><link rel="prerender" href="URL/prerender">
<link rel="stylesheet" href="URL/style.css"><link rel="icon" href="URL/icon"><link rel="manifest" href="URL/manifest">
<script type="speculationrules">{"prerender":[{"source":"list","urls":["URL/speculated"]}]}</script>
<meta http-equiv="refresh" content="0;url=URL/refresh">
<style>@import "URL/import.css"; @font-face {font-family: f; src: url(URL/font)}
body {font-family: f; background: url(URL/background); cursor: url(URL/cursor), auto; list-style-image: url(URL/list)}
@font-face {font-family: g; src: url(file:///etc/passwd)}</style></head><body>
<p>Words to read.</p>
<img src="URL/picture"><img srcset="URL/set 2x"><picture><source srcset="URL/source"><img></picture>
<img src="file:///etc/hostname"><iframe src="URL/frame"></iframe><iframe src="file:///etc/passwd"></iframe>
<iframe srcdoc="<img src=URL/inner>"></iframe><object data="URL/object"></object><embed src="URL/embed">
<video src="URL/video" poster="URL/poster" autoplay></video><audio src="URL/audio" autoplay></audio>
<video><track src="URL/track" default></video>
<svg><image href="URL/svg" width="9" height="9"/><use href="URL/use#a"/></svg>
<input type="image" src="URL/input"><table background="URL/table"><tr><td>a</table>
<form action="URL/form"><input name="a"></form><a href="URL/a" ping="URL/ping">link</a>
<script src="URL/script"></script>
<script>
  const tries = [
    () => fetch("URL/fetch"), () => fetch("URL/post", {method: "POST", body: "x", mode: "no-cors", keepalive: true}),
    () => navigator.sendBeacon("URL/beacon", "x"), () => new WebSocket("ws://HOST/socket"),
    () => new EventSource("URL/events"), () => new Worker("URL/worker"), () => new SharedWorker("URL/shared"),
    () => navigator.serviceWorker.register("URL/service"), () => window.open("URL/window"),
    () => new Worker(URL.createObjectURL(new Blob(["fetch('URL/from-worker')"]))),
    () => { const p = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:UDP"}]});
            p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)); },
    () => new WebTransport("https://HOST/transport"), () => document.forms[0].submit(),
    () => { const i = new Image(); i.src = "URL/late"; document.body.append(i); },
    () => { const x = new XMLHttpRequest(); x.open("GET", "URL/xhr", false); x.send(); },
  ];
  for (const one of tries) try { const kept = one(); if (kept && kept.catch) kept.catch(() => {}); } catch {}
</script></body></html>"""


def written(told: Loopback, path: Path) -> Path:
    page = TRICKS.replace("URL.create", "@").replace("URL", told.url).replace("@", "URL.create")
    path.write_text(page.replace("HOST", f"127.0.0.1:{told.port}").replace("UDP", str(told.udp_port)), encoding="utf-8")
    return path


@pytest.mark.parametrize("scripts", [False, pytest.param(True, marks=pytest.mark.gate)])
def test_nothing_gets_out_of_a_page(chromium: str, tmp_path: Path, *, scripts: bool) -> None:  # noqa: ARG001
    with loopback() as told:
        read = web_rendition(written(told, tmp_path / "tricks.html"), IndexingSettings(web_scripts=scripts))
        assert any(e.text == "Words to read." for page in read.pages or () for e in page.elements)
    assert told.asked == []


def test_the_server_would_have_noticed(tmp_path: Path) -> None:
    """The same page in the same browser, without our gate and flags, asks the server for much."""
    with loopback() as told:
        _plainly(written(told, tmp_path / "tricks.html"))
    assert {"GET /picture", "GET /style.css", "GET /frame"} <= set(told.asked)


def _plainly(path: Path) -> None:
    from playwright.sync_api import sync_playwright

    from plugins.formats.web import chromium_of

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_of(IndexingSettings()),
            args=[
                "--no-sandbox",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--proxy-server=direct://",
            ],
        )
        page = browser.new_page(java_script_enabled=False)
        page.route("**/refresh", lambda route: route.abort("aborted"))
        page.goto(path.as_uri(), wait_until="load")
        browser.close()

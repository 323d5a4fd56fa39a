"""The gate for uploads: a request that brings more than may wait is cut off while it is read, not after.

Gradio limits each file of a request; this limits all of them together, before they fill the disk.
"""

from __future__ import annotations

from ui.errors import TooMuch
from ui.web.server.guard import App, Message, Receive, Scope, Send, refuse, route
from ui.web.uploads import MB

_UPLOAD = "/gradio_api/upload"
_FRAME = 65_536
"""The bytes that the form around the files may add: boundaries, names."""


class UploadGate:
    """The ASGI middleware that answers 413 to an upload of more than `most_mb` in all."""

    def __init__(self, app: App, most_mb: int) -> None:
        """Keep the app; `most_mb` is `max_waiting_mb` of the settings, by which name it is told."""
        self._app = app
        self._most_mb = most_mb

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, its body counted."""
        if scope["type"] != "http" or scope["method"] != "POST" or route(scope) != _UPLOAD:
            await self._app(scope, receive, send)
            return
        most = self._most_mb * MB + _FRAME
        promised = dict(scope["headers"]).get(b"content-length", b"0")
        if not promised.isdigit() or int(promised) > most:
            await self._refuse(send)
            return
        came, answered = 0, False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                raise TooMuch(f"more than {self._most_mb:,} MB came (max_waiting_mb)")
            return message

        async def noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except TooMuch:
            if not answered:
                await self._refuse(send)

    async def _refuse(self, send: Send) -> None:
        await refuse(send, 413, f"More than {self._most_mb:,} MB at a time (max_waiting_mb): bring fewer files.")

"""What happens to files that somebody brings to the Collections tab: limits, the queue, and what it is told.

Knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ui.errors import UploadError
from ui.intake import Intake
from ui.library import Library
from ui.settings import ui_settings
from ui.unzip import MB
from ui.uploads import Room, Taken, Uploads
from ui.waiting import Item

if TYPE_CHECKING:
    from ui.desk import Desk

DEFAULT = "default"
"""The collection of files for which none was named."""


class Receiving:
    """The door for files of one running page; it closes with the desk."""

    def __init__(self, desk: Desk, arrived: Path) -> None:
        """`arrived` is where the server puts uploads. Raises ProfileError for settings that do not fit."""
        self.settings = ui_settings(desk.profile)
        self.library = Library(desk, self.settings)
        self.uploads = Uploads(arrived, self.settings)
        self.intake = Intake(self.library.read, self.uploads.release)
        desk.at_close(self.close)

    def receive(
        self, owner: str, collection: str, files: Sequence[Mapping[str, Any]] | None, password: str = ""
    ) -> tuple[Item, ...]:
        """Put uploads into the queue: mappings with `path` and, if it is known, `orig_name`."""
        name = collection.strip() or DEFAULT
        pairs = [(str(file.get("path") or ""), str(file.get("orig_name") or "")) for file in files or ()]
        waiting = [item.name for item in self.intake.items(owner) if item.open and item.collection == name]
        taken = self.uploads.take(pairs, self._room(owner), waiting)
        return self.intake.add(owner, name, taken, password or None)

    def receive_folder(self, owner: str, collection: str, folder: str, password: str = "") -> tuple[Item, ...]:
        """Put the documents of a folder of this machine into the queue. Raises UploadError, IndexingError."""
        from indexing.load import find_files

        room = self._room(owner)
        found = []
        for file in find_files([self.library.folder(folder)], self.settings.within(self.library.indexing)):
            size = 0 if file.error else file.path.stat().st_size
            note = str(file.error) if file.error else self._too_much(size, room)
            found.append(Taken(file.path.name, None if note else file.path, size, note))
            if not note:
                room.files -= 1
        return self.intake.add(owner, collection.strip() or DEFAULT, found, password or None, uploaded=False)

    def follow(self, owner: str) -> Iterator[tuple[Item, ...]]:
        """The person's files, whenever something has changed, until all are read."""
        return self.intake.follow(owner)

    def close(self) -> None:
        """Stop reading, and delete what was uploaded."""
        self.intake.close()
        self.uploads.close()

    def _room(self, owner: str) -> Room:
        """What the person may still bring."""
        files, size = self.intake.waiting(owner)
        return Room(self.settings.max_files - files, self.settings.max_waiting_mb * MB - size)

    def _too_much(self, size: int, room: Room) -> str:
        try:
            self.uploads.check(size, Room(room.files, size))
        except UploadError as error:
            return str(error)
        return ""

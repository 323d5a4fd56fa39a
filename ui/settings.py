"""UiSettings: the limits on uploads to the page, documented where they are defined: the section `ui` of a profile."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from configs import did_you_mean
from indexing import IndexingSettings
from rag import Profile, ProfileError


class UiSettings(BaseModel):
    """The limits of the page that `vouch serve` shows. Each is enforced while reading, and named in the message.

    Those that `IndexingSettings` has too bear the same names; of the two the smaller one holds.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_files: int = Field(
        200, ge=1, description="the most files that one browser may have waiting, with those in archives"
    )
    max_file_mb: int = Field(
        200, ge=1, description="the largest file that is taken in, in MB; also one out of an archive"
    )
    max_waiting_mb: int = Field(1000, ge=1, description="the size of all that one browser may have waiting, in MB")
    max_call_mb: int = Field(
        10,
        ge=1,
        description="the size of all files in one call of a tool (`--mcp`), in MB: the call itself holds them",
    )
    max_pages: int = Field(2000, ge=1, description="the most pages that a file may have")
    max_pixels: int = Field(60_000_000, ge=1, description="the most pixels that an image file may have")
    max_zip_ratio: int = Field(
        100,
        ge=2,
        description="the number of times its size that an archive, or a file in it, may unpack to",
    )
    max_zip_entries: int = Field(2000, ge=1, description="the most entries of an archive; folders count")
    session_hours: float = Field(
        12, gt=0, description="the hours after its last use at which a login ends, where there are accounts"
    )
    folders: tuple[Path, ...] = Field(
        (),
        description="the folders of this machine that may be indexed from the page, with all they hold; none unless "
        "named",
    )

    def within(self, settings: IndexingSettings) -> IndexingSettings:
        """Return the settings of indexing with the limits of the page, where those are lower."""
        return settings.model_copy(
            update={
                "max_file_mb": min(settings.max_file_mb, self.max_file_mb),
                "max_pages": min(settings.max_pages, self.max_pages),
                "max_pixels": min(settings.max_pixels, self.max_pixels),
            }
        )


def ui_settings(profile: Profile) -> UiSettings:
    """Read the section `ui` of a profile. Raises ProfileError, which names the nearest known key.

    The section stands in the one file that people have, and all commands take that file; but its content concerns the
    page alone.
    """
    try:
        return UiSettings.model_validate(profile.ui)
    except ValidationError as error:
        raise ProfileError("; ".join(_explained(e["loc"], e["type"], e["msg"]) for e in error.errors())) from None


def _explained(place: tuple[int | str, ...], kind: str, said: str) -> str:
    where = ".".join(map(str, ("ui", *place)))
    if kind != "extra_forbidden":
        return f"{where}: {said}"
    return f"{where}: no such key{did_you_mean(str(place[-1]), UiSettings.model_fields, alike=0.3)}"

"""The limits of the page (section `ui` of a profile), documented where they are defined."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, IPvAnyNetwork, ValidationError, model_validator
from pydantic_core import ErrorDetails

from configs import did_you_mean
from indexing import IndexingSettings
from rag import Profile, ProfileError

_OF_ACCOUNTS = (
    "proxy_user_header",
    "sso_issuer",
    "max_questions_minute",
    "max_all_questions_minute",
    "max_collection_pages",
    "max_collection_mb",
    "max_person_pages",
    "max_person_mb",
)


class UiSettings(BaseModel):
    """The limits of the page that `vouch serve` shows. Each is enforced while data arrives, and named in the message.

    A limit that `IndexingSettings` has too bears the same name there; the smaller of the two applies. The title of a
    limit for uploads is the phrase by which the page and the API state it, with its value in {}.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_files: int = Field(
        200, ge=1, title="{:,} files at a time", description="the most that wait for one browser, in archives, too"
    )
    max_file_mb: int = Field(
        200, ge=1, title="{:,} MB a file", description="the largest file that is accepted, also in an archive, in MB"
    )
    max_waiting_mb: int = Field(
        1000, ge=1, title="{:,} MB at a time", description="the most that one browser may have waiting, in MB"
    )
    max_all_files: int = Field(
        2000, ge=1, description="the most files that all browsers together may have on the server, waiting to be read"
    )
    max_all_waiting_mb: int = Field(5000, ge=1, description="the most MB that these files may have together")
    upload_minutes: float = Field(
        60, gt=0, description="the minutes after which an upload is deleted if nobody indexed it"
    )
    max_asks: int = Field(
        8, ge=1, description="the most questions that one visitor may have at a time, being answered or waiting"
    )
    max_all_asks: int = Field(
        60, ge=1, le=200, description="the most questions of all visitors at a time, being answered or waiting"
    )
    max_connections: int = Field(
        500, ge=1, description="the most connections; never more than half of the file descriptors of the process"
    )
    max_connections_each: int = Field(
        100, ge=1, description="the most connections from one address other than this machine, where a proxy may run"
    )
    header_seconds: float = Field(10, gt=0, description="the seconds within which the headers of a request must arrive")
    body_seconds: float = Field(
        20, gt=0, description="the seconds within which the body of a request must arrive; a large body gets more time"
    )
    max_call_mb: int = Field(
        10, ge=1, description="the size of all files in one tool call (`--mcp`), in MB: the call itself contains them"
    )
    max_pages: int = Field(2000, ge=1, title="{:,} pages a file", description="the most pages that a file may have")
    max_pixels: int = Field(60_000_000, ge=1, description="the most pixels that an image file may have")
    max_zip_ratio: int = Field(
        100, ge=2, description="how many times its size an archive, or a file in it, may unpack to"
    )
    max_zip_entries: int = Field(2000, ge=1, description="the most entries of an archive, including folders")
    session_hours: float = Field(
        12, gt=0, description="the hours after its last use at which a login ends, if there are accounts"
    )
    keep_conversations: int = Field(
        200, ge=1, le=9000, description="the most conversations that are kept for one visitor; the oldest are deleted"
    )
    keep_all_conversations: int = Field(
        20_000, ge=1, description="the most conversations that are kept for all visitors; the oldest are deleted"
    )
    keep_answers: int = Field(
        200, ge=1, description="the most answers that are kept in one conversation; the oldest are deleted"
    )
    keep_days: float = Field(
        365, gt=0, le=36_500, description="the days after its last answer at which a conversation is deleted"
    )
    stop_seconds: float = Field(
        30, ge=0, le=3600, description="the seconds that running answers have to finish after SIGTERM"
    )
    look_ahead: bool | None = Field(
        None,
        description="compare texts with their pages while nobody asks, so that questions need not wait for it; by "
        "default, only if there are accounts. It takes a second or two of one core for each page, once, and gives way "
        "to everything else",
    )
    log_format: Literal["text", "json"] = Field(
        "text",
        description="the form of the log. text: a line for each fault. json: a line of JSON for each fault, request "
        "and answer, without a word of what people ask",
    )
    log_questions: bool = Field(False, description="also log questions, if the log is JSON; they may be confidential")
    audit_days: float = Field(
        365, gt=0, le=36_500, description="the days for which the audit log of `vouch serve --accounts` keeps an entry"
    )
    audit_questions: bool = Field(
        False, description="also keep questions in the audit log (1,000 characters); they may be confidential"
    )
    max_questions_minute: int = Field(
        0, ge=0, description="the most questions per minute of one person, and of each token; 0 for no limit"
    )
    max_all_questions_minute: int = Field(
        0, ge=0, description="the most questions per minute of everybody together, in one process; 0 for no limit"
    )
    max_collection_pages: int = Field(0, ge=0, description="the most pages of a collection; 0 for no limit")
    max_collection_mb: int = Field(0, ge=0, description="the most MB of a collection's files; 0 for no limit")
    max_person_pages: int = Field(
        0, ge=0, description="the most pages of the documents that one person has added, in all; 0 for no limit"
    )
    max_person_mb: int = Field(
        0, ge=0, description="the most MB of the files that one person has added, in all; 0 for no limit"
    )
    session_days: float = Field(
        30, gt=0, description="the days after which a login ends even if it is used (`vouch serve --accounts`)"
    )
    proxy_user_header: str = Field(
        "",
        pattern=r"^[A-Za-z0-9-]{0,64}$",
        description="the header in which a reverse proxy names the person, such as X-Forwarded-User",
    )
    proxy_addresses: tuple[IPvAnyNetwork, ...] = Field(
        (), description="the addresses or networks of proxies whose header is trusted; it is ignored from all others"
    )
    sso_issuer: str = Field(
        "", description="the address of the single sign-on provider (OpenID Connect), such as https://id.example"
    )
    sso_client: str = Field("", description="the client id of this server at that provider")
    sso_secret_variable: str = Field(
        "VOUCH_SSO_SECRET", description="the environment variable that holds the secret for that provider"
    )
    folders: tuple[Path, ...] = Field(
        (),
        description="the folders of this machine that may be indexed from the page, with everything in them; none by "
        "default",
    )

    @model_validator(mode="after")
    def _require_pairs(self) -> Self:
        """Reject a setting without its counterpart: a proxy header without addresses, a provider without a client."""
        if bool(self.proxy_user_header) != bool(self.proxy_addresses):
            raise ValueError("proxy_user_header and proxy_addresses go together: name both, or neither")
        if bool(self.sso_issuer) != bool(self.sso_client):
            raise ValueError("sso_issuer and sso_client go together: name both, or neither")
        return self

    @property
    def keys_of_accounts(self) -> tuple[str, ...]:
        """The keys that are set and that only the plugin for accounts and quotas implements."""
        return tuple(key for key in _OF_ACCOUNTS if getattr(self, key))

    @property
    def upload_limits(self) -> dict[str, str]:
        """The limits for uploads by their keys, as the page and the API state them: `200 MB a file`."""
        titles = ((key, field.title) for key, field in type(self).model_fields.items())
        return {key: title.format(getattr(self, key)) for key, title in titles if title}

    def cap_settings(self, settings: IndexingSettings) -> IndexingSettings:
        """Return `settings` with each limit that the page has too lowered to the page's, if that is lower."""
        keys = ("max_file_mb", "max_pages", "max_pixels")
        return settings.model_copy(update={key: min(getattr(settings, key), getattr(self, key)) for key in keys})


def ui_settings(profile: Profile) -> UiSettings:
    """Return the section `ui` of a profile. Raises ProfileError, which names the nearest known key."""
    try:
        return UiSettings.model_validate(profile.ui)
    except ValidationError as error:
        raise ProfileError("; ".join(map(_explanation, error.errors()))) from None


def _explanation(error: ErrorDetails) -> str:
    """Return `ui.<key>: <message>` for a validation error, with the nearest known key for an unknown one."""
    where = ".".join(map(str, ("ui", *error["loc"])))
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg']}"
    return f"{where}: no such key{did_you_mean(str(error['loc'][-1]), UiSettings.model_fields, alike=0.3)}"

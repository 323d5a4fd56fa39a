"""The errors of evidence packs."""

from ui.errors import UiError


class PackUnusable(UiError):
    """A file is no evidence pack, or is made to do harm; nothing of it was used."""


class KeyUnusable(UiError):
    """A key or a signature cannot be used; the message says what to do."""

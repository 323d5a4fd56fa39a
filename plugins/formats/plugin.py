"""What the plugin `formats` adds to Vouch."""

from vouch.hooks import Plugin

PLUGIN = Plugin(
    name="formats", summary="Read Office files, web pages, mail and plain texts, by converting each to pages."
)

"""What the plugin `audit` adds to Vouch."""

from vouch.hooks import Plugin

PLUGIN = Plugin(
    name="audit", summary="Audit bibliographies: find out whether references exist and are what they claim to be."
)

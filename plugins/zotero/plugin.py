"""What the plugin `zotero` adds to Vouch."""

from vouch.hooks import Plugin

PLUGIN = Plugin(name="zotero", summary="Index a Zotero library, or its export, with its records, tags and collections.")

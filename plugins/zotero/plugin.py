"""What the plugin `zotero` adds to Vouch."""

from vouch.hooks import DocumentSource, Plugin

PLUGIN = Plugin(
    name="zotero",
    summary="Index a Zotero library, or its export, with its records, tags and collections.",
    sources=(
        DocumentSource(
            "zotero",
            options="plugins.zotero.options:add_options",
            read="plugins.zotero.library:named_files",
            example="vouch index --zotero ~/Zotero -c library     "
            "read a Zotero library: its PDFs, records, tags and collections",
        ),
    ),
)

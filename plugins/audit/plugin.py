"""What the plugin `audit` adds to Vouch."""

from vouch.hooks import Command, Plugin

PLUGIN = Plugin(
    name="audit",
    summary="Audit bibliographies: find out whether references exist and are what they claim to be.",
    commands=(
        Command(
            "references",
            "works of a BibTeX file, as they are and with errors introduced",
            options="evaluation.construct.references.command:add_options",
            run="evaluation.construct.references.command:references_data",
            group="construct",
        ),
    ),
)

"""What the plugin `research` adds to Vouch."""

from vouch.hooks import Plugin

PLUGIN = Plugin(
    name="research", summary="Fit, fine-tune and examine models, and measure Vouch on the published benchmarks."
)

"""What the plugin `watch` adds to Vouch."""

from vouch.hooks import Command, Plugin

_WATCH_EXAMPLES = """\
examples:
  vouch watch minutes/ --collection board      follow a folder until Ctrl-C
  vouch watch minutes/ -c board --dry-run      show what would happen, and do nothing
  vouch watch minutes/ -c board --once         bring the collection up to date, then end (for cron)
  vouch watch /mnt/share -c board --poll       check every second, for network mounts that report no changes

New and changed files are read once they have stopped changing; a file that moved keeps its document and its anchors.
When a file is gone, its document stays, marked as missing; --prune removes it. Tags, dates and authors come from
FILE.yaml and .vouch.yaml beside the files: docs/folders.md. Ctrl-C ends it, and the next start catches up.
exit code: 0 you ended it, or all is up to date (--once, --dry-run), 1 something was not done or not read (--once)
"""

PLUGIN = Plugin(
    name="watch",
    summary="Keep a collection up to date with a folder.",
    commands=(
        Command(
            "watch",
            "keep a collection up to date with a folder",
            options="plugins.watch.options:watch_options",
            run="plugins.watch.command:watch",
            examples=_WATCH_EXAMPLES,
        ),
    ),
)

"""What the plugin `backup` adds to Vouch."""

from vouch.hooks import Command, Plugin

_BACKUP_EXAMPLES = """\
examples:
  vouch backup /mnt/backups                    all collections, to a new file named after the time
  vouch backup board.tar -c board              one collection
  vouch backup /mnt/backups -c board -c law    two of them

Reading, the page and indexing may go on: each collection is copied as it is at one moment. An existing file is never
replaced. Without -c, bibliographies are included. Nothing in the file is encrypted: docs/operating.md.
"""
_RESTORE_EXAMPLES = """\
examples:
  vouch restore board.tar                      everything in it
  vouch restore all.tar -c board --as board2   one collection, under another name
  vouch restore all.tar -c board --replace     replacing the existing one
  vouch restore all.tar --check                check the whole file, and restore nothing

The whole file is unpacked beside the collections and checked before the first of them is put in place, in one step
each. Restart vouch serve after replacing a collection that it serves.
"""

PLUGIN = Plugin(
    name="backup",
    summary="Back up collections into one file, even while they are in use, and restore them.",
    commands=(
        Command(
            "backup", "copy collections into one file, even while they are in use",
            "plugins.backup.options:backup_options", "plugins.backup.command:backup", _BACKUP_EXAMPLES,
        ),
        Command(
            "restore", "restore collections from a file that vouch backup wrote",
            "plugins.backup.options:restore_options", "plugins.backup.command:restore_backup", _RESTORE_EXAMPLES,
        ),
    ),
)  # fmt: skip

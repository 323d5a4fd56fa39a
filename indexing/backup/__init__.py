"""Back up collections into one file while they are in use; verify the file before restoring it."""

from typing import TYPE_CHECKING

from indexing.backup.contents import BackupContents
from indexing.late import late

if TYPE_CHECKING:
    from indexing.backup.restoring import check_backup, restore
    from indexing.backup.taking import back_up

__all__ = ["BackupContents", "back_up", "check_backup", "restore"]

__getattr__ = late(__name__, {"back_up": "taking", "check_backup": "restoring", "restore": "restoring"})

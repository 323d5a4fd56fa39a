"""Back up collections into one file while they are in use; verify the file before restoring it."""

from plugins.backup.contents import BackupContents
from plugins.backup.restoring import check_backup, restore
from plugins.backup.taking import back_up

"""Back up collections into one file while they are in use; verify the file before restoring it."""

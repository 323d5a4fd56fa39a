"""Folders: what is known of the files in them, and a collection that follows one."""

"""Follow a folder: new, changed, moved and removed files are brought into a collection, or taken out."""

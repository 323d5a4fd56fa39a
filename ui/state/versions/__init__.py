"""The versions of the state: each module brings the tables from the one before it to its own, and is never changed."""

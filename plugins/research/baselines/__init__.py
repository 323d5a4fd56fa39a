"""Run the systems that a user could choose instead of Vouch on the same data."""

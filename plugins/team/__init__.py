"""Serve collections to a team: accounts with roles, sign-on, quotas and an audit log."""

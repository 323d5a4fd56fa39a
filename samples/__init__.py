"""Vouch's own sample collection: original documents, their questions, and the code that sets both."""

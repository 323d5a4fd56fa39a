"""Fit the parameters that Vouch learns from data, one command for each."""

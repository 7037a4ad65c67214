"""The steps from each schema of the store to the next, in ``versions``; a new one sets ``HEAD`` to its number."""

HEAD = "0006"
"""The newest step: what a store has that this version of the program made or brought up to date."""

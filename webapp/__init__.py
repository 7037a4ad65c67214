"""Tells the players: the command, the page, the live stream. Importing it starts nothing."""

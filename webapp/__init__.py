"""Tells the players: the command line, the threads, the pages."""

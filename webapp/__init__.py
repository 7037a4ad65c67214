"""Tells the players: the command, the page, the live stream. Importing it starts nothing."""

import logging

# Silent until somebody listens: ``-v`` of the commands, or a program of its own.
logging.getLogger(__name__).addHandler(logging.NullHandler())

"""Show the players what the referee finds: commands, pages, live stream. Importing it starts nothing."""

import logging

# Silent until somebody listens: ``-v`` of the commands, or a program of its own.
logging.getLogger(__name__).addHandler(logging.NullHandler())

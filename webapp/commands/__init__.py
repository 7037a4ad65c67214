"""
The ``kozyr`` command: one file per command, and shared modules.

In: the command line. Out: lines on standard output, notes on standard error, an exit status. Each command builds the
parts it needs and waits for their end. No command contains rules of the game or drawing code.
"""

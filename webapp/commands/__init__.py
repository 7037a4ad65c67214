"""
The ``kozyr`` command: a file a command, and what they share.

In: the command line. Out: lines on standard output, notes on standard error, an exit status. Each command builds the
parts it needs and waits for their end. It judges nothing and draws nothing.
"""

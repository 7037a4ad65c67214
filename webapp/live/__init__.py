"""
A match as it goes on: frames through the eye, events to the referee, what was said to the board.

In: frames and presses. Out: record lines, rulings, snapshots. ``runtime`` alone starts threads and reads the clock. It
knows nothing of HTTP or of the command line.
"""

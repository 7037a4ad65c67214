"""
Run a match: the vision pipeline reports events from frames, the referee rules on them, the board publishes the result.

In: frames and presses. Out: record lines, rulings, snapshots. Only ``runtime`` starts threads and reads the clock. The
package does not depend on HTTP or on the command line.
"""

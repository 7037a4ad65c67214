"""
Serve the dashboard: pages, JSON and the live stream, with access control.

In: requests. Out: the board's content, and presses for the referee. The package does not depend on cameras, networks or
rules.
"""

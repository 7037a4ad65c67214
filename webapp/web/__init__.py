"""
The dashboard: pages, JSON, the live stream, and who may ask for them.

In: requests. Out: what the board shows, and presses handed on. It knows nothing of cameras, networks or rules.
"""

"""
Table scenes with exact labels: cards of many decks on many tables, under many lamps, seen by a pinhole camera.

In: decks and seeds. Out: pictures, corners, names, who lies on whom. It knows nothing of motion.
"""

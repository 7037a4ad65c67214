"""
Decks of cards as pictures: drawn from art that is installed, invented by lot, or our own.

In: names or seeds. Out: faces and backs. It knows nothing of tables, cameras or clips.
"""

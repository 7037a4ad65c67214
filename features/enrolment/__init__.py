"""
Learn a user's own deck from its cards, each shown once.

In: pictures of the cards, in a given order or in any. Out: a small ``.deck`` file, a contact sheet and the pairs of
cards that are easily confused; later a classifier adapted to this deck. The package knows nothing of games.
"""

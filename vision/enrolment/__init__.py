"""
A deck of one's own, learnt from its cards shown once.

In: pictures of the cards, in a told order or in any. Out: a small ``.deck`` file, a contact sheet, and which cards look
alike; later a classifier that knows this deck. It knows nothing of games.
"""

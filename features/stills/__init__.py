"""
Read a single picture: which cards lie there, and which covers which.

In: one picture. Out: a reading (``kozyr read``). It takes more time than an inference of the vision pipeline, since no
earlier picture shows what lies beneath a card. The package knows nothing of tracks, hands or the game.
"""

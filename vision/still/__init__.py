"""
A picture that stands alone: what lies there, and which card covers which.

In: one picture. Out: a reading (``kozyr read``). It takes more time than a look in motion, since there is no picture
before to tell what lies beneath. It knows nothing of tracks, hands or the game.
"""

"""
What moves: a cheap look at every frame, which saves dear looks and follows hands.

In: frames. Out: ``MotionReport`` (what changed, what still moves, arms) and visits of hands. It knows nothing of cards,
tracks or the game.
"""

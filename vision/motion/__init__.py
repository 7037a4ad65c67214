"""
What moves: motion detection in every frame, which saves inferences and follows hands.

In: frames. Out: ``MotionReport`` (what changed, what still moves, arms) and visits of hands. It knows nothing of cards,
tracks or the game.
"""

"""
One picture in, cards out: where each lies, which it is, and which lies on which.

In: a (h, w, 3) picture. Out: ``Detections`` (corners, confidence, a probability for each of 54 classes). Four networks
do it: the finder, the corner refiner, the classifier and the overlap network. It knows nothing of the pictures before,
of tracks, hands or the game.
"""

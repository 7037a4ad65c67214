"""
Detect the cards of one picture: where each lies, which it is, and which lies on which.

In: a (h, w, 3) picture. Out: ``Detections`` (corners, confidence, a probability for each of 54 classes). Five networks
are used: the finder, the corner refiner, the classifier, the overlap network, and the segmenter, which separates arms
from cards. The package knows nothing of earlier pictures, tracks, hands or the game.
"""

"""
One picture in, cards out: where each lies, which it is, and which lies on which.

In: a (h, w, 3) picture. Out: ``Detections`` (corners, confidence, a probability for each of 54 classes). Five networks
do it: the finder, the corner refiner, the classifier, the overlap network, and the segmenter, which tells arms from
cards. It knows nothing of the pictures before, of tracks, hands or the game.
"""

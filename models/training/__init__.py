"""
How the networks learn: scenes and crops synthesized without end, one loop for all networks, and the way into ONNX.

In: decks, photographs with corners, a seed. Out: checkpoints, and ``models/*.onnx`` with their manifest. PyTorch is
needed here and nowhere else.
"""

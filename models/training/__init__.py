"""
Train the networks: synthesized scenes and crops, one loop for all networks, export to ONNX.

In: decks, photographs with corners, a seed. Out: checkpoints, and ``models/*.onnx`` with their manifest. PyTorch is
needed here and nowhere else.
"""

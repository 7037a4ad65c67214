"""
How well pictures are read: check sets whose truth is known, scores, targets, pages of the worst pictures.

In: pictures with their truth, and the program's own eye. Out: tables and JSON. PyTorch is not needed.
"""

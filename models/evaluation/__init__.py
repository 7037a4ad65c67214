"""
Score the reading of still pictures: check sets with labels, scores, targets, pages of the worst pictures.

Input: labelled pictures and the shipped networks. Output: tables and JSON. PyTorch is not needed.
"""

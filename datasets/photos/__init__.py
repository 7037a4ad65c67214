"""
Labelled photographs: reading their labels, and finding the corners of the cards on them.

In: folders of pictures with ``labels.jsonl``. Out: pictures with names and corners. No photograph lies here.
"""

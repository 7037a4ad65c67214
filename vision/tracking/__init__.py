"""
Which card is which from look to look, and what lies where once the table is at rest.

In: ``Detections``, gate reports, hands. Out: tracks, piles, an ``Observation``. It knows the pack, and nothing of
events or rules.
"""

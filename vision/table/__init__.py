"""
Follow cards from inference to inference, and determine the table state once the table is at rest.

In: ``Detections``, reports of motion detection, hands. Out: tracks, piles, an ``Observation``. It knows the pack, and
nothing of events or rules.
"""

"""
Two observations and the hands between them in, table events out.

In: ``Observation`` and hand visits. Out: ``TableEvent``: placed, lifted, swept, drawn, swapped, dealt, each with its
doubt. It knows no rule and asks nobody what an event would mean; it knows nothing of pixels.
"""

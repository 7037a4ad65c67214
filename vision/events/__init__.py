"""
Two observations and the hands between them in, table events out.

In: ``Observation`` and hand visits. Out: ``TableEvent``: placed, lifted, swept, drawn, swapped, dealt, each with its
doubt. It asks the referee what would accuse somebody, and knows no rule itself; it knows nothing of pixels.
"""

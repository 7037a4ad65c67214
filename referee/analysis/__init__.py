"""
After a match: what every decision cost its player, and what would have been best (docs/analysis.md).

Pure as all of :mod:`referee`: chance is a generator that the caller passes, time is counted in playouts and positions.
"""

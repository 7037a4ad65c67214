"""
Analyse a match: the cost of every decision for its player, and the best one (docs/analysis.md).

Pure as all of :mod:`referee`: chance is a generator that the caller passes, time is counted in playouts and positions.
"""

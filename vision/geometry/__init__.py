"""
Geometry of the table: quads in the picture, the table's plane in millimetres, seats and zones.

In: corners in pixels. Out: areas, overlaps, millimetres, seats. Pure arithmetic on arrays. The package knows nothing of
networks, of time or of the game.
"""

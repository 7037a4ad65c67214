"""
Read pictures from a camera, a stream, a film, a folder or a file, all as ``Frame``; and write films.

In: the source that the user named. Out: ``Frame`` (picture, number, time), or one sentence why there is none. Bars
around a film are cut off here. The package knows nothing of cards, tables or games.
"""

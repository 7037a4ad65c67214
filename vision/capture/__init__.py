"""
Pictures in: from a camera, a stream, a film, a folder or a file, all as ``Frame``; and films out.

In: what the owner named. Out: ``Frame`` (picture, number, time), or one sentence why there is none. Bars round a film
are cut off here. It knows nothing of cards, tables or games.
"""

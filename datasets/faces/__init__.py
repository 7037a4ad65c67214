"""
Draw card faces with random layouts: a rank sign and a suit sign, anywhere, of any size, among other print.

Ready to be dealt as decks (``datasets.faces.face.lot_deck``) or a few faces at a time.
"""

"""
Card faces whose layout is drawn by lot: a rank sign and a suit sign, anywhere, any size, among whatever else.

Ready to be dealt as decks (``datasets.faces.face.lot_deck``) or a few faces at a time.
"""

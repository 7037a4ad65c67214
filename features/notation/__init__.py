"""
The notation for Durak: a game as people write it and read it aloud (``docs/notation.md``), file ending ``.durak``.

:mod:`.parser` reads games from text, :mod:`.writer` writes them in their one canonical form, :mod:`.game` takes them
from the lines of a record and back. The package is pure: it opens no file but its own grammar. It stands here and not
within ``referee``, which needs no library and knows one text, the record.
"""

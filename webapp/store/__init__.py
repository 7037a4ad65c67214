"""
Keep matches: a match is its record, an append-only log, and every line is committed before anybody sees it.

``schema`` says what is kept, ``database`` opens it (SQLite or PostgreSQL, by URL), ``matches`` reads and writes,
``match_writer`` keeps a match that goes on, whatever becomes of the store, ``moment_zip`` packs a match for others.
"""

"""A match as an append-only log of lines, and the projection of it that all pages, pictures and texts are made of."""

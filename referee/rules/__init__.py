"""The rules: one pure function each, from play and position to a fault or None; one file per part of the game."""

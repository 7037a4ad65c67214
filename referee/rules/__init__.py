"""The rules: one pure function each, one file per part of the game. What was played, what stands -> fault or None."""

"""Pack moments of a match for others, and judge stored matches and moments again."""

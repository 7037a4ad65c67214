"""Pack moments of a match for others, and judge kept matches and moments again."""

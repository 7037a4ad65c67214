"""Show what every stage of vision saw and decided at a moment of a recorded game (docs/trace.md)."""

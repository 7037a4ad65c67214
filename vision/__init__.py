"""Sees the table: frames in, table events out. Knows pixels and millimetres, not rules."""

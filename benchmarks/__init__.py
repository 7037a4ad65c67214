"""Measure accuracy on whole clips, speed, memory and size. Results are in ``measured/`` (docs/targets.md)."""

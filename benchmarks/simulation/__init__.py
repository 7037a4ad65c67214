"""Simulate whole games without a camera: played at random, reported with a camera's errors, and judged."""

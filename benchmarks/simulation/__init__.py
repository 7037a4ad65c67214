"""Whole games without a camera: played at random, told as an honestly erring camera tells them, and judged."""

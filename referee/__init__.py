"""Judges Durak: pure rules, no camera, no clock, no files."""

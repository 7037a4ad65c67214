"""One file a step: ``vNNNN_what.py``."""

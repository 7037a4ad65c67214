"""What is measured: how right whole clips are, how quick and how large the program is. Figures lie in ``history/``."""

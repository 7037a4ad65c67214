"""Many clips side by side, in processes or on a cluster."""

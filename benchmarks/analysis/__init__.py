"""Check and measure the analysis after a match (docs/analysis.md)."""

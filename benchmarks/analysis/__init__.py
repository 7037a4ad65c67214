"""Proofs and figures of the analysis after a match (docs/analysis.md)."""

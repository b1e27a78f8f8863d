"""Regressions, trees, densities and intervals that measures and synthesis share."""

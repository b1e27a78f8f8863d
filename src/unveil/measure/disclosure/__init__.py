"""Raab 2024: DiSCO, repU, DCAP, the checks for flags, exclusions, and excess over a control."""

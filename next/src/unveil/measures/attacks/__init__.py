"""Simulated attacks: what an intruder gets, beside what they would get anyway."""

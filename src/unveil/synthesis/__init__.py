"""Synthetic copies, made column by column."""

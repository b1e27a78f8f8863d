"""Do the synthetic data still tell what the original tells? Chapelle and Falissard (2023)."""

"""How often would a claim drawn from synthetic data be correct? Taub, Chapelle and others."""

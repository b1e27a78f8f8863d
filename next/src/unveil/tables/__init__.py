"""Published tables: what their values disclose, by themselves, together, and of many tables."""

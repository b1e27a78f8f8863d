"""What many published tables of the same people disclose together, and which tables do it."""

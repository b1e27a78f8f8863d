"""The small language of rules and derived columns: read, resolved and evaluated."""

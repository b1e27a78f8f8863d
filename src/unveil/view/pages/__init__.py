"""Self-contained pages: no script, no outside resource."""

"""Files read, aligned and coded together once: roles, bands, exclusions, people."""

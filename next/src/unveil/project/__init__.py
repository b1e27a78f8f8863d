"""A project: a folder with one readable file, its runs, what people state, and one decision."""

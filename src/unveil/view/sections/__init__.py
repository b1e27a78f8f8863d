"""The sections of the report, in the order of its questions."""

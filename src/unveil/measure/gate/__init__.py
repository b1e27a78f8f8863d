"""Does something in the files stand against a release? Copied records, identifiers, codings."""

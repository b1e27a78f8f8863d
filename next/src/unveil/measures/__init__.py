"""Each measure: rows, formulas of counts, one call that returns a result."""

"""Tables of counts: SAP, bounds, rounding and audit."""

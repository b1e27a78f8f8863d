"""The formulas, one folder for each family of measures."""

"""Charts of records, each in one module, drawn as static SVG."""

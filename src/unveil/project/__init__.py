"""A project from data to decision: its file, runs, rulings, report and log."""

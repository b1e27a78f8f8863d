"""The project in a browser, on this machine only."""

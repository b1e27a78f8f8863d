"""Ways of making copies, side by side: risk beside utility."""

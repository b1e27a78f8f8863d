"""What do simulated attacks find? Singling out, linkability, inference and membership."""

"""What is done to data before release: recoding, noise, the distance filter, the statement."""

"""Making: from a confidential file to a release, and what each step does to it."""

"""How sure would a claim of membership be, and how much noise makes it unsure? ECAP."""

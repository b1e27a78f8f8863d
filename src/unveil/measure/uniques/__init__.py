"""Who is unique, by how few keys, and who could be matched? SUDA, DIS and match risk."""

"""Who is unique, by how few keys, and would a match be correct?"""

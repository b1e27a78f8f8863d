"""Which column may be a key, a target or an identifier, and which says whose row it is?"""

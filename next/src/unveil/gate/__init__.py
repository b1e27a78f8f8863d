"""Is there anything in these files that stands against their release?"""

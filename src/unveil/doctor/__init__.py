"""Is all there that unveil needs?"""

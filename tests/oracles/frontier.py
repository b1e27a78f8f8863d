"""Which points does no other better? From the definition, point by point."""


def best(points):
    """Places of the points that no other has less or equal of both, and less of one."""
    kept = []
    for place, (x, y) in enumerate(points):
        bettered = False
        for a, b in points:
            if a <= x and b <= y and (a < x or b < y):
                bettered = True
        if not bettered:
            kept.append(place)
    return kept

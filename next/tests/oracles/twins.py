"""How many people would be told their own value by the records of the others alone?

The others with somebody's keys tell a value if they all have it. Nothing synthetic is looked at.
"""

from collections.abc import Sequence

from oracles.exclusions import Seen


def taught_by_others(people: Sequence[Seen]) -> int:
    """People whose value is the single one among the others with their keys."""
    taught = 0
    for place, person in enumerate(people):
        others = {
            other.target
            for at, other in enumerate(people)
            if at != place and other.key == person.key
        }
        taught += others == {person.target} and person.turned_away_by is None
    return taught

"""Which role might each column have, and why? Proposals only, in a custodian's words.

What a column holds says whether it points at people or tells nothing; its words say how well others
know it. What others know may become a key (`keys`), and all else is a target.
"""

from unveil.describing.facts import Facts
from unveil.describing.keys import GRADES, Steps, follows, order_keys
from unveil.describing.words import numbers_people, says, vocabulary
from unveil.study import Study

FEWEST = 20  # records from which on different values say anything
MANY = 100  # different values from which on what is named as an identifier is one
LONGEST_LIFE = 150  # ages and years lie within so many of one another
LIGHT, HEAVIEST = 30, 660  # bodies, in kilograms and in pounds
MOST_RECORDS = 50  # of a person, on average

SENSITIVE = "sensitive by name"
Role = tuple[str, str]
"""A role and the reason for it."""


def declared_roles(study: Study) -> dict[str, Role]:
    """The role of each column that was given one."""
    roles: dict[str, Role] = {
        name: (about.role, "declared") for name, about in study.columns.items() if about.role
    }
    roles |= dict.fromkeys(study.keys, ("key", "declared"))
    if {*study.targets} != {*study.replace(targets=()).targets}:  # not all that are left
        for name in study.targets:
            roles |= dict.fromkeys(study.joint.get(name, [name]), ("target", "declared"))
    return roles


def propose_roles(study: Study, facts: dict[str, Facts]) -> tuple[dict[str, Role], Steps]:
    """The role of each column with its reason, and the keys in their order."""
    roles = declared_roles(study)
    free = [facts[name] for name in sorted(facts) if name not in roles]
    for role, reason, test in (
        ("person", "says whose a record is", _is_person),
        ("time", "orders a person's records", _is_time),
        ("weight", "a weight by name, above 0", _is_weight),
    ):
        taken = {other for other, _ in roles.values()}
        passing = [(len(column.answers), column.name) for column in free if test(column)]
        if passing and role not in taken and (role != "time" or "person" in taken):
            roles[min(passing)[1]] = role, reason
    roles |= {c.name: settled for c in free if c.name not in roles and (settled := settle(c))}
    left = [column for column in free if column.name not in roles]
    keys = [facts[name] for name in study.keys]
    steps = order_keys(study, keys or left, are_declared=bool(keys))
    roles |= {column.name: _beside_keys(column, steps) for column in left}
    return roles, steps


def _is_person(column: Facts) -> bool:
    """Whether it says whose a record is, where people have several."""
    n, records = len(column.answers), len(column.codes)
    people = n + records - column.answered  # each record without a value is of its own
    is_several = n >= FEWEST and people < records <= MOST_RECORDS * people
    is_number = column.is_whole or column.column.kind == "text"
    return is_several and is_number and numbers_people(column.name)


def _is_time(column: Facts) -> bool:
    return column.is_whole and not column.topic and says("times", column.name)


def _is_weight(column: Facts) -> bool:
    """Whether it is a weight of a sample: above 0 for everyone, and not of a body."""
    numbers, n = column.numbers, len(column.numbers)
    if column.topic != "weight" or column.answered < len(column.codes) or n < 2:
        return False
    is_body = numbers[n // 2] >= LIGHT and numbers[-1] <= HEAVIEST
    return numbers[0] > 0 and (says("sample", column.name) or not is_body)


def settle(column: Facts) -> Role | None:
    """The role of what tells nothing, points at people, or dates an event; else none."""
    n, answered, numbers = len(column.answers), column.answered, column.numbers
    if (column.counts > 0).sum() < 2:
        return "ignore", "one value for everyone" if n else "nothing to compare"
    is_date = column.kind == "date" or says("dates", column.name)
    is_own = n == answered >= FEWEST and (column.is_whole or is_date)
    is_age = column.known in GRADES and len(numbers) and numbers[-1] <= numbers[0] + LONGEST_LIFE
    if is_own and not is_age and column.known != "sensitive":
        return "identifier", "every record has its own value"
    if column.column.kind == "text" and 2 * n > answered >= FEWEST:
        return "identifier", "most records have their own text"
    if n > min(MANY, answered / 2) and column.topic in ("identity", "household"):
        return "identifier", "named as a number of people"
    is_event = is_date and column.known in GRADES and column.topic != "birth"
    return ("target", "the date of an event") if is_event else None


def _beside_keys(column: Facts, steps: Steps) -> Role:
    """A key, or what it is beside the keys."""
    if column.known not in GRADES:
        return "target", SENSITIVE if column.known == "sensitive" else "no word says others know it"
    reason, before = vocabulary()["topics"][column.topic]["reason"], 0
    for key, unique in steps:
        if key is column:
            return "key", f"{reason}. {unique - before:,} more unique"
        if follows(column, key):
            return "ignore", f"who knows {key.name} knows it"
        before = unique
    return "target", f"{reason}, no key"

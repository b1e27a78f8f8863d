"""The language of rules, evaluated row by row as its page says: a twin that shares no code.

An expression is a nested tuple: ("<", ("column", "age"), ("number", 16)). `written` is its text,
`value` what it is in one row (a dictionary); None is missing, and a condition that cannot be told.
"""

import math

ORDER = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def written(tree):
    """The text of an expression, every part in brackets."""
    kind, *parts = tree
    if kind in ("column", "number", "text"):
        return {"column": "{}", "number": "({!r})", "text": '"{}"'}[kind].format(parts[0])
    if kind in ("not", "negative"):
        return f"({'not ' if kind == 'not' else '-'}{written(parts[0])})"
    if kind == "missing":
        return f"({written(parts[0])} is missing)"
    if kind == "in":
        members = ", ".join(repr(m) if isinstance(m, int) else f'"{m}"' for m in parts[1])
        return f"({written(parts[0])} in ({members}))"
    if kind in ("min", "max", "abs", "if"):
        return f"{kind}({', '.join(map(written, parts))})"
    return f"({written(parts[0])} {kind} {written(parts[1])})"


def value(tree, row, special=()):
    """What an expression is in a row; `special` are codes that are no amounts."""
    kind, *parts = tree
    if kind in ("column", "number", "text"):
        held = row[parts[0]] if kind == "column" else parts[0]
        return None if kind == "column" and held in special else held
    if kind in ("and", "or", "not"):
        return logic(kind, [value(part, row, special) for part in parts])
    if kind in ("missing", "in", "=", "!="):
        return by_value(kind, parts, row, special)
    if kind == "if":
        met = value(parts[0], row, special)
        return None if met is None else value(parts[1 if met else 2], row, special)
    return computed(kind, [value(part, row, special) for part in parts])


def by_value(kind, parts, row, special):
    """Whether a value is missing, one of some, or another: special codes are values here."""
    held = raw(parts[0], row, special)
    if kind == "missing":
        return held is None
    if kind == "in":
        return None if held is None else held in parts[1]
    other = raw(parts[1], row, special)
    return None if held is None or other is None else (held == other) == (kind == "=")


def raw(tree, row, special):
    """A column with its special codes as they are."""
    return row[tree[1]] if tree[0] == "column" else value(tree, row, special)


def logic(kind, values):
    """Kleene's three-valued logic."""
    if kind == "not":
        return None if values[0] is None else not values[0]
    decisive = kind == "or"
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def computed(kind, values):
    """Comparisons and arithmetic; None where a value is missing or the result is no number."""
    if None in values:
        return None
    if kind in ORDER:
        return ORDER[kind](*values)
    try:
        made = {
            "+": lambda a, b: a + b,
            "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
            "/": lambda a, b: a / b,
            "negative": lambda a: -a,
            "abs": abs,
            "min": min,
            "max": max,
        }[kind](*map(float, values))
    except (ZeroDivisionError, OverflowError):
        return None
    return made if math.isfinite(made) else None

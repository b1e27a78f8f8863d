"""Are the measured figures the expected ones?"""

from fractions import Fraction
from numbers import Real

TOLERANCE = 1e-9


def fault(measured: object, expected: Fraction | float | str | None) -> str | None:
    """What is wrong with one figure, or nothing."""
    if expected is None or isinstance(expected, str):
        return None if measured == expected else f"{measured!r} instead of {expected!r}"
    if not isinstance(measured, Real) or isinstance(measured, bool):
        return f"{measured!r} instead of {float(expected)!r}"
    # Written so that NaN is a fault: no comparison with it is true.
    close = abs(measured - float(expected)) <= TOLERANCE * max(1.0, abs(float(expected)))
    return None if close else f"{measured!r} instead of {float(expected)!r}"


def assert_agrees(measured: dict, expected: dict, where: str = "") -> None:
    """Each expected figure is measured, to 1e-9, and does not exist exactly where it should not."""
    missing = [name for name in expected if name not in measured]
    assert not missing, f"{where}: not there at all: {', '.join(missing)}"
    faults = {name: fault(measured[name], value) for name, value in expected.items()}
    lines = [f"{name}: {wrong}" for name, wrong in faults.items() if wrong]
    assert not lines, "\n".join([f"{where}:", *lines])

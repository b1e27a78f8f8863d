"""From what a user gives to counted key classes: read, align and count, each once.

All methods and all key sets open together, so that the same bands and the same levels hold for
every figure that is put side by side.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unveil.errors import ReadError, RolesError, SettingsError, list_names
from unveil.measure.cap.classes import Joint, KeyClasses, classes_of, join_targets, parse_tolerance
from unveil.records.cap import KeySet, Method, Target, Tolerance
from unveil.study.band_spec import parse_bands
from unveil.study.open_scenario import OpenScenario, open_scenario
from unveil.study.roles import names
from unveil.study.scenario import Progress
from unveil.study.study import sides_of

SYNTHETIC = "synthetic"
"""What the only method is called where none is named."""


@dataclass(frozen=True)
class Attribution:
    """Original, methods and joint target, opened and encoded; key sets are counted when asked."""

    opening: OpenScenario
    copies: dict[str, range]  # by method, the sides of its copies
    key_sets: tuple[KeySet, ...]
    target: Target
    joint: Joint
    tolerance: tuple[Tolerance, ...]
    _counted: dict[tuple[str, ...], KeyClasses] = field(default_factory=dict, repr=False)

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods, with the records of their copies."""
        rows = self.opening.scenario.sides.rows
        return tuple(
            Method(name=name, n_synthetic=tuple(rows[side] for side in sides))
            for name, sides in self.copies.items()
        )

    @property
    def targets(self) -> tuple[str, ...]:
        """The target's columns, as given."""
        return (self.target,) if isinstance(self.target, str) else self.target

    def classes(self, key_set: KeySet) -> KeyClasses:
        """The counts of one key set."""
        if key_set.keys not in self._counted:
            counted = classes_of(self.opening.scenario, key_set.keys, self.joint)
            self._counted[key_set.keys] = counted
        return self._counted[key_set.keys]


def open_copies(original: Any, synthetic: Any, *, keys: Any, **settings: Any) -> Attribution:
    """An original and the copies of one method without a name, by one set of keys."""
    sides = sides_of(synthetic, original=original)
    return _open(sides, {SYNTHETIC: range(1, len(sides))}, key_sets=[keys], **settings)


def open_methods(original: Any, methods: Any, **settings: Any) -> Attribution:
    """An original and the copies of several methods, by name."""
    if not isinstance(methods, Mapping) or not methods:
        raise SettingsError(
            "Name the methods and their copies, as in {'CART': [copy1, copy2], 'parametric':"
            " [copy3]}."
        )
    return _open(*sides_of_methods(methods, original=original), **settings)


def sides_of_methods(
    methods: Mapping[Any, Any], **groups: Any
) -> tuple[dict[str, Any], dict[str, range]]:
    """Every side by its name, and by method the places of its copies among them."""
    sides, copies = dict(groups), {}
    for name, given in methods.items():
        if not isinstance(name, str) or not name or not name.isprintable():
            raise SettingsError(
                "A method has no name that can be shown. Give each method a text as its name."
            )
        own = list(given) if isinstance(given, list | tuple) else [given]
        if not own:
            raise ReadError(f"Method {name!r} has no copy. Name at least one file or frame.")
        copies[name] = range(len(sides), len(sides) + len(own))
        sides |= {f"synthetic {name} {place}": copy for place, copy in enumerate(own, start=1)}
    return sides, copies


def _open(
    sides: Mapping[str, Any],
    copies: dict[str, range],
    *,
    key_sets: Any,
    target: str | Iterable[str],
    tolerance: Any = None,
    weights: str | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress,
) -> Attribution:
    chosen = parse_key_sets(key_sets)
    targets = names(target, "Targets")
    if not targets:
        raise RolesError("No target is given. Name the column that an intruder might learn.")
    radii = parse_tolerance(tolerance, targets)
    banding = parse_bands(bands, special_codes)
    opening = open_scenario(
        sides,
        keys=tuple(dict.fromkeys(key for key_set in chosen for key in key_set.keys)),
        targets=targets,
        missing_values=missing_values,
        bands=banding,
        weights=weights,
        progress=progress,
    )
    return Attribution(
        opening=opening.with_tolerance(radii),
        copies=copies,
        key_sets=chosen,
        target=targets[0] if len(targets) == 1 else targets,
        joint=join_targets(opening.scenario.target_columns, radii, banding.special_codes),
        tolerance=tuple(Tolerance(target=name, radius=r) for name, r in radii.items()),
    )


def parse_key_sets(given: Any) -> tuple[KeySet, ...]:
    """One or several sets of keys, by name or with names from their size, as the paper has them."""
    if isinstance(given, Mapping):
        sets = {name: names(keys, "Keys") for name, keys in given.items()}
    else:
        if isinstance(given, Iterable) and not isinstance(given, str):
            given = list(given)
        several = [given] if _is_flat(given) else given
        sets = _name_key_sets([names(keys, "Keys") for keys in several])
    if not sets or not all(sets.values()):
        raise RolesError("No keys are given. Name the columns an intruder would know.")
    if not all(isinstance(name, str) and name for name in sets):
        raise SettingsError("A key set has no name. Give each key set a text as its name.")
    seen: dict[frozenset[str], str] = {}
    for name, keys in sets.items():
        if frozenset(keys) in seen:
            raise RolesError(
                f"The keys {list_names(keys)} are given twice. Give each key set once."
            )
        seen[frozenset(keys)] = name
    return tuple(KeySet(name=name, keys=keys) for name, keys in sets.items())


def _is_flat(given: Any) -> bool:
    """Whether it is one set of keys; what is no list at all is refused by `names`."""
    return not isinstance(given, list) or all(isinstance(one, str) for one in given)


def _name_key_sets(sets: Sequence[tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Named "Key 4" where sizes tell them apart, otherwise by all the names."""
    sizes = [len(keys) for keys in sets]
    if len(set(sizes)) == len(sizes):
        return {f"Key {size}": keys for size, keys in zip(sizes, sets, strict=True)}
    named = {", ".join(keys): keys for keys in sets}
    if len(named) < len(sets):
        twice = next(keys for keys in sets if sets.count(keys) > 1)
        raise RolesError(f"The keys {list_names(twice)} are given twice. Give each key set once.")
    return named

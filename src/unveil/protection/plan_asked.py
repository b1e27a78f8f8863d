"""What is asked for besides the steps: for whom, how many rows, which leaves, by which seeds?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unveil.count.streams import drawn_seed, stream
from unveil.errors import SettingsError
from unveil.protection.plan import Plan
from unveil.protection.presets import audience_of, sweep_of, with_leaves
from unveil.read.banding import parse_bands
from unveil.read.roles import declared, names
from unveil.records.protection import Audience, ProtectionSeeds
from unveil.synthesis.settings import MOST_ROWS, entries, whole

_SEEDED = ("recode", "synthesise", "distance_filter", "add_noise", "sweep")


@dataclass(frozen=True)
class Asked:
    """What is asked for besides the steps, checked before any data is read."""

    audience: Audience | None
    settings: dict[str, Any]  # of the synthesis
    preset: str | None
    leaves: tuple[int, ...]
    seeds: ProtectionSeeds
    rows: int | None
    keys: tuple[str, ...]
    targets: tuple[str, ...] | None
    codes: Mapping[str, Any]
    missing: tuple[str, ...]

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """The columns that the original must have."""
        return {
            "keys": self.keys,
            "targets": self.targets or (),
            "special_codes": tuple(self.codes),
        }

    @classmethod
    def of(cls, plan: Plan, given: Mapping[str, Any]) -> "Asked":
        """What is given, or a refusal of what means nothing."""
        audience = audience_of(given["audience"])
        settings, preset = with_leaves(plan.synthesis, audience)
        if settings.get("renumber"):
            raise SettingsError(
                "The synthesis: renumber cannot be done here: rows are filtered and drawn anew, so"
                " running numbers would have gaps. Drop the columns instead."
            )
        own = {name: settings.pop(name, None) for name in ("seed", "rows", "missing_values")}
        settings.pop("copies", None)
        rows = own["rows"] if given["rows"] is None else given["rows"]
        missing = given["missing_values"] or own["missing_values"] or ()
        keys = () if given["keys"] is None else names(given["keys"], "Keys")
        targets = None if given["targets"] is None else names(given["targets"], "Targets")
        if keys:
            declared(keys, targets)
        return cls(
            audience,
            settings,
            preset,
            sweep_of(given["sweep"], audience),
            _seeds(given["seed"], own["seed"]),
            None if rows is None else whole("rows", rows, least=1, most=MOST_ROWS),
            keys,
            targets,
            parse_bands(None, given["special_codes"]).special_codes,
            tuple(entries(missing)),
        )


def _seeds(given: Any, of_synthesis: Any) -> ProtectionSeeds:
    """A seed for each step, by its name."""
    seed = drawn_seed(given)
    own = {name: int(stream(seed, "protect", name).integers(2**63 - 1)) for name in _SEEDED}
    if of_synthesis is not None:
        own["synthesise"] = drawn_seed(of_synthesis)
    return ProtectionSeeds(seed=seed, **own)

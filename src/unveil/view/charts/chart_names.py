"""Under which name does a result offer which chart? Of aggregates only: none shows a record."""

from collections.abc import Callable, Sequence

from unveil.errors import SettingsError, hint_at, list_names
from unveil.records.attacks import Attacks, CopyAttacks, Membership
from unveil.records.base import Copy, Record
from unveil.records.cap import Cap, Gtcap, Tcap
from unveil.records.comparison import Comparison
from unveil.records.count_tables import Sap
from unveil.records.disclosure import Disclosure, Excess, ExclusionTable
from unveil.records.exploration import Exploration
from unveil.records.key_sets import KeySets
from unveil.records.noise import NoiseChoice
from unveil.records.protection import Protection, Refill
from unveil.records.replication import Replication
from unveil.records.uniques import MatchRisk, Suda
from unveil.records.utility import PairTables, Projection, Utility
from unveil.view.attacks import attack_pairs_chart, attack_rates
from unveil.view.cap import tcap_chart
from unveil.view.charts.chart import Chart
from unveil.view.charts.distributions import distribution
from unveil.view.charts.dots import (
    exclusion_grid_chart,
    identity_chart,
    key_sets_chart,
    ladder_chart,
    lollipop_chart,
    steps_chart,
)
from unveil.view.charts.grids import associations, correlation_difference, pair_map
from unveil.view.charts.lines import (
    StepLine,
    cap_lines_chart,
    ecap_curve,
    noise_curve,
    populations,
    sap_curve,
)
from unveil.view.comparison import distances, most_different
from unveil.view.distance_filter import refill_rounds
from unveil.view.exploration import risk_utility
from unveil.view.flags import excess_chart
from unveil.view.format import and_list
from unveil.view.gtcap import gtcap_chart
from unveil.view.match_risk import match_chart
from unveil.view.membership import membership_chart
from unveil.view.projection import projected_groups
from unveil.view.replication import overlap
from unveil.view.uniques import uniques_chart
from unveil.view.utility import utility_chart


def _one_of(name: str, known: Sequence[str], what: str) -> str:
    if name in known:
        return name
    raise SettingsError(
        f"There is no {what} {name!r}.{hint_at(str(name), known)} There are: {list_names(known)}."
    )


def ladder(record: Disclosure, target: str | None = None, copy: Copy | None = None) -> Chart:
    """From guessing to the original; of the target with the highest DiSCO where none is named."""
    return ladder_chart(record, _target(record, target), copy)


def steps(record: Disclosure, target: str | None = None, copy: Copy | None = None) -> Chart:
    """iS, DiS, DiSCO and DiSDiO; of the target with the highest DiSCO where none is named."""
    return steps_chart(record, _target(record, target), copy)


def _target(record: Disclosure, target: str | None) -> str:
    if not record.targets:
        raise SettingsError("No target was measured, so there is nothing to draw of one.")
    if target is not None:
        return _one_of(target, record.targets, "target")
    risk = {one: record.attribute_of(one, record.headline_copy).DiSCO for one in record.targets}
    return max(record.targets, key=lambda one: risk[one] or 0.0)


def guesses(record: Disclosure) -> Chart:
    """DCAP of every target beside CAPd and the baseline, with its flags: Raab 2024, Figure 2."""
    return lollipop_chart(record, measure="DCAP")


def sets(record: KeySets, target: str | None = None) -> Chart:
    """Every set of the keys; of the target with the highest figure where none is named."""
    if target is not None or not record.targets:
        chosen = None if target is None else _one_of(target, record.targets, "target")
        return key_sets_chart(record, chosen)
    worst = [one for one in record.find_figures("worst") if one.target is not None]
    return key_sets_chart(record, max(worst, key=lambda one: one.correct).target)


def column(record: Comparison, column: str | None = None) -> Chart:
    """One column of original and copies side by side; that which differs most if none is named."""
    worst = most_different(record)
    chosen = worst.column if column is None and worst is not None else column or ""
    return distribution(record.distribution_of(_one_of(chosen, record.columns, "column")))


def pairs(record: PairTables, copy: int | None = None) -> Chart:
    """S_pMSE of all pairs of columns; of one copy, by default that which differs most."""
    if record.ways != 2:
        raise SettingsError(
            f"The map is of pairs of columns, and these are tables of {record.ways}. Ask for tables"
            " with ways=2."
        )
    copies = len(record.n_synthetic)
    if copy is not None and copy not in range(1, copies + 1):
        raise SettingsError(f"There is no copy {copy!r}. Copies are numbered from 1 to {copies}.")
    return pair_map(record, copy)


def curve(record: Sap, threshold: float | None = None) -> Chart:
    """The chance of a disclosure by the number of known people."""
    return sap_curve(
        [StepLine(and_list(record.dims), record.lower, record.upper)], threshold=threshold
    )


def rates(record: Attacks) -> Chart:
    """Every attack with its interval; R where there was a control."""
    files = record.files
    copy = CopyAttacks(
        copy=1, file=files[1] if len(files) > 1 else "", attacks=(record,), membership=None
    )
    return attack_rates([copy])


def used_and_others(record: Attacks) -> Chart:
    """Training records beside the control sample."""
    return attack_pairs_chart([record])


def rounds(record: Protection) -> Chart:
    """What the distance filter kept and removed, round by round."""
    if record.refill is None:
        raise SettingsError("No distance filter was used, so there are no rounds to draw.")
    return refill_rounds(record.refill)


def noise(record: Protection, column: str | None = None) -> Chart:
    """ECAP of one column, or of the first, by the amount of noise; confidential."""
    drawn = {one.column: chart for one in record.reasons if (chart := noise_curve(one)) is not None}
    if not drawn:
        raise SettingsError("The amount of no noise was chosen by ECAP, so there is no curve.")
    chosen = next(iter(drawn)) if column is None else column
    return drawn[_one_of(chosen, list(drawn), "curve of column")]


NAMED: dict[type[Record], dict[str, Callable[..., Chart]]] = {
    Disclosure: {
        "lollipop": lollipop_chart,
        "funnel": identity_chart,
        "ladder": ladder,
        "steps": steps,
        "guesses": guesses,
    },
    KeySets: {"sets": sets},
    ExclusionTable: {"grid": exclusion_grid_chart},
    Cap: {"by_m": cap_lines_chart},
    Tcap: {"bars": tcap_chart},
    Gtcap: {"histogram": gtcap_chart},
    Suda: {"bars": uniques_chart},
    MatchRisk: {"bars": match_chart},
    Excess: {"paired_dots": excess_chart},
    Attacks: {"rates": rates, "paired_dots": used_and_others},
    Membership: {"paired_dots": membership_chart},
    Utility: {"by_copy": utility_chart},
    PairTables: {"pair_map": pairs},
    Comparison: {
        "distances": distances,
        "distribution": column,
        "associations": associations,
        "difference": correlation_difference,
    },
    Projection: {"groups": projected_groups},
    Replication: {"overlap": overlap},
    Sap: {"curve": curve},
    NoiseChoice: {"curve": ecap_curve, "populations": populations},
    Refill: {"rounds": refill_rounds},
    Protection: {"rounds": rounds, "noise": noise},
    Exploration: {"risk_utility": risk_utility},
}
"""The charts of each record, by the name that `result.plot` gives them; the first is the CLI's."""

"""What a limit said: one verdict for each figure it was held against."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from unveil.errors import SettingsError, unknown_name
from unveil.records.base import Copy, Record
from unveil.records.disclosure import MEANING, Number
from unveil.records.judgement import Unit
from unveil.records.run import Kind

# On which figures can a limit be set, in what unit, and where does each come from?
#
# Every figure here grows with risk, or with what synthetic data gets wrong; a limit is the most of
# it that a custodian bears. The others have no limit that means anything.


About = Literal["risk", "utility"]
_ATTACKS: tuple[Kind, ...] = ("excess", "singling_out", "linkability", "inference")


@dataclass(frozen=True)
class LimitedMeasure:
    """One figure that a limit can be set on."""

    name: str
    unit: Unit
    what: str  # of what the figure is the share or the percentage
    source: str
    kinds: tuple[Kind, ...]  # the parts of a run that give it
    about: About = "risk"
    needs: str | None = None  # what a project has to declare before it can be measured

    @property
    def highest(self) -> float:
        """The highest limit that can be set; a ratio and a count have none."""
        return {"percent": 100.0, "share": 1.0}.get(self.unit, math.inf)

    @property
    def range(self) -> str:
        """The numbers that a limit can be, in words."""
        is_open = math.isinf(self.highest)
        return "a number from 0 on" if is_open else f"0 to {self.highest:.0f}"


def _raab(name: str, equation: int | str, what: str) -> LimitedMeasure:
    return LimitedMeasure(name, "percent", what, f"Raab 2024, equation {equation}", ("disclosure",))


_IDENTITY = (
    _raab("UiO", 2, "people unique on the keys in the original"),
    _raab("UiS", 3, "synthetic records unique on the keys in the synthetic data"),
    _raab("UiOiS", 4, "people unique in the original whose keys occur in the synthetic data"),
    _raab("repU", 5, "people unique in both files on the same keys (replicated uniques)"),
)
_ATTRIBUTE = (
    _raab("Dorig", 8, "people whose keys determine the target in the original"),
    _raab(
        "Dsyn",
        "8, on the synthetic data",
        "synthetic records whose keys determine the target there",
    ),
    _raab("iS", 9, "people matched: their keys occur in the synthetic data"),
    _raab(
        "DiS",
        10,
        "people whose keys determine the target in the synthetic data, correctly or wrongly",
    ),
    _raab("DiSCO", 11, "people whose keys determine the target in the synthetic data, correctly"),
    _raab("DiSDiO", 12, "those of DiSCO whose keys determine it in the original too"),
    _raab("CAPd", 7, "people guessed right among the originals with their keys"),
    _raab(
        "CAPs",
        "7, on the synthetic data",
        "synthetic records guessed correctly among those with the same keys",
    ),
    _raab("DCAP", 6, "people guessed right among the synthetic records with their keys"),
    _raab("TCAP", 13, "matched people whose target is determined, correctly"),
)
_CLAIMS = (
    LimitedMeasure(
        "adds",
        "percent",
        "people disclosed correctly beyond what other people's records teach, at least (lower end"
        f" of 95 %): {MEANING}",
        "docs/measures/claims.md",
        ("disclosure",),
    ),
)
_GATE = (
    LimitedMeasure(
        "real_records",
        "percent",
        "people with a unique record that reappears, equal in every compared column",
        "Raab 2024, section 3.2, over all columns",
        ("gate",),
    ),
    LimitedMeasure(
        "tied",
        "percent",
        "people shown with their own value more often than a neighbour or a twin would be",
        "docs/gate.md",
        ("gate",),
    ),
    LimitedMeasure(
        "sensitive",
        "percent",
        "people with a sensitive value disclosed correctly, or others shown with it wrongly",
        "Raab 2024, equations 10 and 11, by value",
        ("disclosure",),
        needs="sensitive",
    ),
)
_OTHERS = (
    LimitedMeasure(
        "GTCAP",
        "share",
        "the mean over statistical uniques: 0 = baseline, 1 = original",
        "Chapelle and Falissard 2023, Algorithm 2",
        ("gtcap",),
        needs="radii",
    ),
    LimitedMeasure(
        "R",
        "share",
        "excess risk of a simulated attack: success beyond that on a control sample",
        "Giomi et al. 2023; Raab 2024, equation 1",
        _ATTACKS,
        needs="control",
    ),
    LimitedMeasure(
        "ECAP",
        "share",
        "the highest chance that a claim about a released value is correct, knowing the noise",
        "Chapelle and Falissard, Equation 1",
        ("protection",),
        needs="protection",
    ),
    LimitedMeasure(
        "SAP",
        "share",
        "the probability that knowing so many people recovers a zero of a published table",
        "Smith and Elliot 2008, as corrected",
        ("sap",),
        needs="table",
    ),
    LimitedMeasure(
        "recovered",
        "count",
        "counts that published tables disclose together, or that are not settled",
        "docs/plans.md",
        ("plan",),
        needs="plan",
    ),
    LimitedMeasure(
        "near",
        "count",
        "counts that published tables disclose together, exactly or nearly, or not settled",
        "docs/plans.md",
        ("plan",),
        needs="plan",
    ),
    LimitedMeasure(
        "membership",
        "share",
        "members called members, less others called members, by the nearest record",
        "El Emam et al. 2022",
        ("membership",),
        needs="control",
    ),
    LimitedMeasure(
        "AUC",
        "share",
        "the mean over people tested: how often a release made with the person is told from one"
        " without; 0.5 = a guess",
        "Carlini et al. 2022",
        ("recognition",),
        needs="recognition",
    ),
    LimitedMeasure(
        "recognised",
        "percent",
        "people tested who are recognised in the synthetic data at 1 % false alarms",
        "Carlini et al. 2022",
        ("recognition",),
        needs="recognition",
    ),
    LimitedMeasure(
        "epsilon",
        "ratio",
        "the epsilon of differential privacy, at least, as shown by recognition of people",
        "Annamalai et al. 2024",
        ("recognition",),
        needs="recognition",
    ),
    LimitedMeasure(
        "unique",
        "percent",
        "people unique on all keys of a scenario in the original",
        "Elliot, Manning and Ford 2002",
        ("suda",),
    ),
    LimitedMeasure(
        "match_risk",
        "share",
        "the mean chance that a match by the keys is correct",
        "Franconi and Polettini 2004",
        ("match_risk",),
    ),
    LimitedMeasure(
        "pMSE",
        "share",
        "how well a model distinguishes the synthetic data from the original; 0.25 = perfectly, 0"
        " = not at all",
        "Snoke et al. 2018",
        ("utility",),
        about="utility",
    ),
    LimitedMeasure(
        "S_pMSE",
        "ratio",
        "pMSE of each pair of columns divided by what chance gives; 1 is perfect",
        "Raab, Nowok and Dibben 2021",
        ("utility", "tables"),
        about="utility",
    ),
)

MEASURES: dict[str, LimitedMeasure] = {
    measure.name: measure for measure in (*_IDENTITY, *_ATTRIBUTE, *_CLAIMS, *_GATE, *_OTHERS)
}
"""All that a limit can be set on, by name."""

IDENTITY = tuple(measure.name for measure in _IDENTITY)
ATTRIBUTE = tuple(measure.name for measure in _ATTRIBUTE)
GATE = tuple(measure.name for measure in _GATE)
NAMES = tuple(MEASURES)
RISK = tuple(name for name in NAMES if MEASURES[name].about == "risk")


def measure_named(name: str) -> LimitedMeasure:
    """One measure; an unknown name is refused with its nearest."""
    if name not in MEASURES:
        raise SettingsError(unknown_measure(name, NAMES))
    return MEASURES[name]


def unknown_measure(name: str, known: Iterable[str]) -> str:
    """Why no limit can be set on a name, and on what it can."""
    return unknown_name("No limit can be set on", name, known, "Limits can be set on", most=99)


def limits_fault(name: str, review: float, limit: float) -> str | None:
    """What is wrong with the two values of a limit, in a sentence; None where nothing is."""
    if name not in MEASURES:
        return unknown_measure(name, NAMES)
    measure = MEASURES[name]
    for value in (review, limit):
        if not math.isfinite(value) or not 0 <= value <= measure.highest:
            return (
                f"The limit of {name} has the value {value:.15g}. It is a {_noun(measure.unit)}:"
                f" write {measure.range}."
            )
    if review > limit:
        return (
            f"The limit of {name} is [{review:.15g}, {limit:.15g}]: review starts above the limit."
            " Write the lower number first."
        )
    return None


def _noun(unit: Unit) -> str:
    return "percentage" if unit == "percent" else unit


# What a limit on SAP said: one verdict for each number of known people that has one.


Status = Literal["within", "above", "not settled"]
"""Not settled: the limit is between the two bounds."""


class SapVerdict(Record, frozen=True, kw_only=True):
    """SAP with n known people beside the limit its custodian set."""

    n: int
    lower: float
    upper: float
    limit: float
    status: Status


class AreaVerdict(Record, frozen=True, kw_only=True):
    """SAP with n known neighbours, in every area, beside the limit its custodian set."""

    area: str  # the dimension whose levels are areas
    n: int
    limit: float
    status: Status
    n_areas: int
    n_above: int  # areas above the limit
    n_open: int  # areas of which it is not known
    level: str  # the area with the highest figure
    people: int  # in it
    lower: float
    upper: float


class Verdict(Record, frozen=True, kw_only=True):
    """One figure beside the limit its custodian set."""

    measure: str
    target: str | None
    copy: Copy
    value: Number | None
    limit: Number
    status: Literal["within", "review", "above", "not measured"]

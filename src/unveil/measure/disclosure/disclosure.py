"""`unveil.disclosure`: what would an intruder learn from the copies, about whom, how surely?

Read, align, count, measure: each once, for all targets and all copies (Raab 2024, section 3).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unveil.measure.cap.classes import parse_tolerance
from unveil.measure.disclosure.figures import CheckSettings
from unveil.measure.disclosure.find_flags import parse_checks
from unveil.measure.disclosure.record import measure_scenario
from unveil.measure.disclosure.result import DisclosureResult
from unveil.measure.disclosure.tolerance import Tolerances
from unveil.study.band_spec import parse_bands
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.open_scenario import open_scenario
from unveil.study.roles import parse_roles
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study
from unveil.study.weights import check_weights


@takes_study
def disclosure(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    exclude: Any = (),
    sensitive: Mapping[str, Sequence[str]] | None = None,
    one_way: Sequence[float] = (50, 90),
    two_way: Sequence[float] = (4, 80),
    checks_by: str | None = None,
    person: str | None = None,
    weights: str | None = None,
    tolerance: Mapping[str, float] | None = None,
    missing_values: str | Sequence[str] = (),
    expected: bool = False,
    progress: Progress | None = None,
) -> DisclosureResult:
    """Measure identity and attribute disclosure of one or several copies of an original.

    Parameters
    ----------
    original
        The confidential data: a polars, pandas or pyarrow frame, anything narwhals reads, an
        `unveil.Labelled`, or the path of a file (SPSS, Stata, SAS, Excel, Parquet, CSV).
    synthetic
        One copy, or a list of copies, in any of the same forms.
    keys
        The columns an intruder would know about a person.
    targets
        The columns they might learn, each taken alone; all other columns in common by default.
    bands
        Numbers to be compared in bands: ``{"age": 5}`` for five quantile bands, ``"equal:5"`` for
        equal widths, ``[18, 65]`` for breaks. They are cut over the original and all copies pooled.
    special_codes
        Codes among the numbers, such as ``{"income": [-8]}``, that stay levels of their own.
    exclude
        What is no real risk and counts in no sum: ``"workab=NO"``, ``"marital=SINGLE@age=16"``,
        ``"missing-targets"``, ``"missing-keys=age"``, ``"max-denominator=1"``,
        ``"max-denominator-syn=1"``; one or a list.
    sensitive
        Values of targets that are counted one by one in `record` however many values there are:
        ``{"hiv_test": ["positive"]}``.
    one_way, two_way
        When a check raises a flag: above so many records, and above so many percent.
    checks_by
        A column of the original within whose levels the checks are run.
    person
        The column that says whose row it is, where people have several: `record.people` then counts
        people beside rows. "none" or None: every row is taken for a person.
    weights
        The column of the original that says for how many people of the population a record stands:
        `record.weighted` then has the sums of the weights of the same records.
    tolerance
        For numeric targets, ``{"income": 100}``: `record.tolerance` then has the figures with
        numbers that differ by no more than this taken for equal. Special codes and missing values
        agree with themselves alone. Limits are held against the larger figure.
    missing_values
        Entries that stand for missing, such as ``["NA"]`` or ``["-9"]``. Empty always does.
    expected
        Whether to compute what other people's records would give of each DiSCO, and what the
        synthetic data add (`record.claims`, as in `unveil.claims`).
    progress
        Called with what is being done, how many steps are done, and how many there are.

    Returns
    -------
    DisclosureResult
        `.identity`, `.attribute`, `.mean`, `.pooled`; `.flags`; `.excluded`, `.effects`;
        `.recurrence`, `.coercions`, `.not_measured`; `.to_dict()`, `.to_json()`, `.frame()`; all of
        it in `.record`. `.whatif(exclude=...)` counts nothing again; `.records_at_risk(target)` is
        confidential.

    References
    ----------
    Raab (2024), Privacy risk from synthetic data: practical proposals; sections 3, 4
    and Appendix 1.
    """
    progress = progress or no_progress
    rules = parse_exclusions(exclude)
    checks = parse_checks(one_way, two_way, checks_by)
    banding = parse_bands(bands, special_codes)
    opening = open_scenario(
        sides_of(synthetic, original=original),
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        bands=banding,
        segment=checks.by,
        person=person,
        weights=weights,
        progress=progress,
    )
    near = Tolerances.of(tolerance, opening.scenario.target_names, banding.special_codes)
    opening = opening.with_tolerance(near.radii)
    checking = CheckSettings(checks, opening.segment)
    measured = measure_scenario(opening, checking, progress, sensitive, near)
    found = DisclosureResult.of(measured, rules)
    return found.with_expected(progress) if expected else found


def check_settings(
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    exclude: Any = (),
    one_way: Sequence[float] = (50, 90),
    two_way: Sequence[float] = (4, 80),
    checks_by: str | None = None,
    weights: str | None = None,
    tolerance: Mapping[str, float] | None = None,
    **_others: Any,
) -> None:
    """Refuse settings that are wrong whatever the files hold, before any file is read."""
    parse_exclusions(exclude)
    parse_checks(one_way, two_way, checks_by)
    parse_bands(bands, special_codes)
    spelt = parse_roles(keys, targets)
    check_weights(weights, () if spelt is None else spelt.columns)
    known = tuple(tolerance or ()) if spelt is None else spelt.targets
    parse_tolerance(tolerance, known, "targets")

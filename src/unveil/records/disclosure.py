"""What `unveil.disclosure` found: one record, and the rows it is made of.

Percentages are 0 to 100, as in Raab (2024). ``None`` means not measurable; the reason stands in
`Disclosure.not_measured`. Nothing here is rounded, and nothing here belongs to one person.
"""

from typing import Any, Literal

from unveil.errors import SettingsError, list_names
from unveil.records.base import Copy, Record, VersionedRecord
from unveil.records.exclusions import Effect, ExcludedCount, ExcludedIdentity
from unveil.records.person import PersonColumn

# Into which bands a column of numbers was cut before it was compared.


Style = Literal["quantile", "equal", "breaks"]
"""Bands of equally many records, bands of equal width, or bands between breaks that were given."""


class BandedColumn(Record, frozen=True, kw_only=True):
    """How one column was cut; the limits were found over the original and all copies together."""

    column: str
    style: Style  # the one used: "equal" where ties left too few bands of equally many records
    n: int | None  # how many bands were asked for; None where breaks were given
    breaks: tuple[float, ...]  # as given, or those found between the lowest and highest value
    levels: tuple[str, ...]  # labels of the bands that occur, from low to high
    special_codes: tuple[str, ...]  # codes kept apart that occur, as text


# Flags that may be common knowledge: what the one-way and two-way checks raised.
#
# Raab (2024), end of section 3.4 and section 4, with synthpop's rules.


class Checks(Record, frozen=True, kw_only=True):
    """When a check raises a flag: more than so many records, and more than so many percent."""

    one_way: tuple[float, float] = (50, 90)
    two_way: tuple[float, float] = (4, 80)
    by: str | None = None  # run within each level of this column


class Flag(Record, frozen=True, kw_only=True):
    """One level of a target, alone or with a level of a key, that may be common knowledge."""

    target: str
    copy: Copy
    kind: Literal["one_way", "two_way"]
    level: str | None  # of the target; None is the missing level
    key: str | None  # None in a one-way check
    key_level: str | None  # None is the missing level
    level_label: str | None = None  # as people read it, "Male (1)", where the file has labels
    key_level_label: str | None = None
    n: int  # disclosures (DiSCO records) that it accounts for
    n_disclosive: int  # all disclosures about the target
    n_level: int  # original records with the target level, among n_all
    n_all: int  # one-way: original records left by exclusions; two-way: those with the key level
    percent: float  # one-way: n of n_disclosive; two-way: n_level of n_all
    percent_all: float | None  # one-way: n_level of n_all
    by: str | None  # the column whose segments were checked apart
    segment: str | None  # this segment; None is the missing level
    segment_label: str | None = None
    exclusion: str  # ready-made: what to exclude if this is common knowledge
    sentence: str = ""  # the same in words


class SmallCells(Record, frozen=True, kw_only=True):
    """Pairs of a target that the two-way check passes over: too few people share each cell."""

    target: str
    copy: Copy
    n_pairs: int  # target level with key level, of at least ten people with the key level
    n: int  # disclosures (DiSCO records) of these pairs; one may be of several


Number = int | float


class IdentityRow(Record, frozen=True, kw_only=True):
    """Who could be found by the keys alone: Raab 2024, equations 2 to 5."""

    copy: Copy
    UiO: float | None
    UiS: float | None
    UiOiS: float | None
    repU: float | None
    N_d_both: Number  # original records whose keys occur in the synthetic data
    N_s_both: Number  # records of the synthetic data whose keys occur in the original
    n_q_synthetic: Number  # distinct key combinations in this synthetic file
    n_q_both: Number  # those that the original has too


class AttributeRow(Record, frozen=True, kw_only=True):
    """What the synthetic data disclose about one target: Raab 2024, equations 6 to 14."""

    target: str
    copy: Copy
    Dorig: float | None
    Dsyn: float | None
    iS: float | None
    DiS: float | None
    DiSCO: float | None
    DiSDiO: float | None
    max_denom: Number
    mean_denom: float | None
    max_denom_syn: Number
    mean_denom_syn: float | None
    baseCAPd: float | None
    CAPd: float | None
    CAPs: float | None
    DCAP: float | None
    TCAP: float | None  # Raab's equation 13, not Taub's
    DCAP_scaled: float | None  # a share: 0 is the baseline, 1 is certainty
    TCAP_scaled: float | None
    CAPd_renormalised: float | None  # synthpop's way with exclusions; without any, the same
    CAPs_renormalised: float | None
    DCAP_renormalised: float | None
    TCAP_renormalised: float | None  # can exceed 100
    protection: float | None  # Dorig - DiSCO, in percentage points
    removed: float | None  # the same, as a percentage of Dorig
    n_target_levels: int  # levels of the target over original and all copies
    n_cells: Number  # non-empty cells (q, t) of the table behind these figures


class ValueRow(Record, frozen=True, kw_only=True):
    """One value of a target: who has it, and who would be shown with it."""

    target: str
    copy: Copy
    kind: Literal["value", "missing", "rare"]  # rare: all values of fewer than ten people together
    level: str | None  # None: missing or rare
    n_people: int  # have it
    n_correct: int  # have it, and the synthetic data show it as their single value
    n_wrong: int  # do not have it, and the synthetic data show it as their single value
    n_other: int  # have it, and the synthetic data show another single value


class SingleValues(Record, frozen=True, kw_only=True):
    """People for whom the synthetic data show one single value of a target, after exclusions."""

    target: str
    copy: Copy  # 1 to m, or pooled
    n_correct: int  # it is theirs
    n_wrong: int  # it is not
    n_not_most_common: int  # of the correct ones, with another value than most people
    kind: Literal["value", "missing", "rare"]  # of the most common value
    level: str | None  # the most common value; None: missing, or of fewer than ten people
    level_label: str | None = None  # as people read it, where the file has labels
    n_level: int  # people with the most common value, of all people
    is_tied: bool  # other values are as common; the first of them counts


class AnyCorrect(Record, frozen=True, kw_only=True):
    """People for whom the value of some target is disclosed correctly, after exclusions."""

    copy: Copy
    n_people: int


class SingleValueCounts(Record, frozen=True, kw_only=True):
    """Whole numbers of people behind DiS and DiSCO, by person where a person column is declared."""

    n_people: int
    targets: tuple[SingleValues, ...]
    any_correct: tuple[AnyCorrect, ...]
    exact: tuple[str, ...]  # targets of numbers or dates that are compared exactly, not in bands
    sensitive: tuple[ValueRow, ...] = ()  # by person, before exclusions; none without such a column


class GroupRow(Record, frozen=True, kw_only=True):
    """One level of a key in which more people are disclosed than all others predict."""

    target: str
    copy: Copy
    key: str
    level: str | None  # None: missing
    n_people: int
    n_correct: int  # disclosed correctly, after exclusions
    percent: float  # DiSCO of the group
    expected: float  # DiSCO of all others, or the share of the group's commonest value
    p: float
    n_tested: int  # levels of the key that were tested


ClaimRule = Literal[
    "single_value",  # all matching records have one value: DiS, and correct is DiSCO
    "near_certain",  # at least `certainty` of the matching records have it
    "most_common",  # the most common value of the matching records; ties at random
    "agreed",  # determined by some file, and by no file otherwise
    "best_of_copies",  # near-certain, by as many files as serve the intruder best
    "some_file",  # determined by some file: no intruder knows which, so this is a ceiling
    "most_support",  # of the sets of keys that determine it, the one with most records
]
"""What is stated about people by a person who reads the synthetic data alone."""


MEANING = "own record or deeper pattern"
"""What `adds` may be: words that stand wherever it is shown."""


class ClaimRow(Record, frozen=True, kw_only=True):
    """One rule about one target: what is claimed, and how much of it the synthetic data add."""

    target: str
    copy: Copy
    rule: ClaimRule
    certainty: float | None = None  # of near-certain claims
    keys: tuple[str, ...]
    n: int  # people in the original
    claimed: Number
    correct: Number  # of them, those who have the value; of the single value: DiSCO
    at_random: float  # correct if the same values were stated of people taken at random
    expected: float  # correct if claims were as good as what other people's records teach
    adds: float  # correct - expected: own record or deeper pattern
    low: float  # its 95 % interval
    high: float

    @property
    def correct_if_determined(self) -> float | None:
        """Percent of claims that are correct; of the single value: 100 DiSCO / DiS."""
        return 100 * self.correct / self.claimed if self.claimed else None

    def percent(self, field: str) -> float:
        """One of the counts in percent of all people."""
        value: float = getattr(self, field)
        return 100 * value / self.n if self.n else 0.0


Part = Literal["excluded", "declared", "marginal", "one_key", "two_keys", "pattern", "rest"]


class PartsRow(Record, frozen=True, kw_only=True):
    """What explains the correct single values of one target; the parts add up to `correct`."""

    target: str
    copy: Copy
    correct: int  # DiSCO before exclusions, in people
    excluded: int
    declared: int  # by tables declared public
    marginal: int  # by the share of the value among all
    one_key: int  # by its share at a level of one key
    two_keys: int
    pattern: int  # by all keys together, each by its own table
    rest: int  # by none of these
    rest_expected: float
    rest_adds: float  # own record or deeper pattern
    rest_low: float
    rest_high: float
    # With a control sample: of the rest, how many would be correct about other people, too.
    population_inference: float | None = None
    own_record: float | None = None
    own_record_low: float | None = None
    own_record_high: float | None = None


class ClaimGroup(Record, frozen=True, kw_only=True):
    """Correct single values explained alike: one thing to rule on, common knowledge or not."""

    target: str
    copy: Copy
    part: Part
    level: str | None  # of the target; None is the missing level
    keys: tuple[str, ...]  # whose table explains them
    key_levels: tuple[tuple[str | None, ...], ...]  # at which levels of these keys
    n: int  # people
    percent: float  # of the target's correct single values
    exclusions: tuple[str, ...]  # what a ruling "common knowledge" writes


SetMeasure = Literal["DiSCO", "repU"]


class KeySetFigure(Record, frozen=True, kw_only=True):
    """The worst set of keys of some kind, beside what is expected of it; counts of people."""

    measure: SetMeasure
    target: str | None  # None: repU
    copy: Copy
    kind: Literal["all_keys", "worst", "size", "without"]
    without: str | None = None  # the key that the intruder lacks
    keys: tuple[str, ...]  # empty: no set is left
    n: int  # people in the original
    claimed: int  # people whose value is determined; of repU: people unique in the original
    correct: int  # of them, correctly (DiSCO); of repU: unique in the synthetic data too
    expected: float
    adds: float  # own record or deeper pattern
    low: float  # 95 %
    high: float
    low_of_all: float  # lower end corrected for the number of sets

    def flat(self) -> dict[str, Any]:
        """The figure as one row of a table."""
        return {**self.to_dict(), "keys": " ".join(self.keys)}

    def percent(self, field: str) -> float:
        """One of the counts in percent of all people."""
        value: float = getattr(self, field)
        return 100 * value / self.n if self.n else 0.0


class KeySetSearch(Record, frozen=True, kw_only=True):
    """The worst of all sets of the keys, and the worst that chance does not explain."""

    measure: SetMeasure
    target: str | None  # None: repU
    copy: Copy
    n_sets: int
    at_most: int  # keys in a set
    worst: KeySetFigure
    beyond: KeySetFigure | None  # the largest figure with low_of_all above 0; None: there is none
    examined: float  # percent: every set above this was held against chance


class PeopleRow(Record, frozen=True, kw_only=True):
    """One figure counted by person: people with at least one row that it counts."""

    target: str | None  # None for an identity measure
    copy: Copy
    measure: str
    n_people: Number
    percent: float  # of all people


class PeopleFigures(Record, frozen=True, kw_only=True):
    """Figures of a file with several rows for a person, counted by person."""

    person: PersonColumn
    rows: tuple[PeopleRow, ...]


class WeightedRow(Record, frozen=True, kw_only=True):
    """One figure in weights: the sum of the weights of the records that it counts."""

    target: str | None  # None for an identity measure
    copy: Copy
    measure: str
    weight: float
    percent: float  # of the weights of all records


class WeightedFigures(Record, frozen=True, kw_only=True):
    """Figures of a survey, each record counted as many times as its weight says."""

    column: str
    total: float  # the weights of all records: the population they stand for
    rows: tuple[WeightedRow, ...]


class ToleranceRow(Record, frozen=True, kw_only=True):
    """What the synthetic data disclose of a number within a tolerance: Raab 2024, section 3.4.

    Determined: all matching records agree with each other. Correct: and each with the truth.
    """

    target: str
    copy: Copy
    radius: float
    n_determined: Number
    n_correct: Number
    at_random: float  # correct if the same were stated of people taken at random
    Dorig: float | None
    DiS: float | None
    DiSCO: float | None
    CAPd: float | None
    DCAP: float | None


class Spread(Record, frozen=True, kw_only=True):
    """How one figure varies over the copies."""

    target: str | None  # None for an identity measure
    measure: str
    n_copies: int
    standard_deviation: float
    lowest: float
    highest: float


class Recurrence(Record, frozen=True, kw_only=True):
    """Original records that reappear in synthetic data: the same value in every compared column."""

    copy: int
    n: int
    percent: float
    n_columns: int
    n_alone: int  # original records unique on their values in all these columns
    n_alone_recurring: int  # those of them that reappear in the synthetic data
    kind: Literal["none", "some", "all", "equal"]


class Coercion(Record, frozen=True, kw_only=True):
    """Something done to make the files comparable, or noticed while reading them."""

    side: str  # "original", "synthetic", or "synthetic 2" where there are several
    column: str | None
    kind: str
    sentence: str


class NotMeasured(Record, frozen=True, kw_only=True):
    """Why a field is None."""

    target: str | None
    copy: Copy
    field: str
    reason: str


class Disclosure(VersionedRecord, frozen=True, kw_only=True):
    """Identity and attribute disclosure of one scenario: Raab 2024, section 3 and Appendix 1."""

    files: tuple[str, ...]  # names of the files, the original's first; "a data frame" otherwise
    keys: tuple[str, ...]
    targets: tuple[str, ...]  # the riskiest first
    n_original: int
    n_synthetic: tuple[int, ...]
    n_q_original: int
    n_q_synthetic: int  # over all copies
    n_q_union: int
    identity: tuple[IdentityRow, ...]  # of each copy; of several also their mean, and pooled
    attribute: tuple[AttributeRow, ...]  # of each target and copy, the riskiest target first
    by_value: tuple[ValueRow, ...]  # of all people, before exclusions
    by_group: tuple[GroupRow, ...]  # groups that stand out
    single_values: SingleValueCounts
    claims: tuple[ClaimRow, ...] = ()  # behind each DiSCO, what is expected; empty: not computed
    parts: tuple[PartsRow, ...] = ()  # what explains them; empty: not computed
    groups: tuple[ClaimGroup, ...] = ()  # those explained alike, of the headline copy
    key_sets: tuple[KeySetSearch, ...] = ()  # an intruder who uses some keys; empty: not computed
    people: PeopleFigures | None = None  # None: every row is taken for a person
    weighted: WeightedFigures | None = None  # None: no weights are declared
    tolerance: tuple[ToleranceRow, ...] = ()  # of targets that have one
    spread: tuple[Spread, ...]
    recurrence: tuple[Recurrence, ...]  # original records that reappear in each copy
    checks: Checks
    flags: tuple[Flag, ...]  # one-way and two-way checks: may be common knowledge
    small_cells: tuple[SmallCells, ...] = ()  # what flags would be without a least number of people
    exclude: tuple[str, ...]  # the exclusions in force, as text, in the order they act
    excluded: tuple[ExcludedCount, ...]  # records that each exclusion took out
    excluded_identity: tuple[ExcludedIdentity, ...]
    effects: tuple[Effect, ...]  # what the exclusions together did to each figure
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]  # what was changed to make the files comparable
    not_measured: tuple[NotMeasured, ...]  # why a figure is None

    @property
    def headline_copy(self) -> Copy:
        """The synthetic file whose figures stand for all: the only one, or the mean of several."""
        return 1 if len(self.n_synthetic) == 1 else "mean"

    def find_claim(self, target: str, copy: Copy) -> ClaimRow | None:
        """What is expected and added behind DiSCO of one target; None: not computed."""
        about = (target, copy)
        return next((row for row in self.claims if (row.target, row.copy) == about), None)

    def percent_of_people(self, measure: str, target: str | None, copy: Copy) -> float | None:
        """One figure counted by person; None where rows are people, or it is not so counted."""
        for row in () if self.people is None else self.people.rows:
            if (row.measure, row.target, row.copy) == (measure, target, copy):
                return row.percent
        return None

    def highest(
        self, row: IdentityRow | AttributeRow, measure: str, target: str | None
    ) -> float | None:
        """One figure of a row, by rows, by people or within a tolerance, whichever is largest.

        None: not measured.
        """
        of_rows: float | None = getattr(row, measure)
        others = [self.percent_of_people(measure, target, row.copy)]
        if (near := self.find_tolerance(target, row.copy)) is not None:
            others.append(getattr(near, measure, None))
        largest = max((one for one in others if one is not None), default=of_rows)
        return None if of_rows is None or largest is None else max(of_rows, largest)

    def find_weighted(self, measure: str, target: str | None, copy: Copy) -> WeightedRow:
        """One figure in weights."""
        about = (measure, target, copy)
        for row in () if self.weighted is None else self.weighted.rows:
            if (row.measure, row.target, row.copy) == about:
                return row
        raise SettingsError(f"There is no figure {measure} in weights.")

    def find_tolerance(self, target: str | None, copy: Copy) -> ToleranceRow | None:
        """The figures of one target within its tolerance; None: it has none."""
        about = (target, copy)
        return next((row for row in self.tolerance if (row.target, row.copy) == about), None)

    def identity_of(self, copy: Copy) -> IdentityRow:
        """The identity figures of one copy, of their mean, or of all pooled."""
        for row in self.identity:
            if row.copy == copy:
                return row
        known = list_names(str(row.copy) for row in self.identity)
        raise SettingsError(f"There is no copy {copy!r}. There are: {known}.")

    def attribute_of(self, target: str, copy: Copy) -> AttributeRow:
        """The attribute figures of one target in one copy, their mean, or all pooled."""
        for row in self.attribute:
            if row.target == target and row.copy == copy:
                return row
        raise SettingsError(
            f"There are no figures of target {target!r} in copy {copy!r}. The targets are:"
            f" {list_names(self.targets)}."
        )


# What `unveil.excess` found: train against control, target by target.


class ExcessRow(Record, frozen=True, kw_only=True):
    """One measure of one target, for people whose records were used and people whose were not."""

    target: str
    measure: str
    copy: Copy
    train: float | None
    control: float | None
    R: float | None  # (train - control) / (100 - control): Raab 2024, equation 1
    train_after: float | None  # under the exclusions; None where there are none
    control_after: float | None
    R_after: float | None
    R_exclusion: float | None  # (train - train_after) / (100 - train_after)


ExcessPartName = Literal["R", "matched", "determined", "correct", "most_common", "nearest"]


class ExcessPart(Record, frozen=True, kw_only=True):
    """R of one measure, one factor's part of it, or R of an intruder who guesses in other ways."""

    target: str
    measure: str  # DCAP or DiSCO
    copy: Copy
    # R: the whole, nothing is guessed about people not matched; matched, determined, correct: what
    # each factor adds to it; most_common, nearest: R where those not matched are guessed by the
    # most common value, or by the nearest record.
    part: ExcessPartName
    train: float | None  # shares: of the measure, or of the factor (determined if matched, ...)
    control: float | None
    R: float
    low: float  # 95 %
    high: float


class Excess(VersionedRecord, frozen=True, kw_only=True):
    """How much more the copies disclose about the people they were made from."""

    files: tuple[str, ...]  # train, control, copies
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    measures: tuple[str, ...]
    person: PersonColumn | None = None  # of train; None: every row is taken for a person
    n_train: int  # people where a person is declared, records otherwise
    n_control: int
    n_synthetic: tuple[int, ...]
    exclude: tuple[str, ...]
    rows: tuple[ExcessRow, ...]
    parts: tuple[ExcessPart, ...] = ()  # what R is made of, before exclusions; empty by person
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    @property
    def headline_copy(self) -> Copy:
        """The synthetic file whose figures stand for all: the only one, or the mean of several."""
        return 1 if len(self.n_synthetic) == 1 else "mean"


# What `unveil.exclusion_table` found: the figures under one set of exclusions after another.


class ExclusionColumn(Record, frozen=True, kw_only=True):
    """One column of Raab's Table 2: what is excluded."""

    column: int
    title: str
    exclude: tuple[str, ...]


class ExclusionTableRow(Record, frozen=True, kw_only=True):
    """One target in one column: what the original discloses, and what the synthetic data do."""

    target: str
    column: int
    original: float | None
    synthetic: float | None
    n: float | None  # people behind `synthetic`; a mean over copies may be no whole number


class ExclusionTable(VersionedRecord, frozen=True, kw_only=True):
    """Raab 2024, Table 2: five sets of exclusions side by side."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    measure: str  # of the synthetic data
    measure_original: str  # of the original: Dorig, or CAPd beside DCAP
    n_original: int
    n_synthetic: tuple[int, ...]
    columns: tuple[ExclusionColumn, ...]
    rows: tuple[ExclusionTableRow, ...]
    bands: tuple[BandedColumn, ...]
    coercions: tuple[Coercion, ...]

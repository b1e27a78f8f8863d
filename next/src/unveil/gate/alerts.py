"""What stands against a release besides figures of people, each beside what chance would give."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from unveil.arguments import split_names
from unveil.counts.cells import Ints
from unveil.counts.profile import Mask
from unveil.data.columns import Column
from unveil.data.write import FAKE
from unveil.gate.coding import find_differences
from unveil.gate.columns import MISSING, Compared, codes_of
from unveil.gate.links import draw
from unveil.gate.nearest import Space, binned
from unveil.gate.records import column_that_differs, mark_values, records_compared
from unveil.gate.rows import ALL_NEAR, ASKS, URGENCIES, AlertRow, NotTestedRow, Urgency
from unveil.results import ALONE, COMPLETE, NEARLY, PeopleFigure
from unveil.results.words import count, people, percent
from unveil.study import ORIGINAL, Side, Study

WORK = 1e10  # people times records times columns of one search; beyond it records are drawn
LOOKED_AT = 1000  # records for which every column is left out in turn
CHANCE = 1e-4  # an excess that arises by chance more often is no alert
FEWEST = 20
OWN_VALUE = (0.15, 0.30)  # excess share of records: decide, block
SINGLE = 0.25  # the same of records with a value that one person holds
MOSTLY_OWN = 2 / 3  # of people who hold a number alone, above which a person must decide
GROUP = 10  # records in a group
GROUP_ABOVE = 0.1  # by how much more than the limit of all
MOST_LEVELS = 60
ALIKE = 0.3  # excess agreement of rows with the same value: are they one person's?
FEWEST_PERSONS, MOST_ROWS = 50, 50
TIED = 0.1


class Share(NamedTuple):
    """How many records of how many, and how many people (or strangers) of how many."""

    hits: int
    records: int
    expected_hits: int
    people: int

    @classmethod
    def of(cls, hits: Mask, yardstick: Mask) -> "Share":
        return cls(int(hits.sum()), len(hits), int(yardstick.sum()), len(yardstick))

    @property
    def share(self) -> float:
        return self.hits / max(1, self.records)

    @property
    def expected(self) -> float:
        return self.expected_hits / max(1, self.people)

    @property
    def excess(self) -> float:
        return self.share - self.expected

    @property
    def chance(self) -> float:
        """Of so many hits if the records were other people: binomial, with a cautious yardstick."""
        from scipy.special import bdtrc

        rate = (self.expected_hits + 1 + self.expected_hits**0.5) / (self.people + 2)
        return float(bdtrc(self.hits - 1, self.records, min(1, rate))) if self.hits else 1.0

    def urgency(self, decide: float, block: float) -> Urgency | None:
        if self.chance > CHANCE or self.excess < decide / 2:
            return None
        return "block" if self.excess >= block else "decide" if self.excess >= decide else "review"


class Nearness(NamedTuple):
    """When a record is near one person: so many times nearer than the next, by so many bits."""

    words: str
    ratio: float
    bits: float
    decide: float  # excess share of records
    block: float


SHARP = Nearness("5 times nearer to one person than to anybody else", 0.2, 10, 0.0075, 0.025)
NEAR = Nearness("twice as near to one person as to anybody else", 0.5, 6, 0.08, 0.20)
WHOLE = Nearness("the whole record of exactly one person", 0, 0, 0.20, 0.40)
LEAVES = "Synthesise again with larger leaves, and coarser or smoothed numbers."


class Gate:
    """The files of a comparison as nearness sees them; one file is asked after the other."""

    def __init__(self, study: Study, columns: Sequence[Compared], seed: int) -> None:
        self.study, self.columns, self.seed = study, columns, seed
        self.person, self.n_people = study.people()
        small = [binned(column) for column in columns]
        self.codes = [[codes[file] for codes, _ in small] for file in range(len(study.files))]
        self.space = Space(self.codes[ORIGINAL], [bits for _, bits in small], self.person)
        compared = records_compared(study, columns)
        files = mark_values([codes_of(compared, file) for file in range(len(study.files))])
        self.whole = [marks.sum(1) for marks in files]
        self.yardstick = study.control_number if study.has_control else ORIGINAL
        self.near = self._nearness(self.yardstick)

    def alerts(self, side: Side) -> Iterator[AlertRow]:
        """Of one file, the gravest kinds first."""
        file = side.files[0]
        answers = self._nearness(file)
        near = list(self._near_records(side, answers))
        yield from near
        if not any(alert.status == "block" for alert in near):
            yield from self._groups(side, answers)
        yield from self._own_values(side)
        yield from self._single_holders(side)
        for column in self.columns:
            for difference in find_differences(column, file, self._is_asked(column.name)):
                yield row(
                    side, f"coding:{column.name}", difference.status, (column.name,),
                    difference.sentence, difference.share, difference.expected,
                    "Give it the same coding in every file, then assess again.",
                )  # fmt: skip

    def _is_asked(self, name: str) -> bool:
        """Whether the keys or targets have the column, and it must be written alike."""
        about = self.study.columns.get(name, Column())
        names = {*self.study.keys, *self.study.targets}
        parts = {part for name in names for part in self.study.joint.get(name, [name])}
        return name in parts and about.bands is None and about.tolerance is None

    def _sample(self, file: int, work: float, most: int | None = None) -> Ints:
        n = len(self.codes[file][0])
        many = int(work / len(self.person) / max(len(self.columns), 1))
        return draw(n, min(n, max(100, many), most or n), self.seed)

    def drawn(self) -> Iterator[NotTestedRow]:
        """Of how many records nearness is asked, if not of all."""
        files = [number for side in self.study.sides() for number in side.files]
        n, asked = max((len(self.whole[file]), len(self._sample(file, WORK))) for file in files)
        if asked < n:
            sentence = f"Nearness is asked of {asked:,} of {n:,} records, drawn at random."
            yield NotTestedRow(what=ALL_NEAR, sentence=sentence)

    def _askers(self, file: int, rows: Ints) -> Ints | None:
        return self.person[rows] if file == ORIGINAL else None

    def _nearness(self, file: int) -> dict[Nearness, tuple[Ints, Mask]]:
        """For each kind of nearness the records that were asked, and whether they are near one."""
        rows = self._sample(file, WORK)
        records = [codes[rows] for codes in self.codes[file]]
        (nearest,) = self.space.nearest(records, self._askers(file, rows))
        worth = self.space.worth(records)
        first, second = worth - nearest.bits_first, worth - nearest.bits_second
        near = {
            kind: (rows, (second - first >= kind.bits) & (first <= kind.ratio * second))
            for kind in (SHARP, NEAR)
        }
        whole = self.whole[ORIGINAL], self.whole[file]
        hits = _held_by_one(*whole, itself=file == ORIGINAL)
        return {**near, WHOLE: (np.arange(len(hits)), hits)}

    def _near_records(
        self, side: Side, answers: Mapping[Nearness, tuple[Ints, Mask]]
    ) -> Iterator[AlertRow]:
        for kind in (SHARP, NEAR):  # whole records are figures of people
            rows, hits = answers[kind]
            share = Share.of(hits, self.near[kind][1])
            if status := share.urgency(kind.decide, kind.block):
                sample = "a sample of " if len(rows) < len(self.codes[side.files[0]][0]) else ""
                sentence = (
                    f"{share.hits:,} of {sample}{share.records:,} records"
                    f" ({percent(100 * share.share)}) are {kind.words}; {of_others(share)}."
                )
                yield row_of(side, "real-records", status, (), sentence, share, LEAVES)

    def _groups(
        self, side: Side, answers: Mapping[Nearness, tuple[Ints, Mask]]
    ) -> Iterator[AlertRow]:
        """Near records in one group, where the whole file is quiet; the worst group."""
        worst: tuple[float, Share, Compared, int, Nearness] | None = None
        asked = 0
        for kind, (rows, hits) in answers.items():
            others, yard = self.near[kind]
            overall = max(0.0, Share.of(hits, yard).excess)
            for column in self.columns:
                if column.n_levels > MOST_LEVELS:
                    continue
                here = column.codes[side.files[0]][rows]
                there = column.codes[self.yardstick][others]
                for code in np.unique(here[hits]):
                    share = Share.of(hits[here == code], yard[there == code])
                    asked += 1
                    is_worse = share.excess - overall >= kind.block + GROUP_ABOVE
                    if share.hits >= GROUP and is_worse:
                        candidate = (share.chance, share, column, int(code), kind)
                        worst = min(worst or candidate, candidate, key=lambda c: c[0])
        if worst and worst[0] * asked <= CHANCE:
            _, share, column, _, kind = worst
            sentence = (
                f"In one group by {column.name}, {share.hits:,} of {share.records:,} records"
                f" ({percent(100 * share.share)}) are {kind.words}; {of_others(share)}."
            )
            yield row_of(
                side, f"group:{column.name}", "block", (column.name,), sentence, share, LEAVES
            )

    def _own_values(self, side: Side) -> Iterator[AlertRow]:
        """A record's nearest person by all other columns: is its value theirs, or as the next's?

        Columns that were drawn anew hide whose the others are: where some speak, they are asked
        again without the rest.
        """
        among, worst = np.arange(len(self.columns)), (0.0, 0, 0.0, 0.0)
        for _ in range(3):
            if len(among) < 3:
                break
            share, expected, error = self._own_and_next(side.files[0], among)
            excess = share - expected
            place = int(np.argmax(excess))
            is_sure = _beyond_chance(excess[place] / error[place]) * len(self.columns) <= CHANCE
            if is_sure and excess[place] > max(OWN_VALUE[0], worst[0]):
                worst = excess[place], int(among[place]), share[place], expected[place]
            speaking = among[excess >= np.maximum(3 * error, 0.02)]
            if not 3 <= len(speaking) < len(among):
                break
            among = speaking
        excess_of_worst, place, of_worst, others = worst
        if excess_of_worst:
            name = self.columns[place].name
            sentence = (
                f"{percent(100 * of_worst)} of records show the own {name} of the person who is"
                f" nearest by the other columns; {percent(100 * others)} would by chance."
            )
            status: Urgency = "block" if excess_of_worst >= OWN_VALUE[1] else "decide"
            yield row(
                side, f"own-value:{name}", status, (name,), sentence, of_worst, others, LEAVES
            )

    def _own_and_next(self, file: int, among: Ints) -> tuple[Ints, Ints, Ints]:
        """Per column: own values at the nearest person, what is expected, the error."""
        space = Space(
            [self.space.codes[c] for c in among], [self.space.bits[c] for c in among], self.person
        )
        means, gains, variances = [], [], []
        for asked in (file, self.yardstick):
            rows = self._sample(asked, WORK / 4, LOOKED_AT)
            records = [self.codes[asked][c][rows] for c in among]
            nearest = space.nearest(records, self._askers(asked, rows), leave_out=True)
            own, after = (
                np.array([
                    space.shows_own(c, records[c], getattr(found, whose))
                    for c, found in enumerate(nearest)
                ], float)
                for whose in ("first", "second")
            )  # fmt: skip
            means.append(own.mean(1))
            gains.append((own - after).mean(1))
            variances.append((own - after).var(1) / len(rows))
        expected = means[0] - gains[0] + np.maximum(0, gains[1])
        return means[0], expected, np.sqrt(sum(variances)) + 1e-9

    def _single_holders(self, side: Side) -> Iterator[AlertRow]:
        """Values that one person holds: identifiers, free text, exact numbers."""
        file = side.files[0]
        for column in self.columns:
            about = self.study.columns.get(column.name, Column())
            people, records, others = (
                column.codes[number][column.codes[number] != MISSING]
                for number in (ORIGINAL, file, self.yardstick)
            )
            n_values = len(np.unique(people))
            is_many = n_values >= 0.1 * len(people)
            if min(len(people), len(records)) < FEWEST or not is_many:
                continue
            yardstick = _held_by_one(people, others, itself=self.yardstick == ORIGINAL)
            share = Share.of(_held_by_one(people, records), yardstick)
            is_declared = about.role == "identifier"
            if (share.excess < SINGLE and not is_declared) or share.chance > CHANCE:
                continue
            is_numbered = column.is_numbering and column.numbers is not None
            if is_numbered and not self._is_tied(column, file):
                continue  # made anew
            alone = (np.unique(people, return_counts=True)[1] == 1).sum() / len(people)
            is_amount = column.numbers is not None and not is_numbered and not is_declared
            status: Urgency = "block"
            if is_amount:
                status = "decide" if alone >= MOSTLY_OWN else "review"
            sentence = (
                f"{column.name}: {share.hits:,} of {share.records:,} records"
                f" ({percent(100 * share.share)}) show a value that exactly one person holds;"
                f" {of_others(share)}."
            )
            kind, remedy = "single-holder", "Drop the column, or its values that one person has."
            if column.numbers is not None:
                remedy = "Round it, or drop the column."
            if is_declared:
                kind, remedy = "identifier", "Drop the column, or say why real values may stay."
                status = "review" if about.reason else "block"
            yield row_of(
                side, f"{kind}:{column.name}", status, (column.name,), sentence, share, remedy
            )

    def _is_tied(self, column: Compared, file: int) -> bool:
        """Whether records linked by it alone show that person's other values, not a stranger's."""
        holder = np.full(column.n_levels, -1)
        holder[column.codes[ORIGINAL]] = np.arange(len(self.person))
        rows = np.flatnonzero(holder[column.codes[file]] >= 0)
        linked = holder[column.codes[file][rows]]
        others = [place for place, other in enumerate(self.columns) if other is not column]

        def agreement(people: Ints) -> float:
            own = (self.space.shows_own(c, self.codes[file][c][rows], people) for c in others)
            return float(np.mean([shown.mean() for shown in own]))

        if not others or not len(rows):
            return False
        return agreement(linked) - agreement(np.roll(linked, 1)) > TIED


BLOCKED_ABOVE = {COMPLETE: 0.10, ALONE: 0.10, NEARLY: 0.20, "links": 0.20}
"""Share of people beyond expected, and beyond chance, that no audience excuses."""
REAL = "Find out how real records came into the data, and make these again."


def of_figures(
    study: Study, figures: Sequence[PeopleFigure], columns: Sequence[Compared], side: Side
) -> Iterator[AlertRow]:
    """What figures of records and links say of one file, with the cause that they share."""
    mine = [f for f in figures if (f.version, f.copy) == (side.version, side.copy)]
    cause = cause_of(mine)
    for figure in mine:
        beyond, margin, of = figure.beyond or 0, figure.margin or 0, figure.of or 1
        is_asked = figure.status in ASKS
        if figure.kind not in ("records", "links") or not (
            is_asked or (figure.kind == "records" and beyond > max(margin, 0))
        ):
            continue
        most = BLOCKED_ABOVE["links" if figure.kind == "links" else figure.what]
        is_blocked = is_asked and figure.surely_beyond > most * of
        status: Urgency = "block" if is_blocked else "decide" if is_asked else "review"
        name, kind = figure.what, f"own-value:{figure.what}"
        sentence = (
            f"{figure.what} would be disclosed correctly for {count(figure.people)} of {of:,.0f}"
            f" {study.unit} to an intruder who knows their {figure.by}"
        )
        if figure.kind == "records":
            name = column_that_differs(study, columns, side) if figure.what == NEARLY else ""
            kind = "real-records"
            but = f" (mostly but for {name})" if name else ""
            sentence = (
                f"{count(figure.people)} of {of:,.0f} {study.unit} have a record in the data that"
                f" is {SAID[figure.what]}{but}"
            )
        yield AlertRow(
            version=side.version, copy=side.copy, id=kind, status=status,
            columns=(name,) if name else (), people=figure.people,
            share=100 * (figure.people or 0) / of, expected=100 * (figure.expected or 0) / of,
            beyond=100 * beyond / of, cause=cause, remedy=remedy_of(cause),
            sentence=f"{sentence}; from others {people(figure.expected)}"
            f" (beyond {beyond:+,.0f} ± {margin:,.0f}).",
        )  # fmt: skip


REAL_RECORDS = "real records"
PLAIN = 20  # percent of records, or people, more than chance: no exact number explains as many
SAID = {
    COMPLETE: "equal in all variables", NEARLY: "equal in all variables, or all but one",
    ALONE: "equal in all variables, and nobody else is like them",
}  # fmt: skip


def remedy_of(cause: str) -> str:
    if cause == REAL_RECORDS:
        return REAL
    return f"Make {cause} coarser in both files (round or band it), then assess again."


def with_cause(alerts: Iterable[AlertRow]) -> list[AlertRow]:
    """The gravest first; nearness and own values have the cause that figures above limit share."""
    alerts = sorted(alerts, key=lambda alert: URGENCIES.index(alert.status))
    causes = {(a.version, a.copy): a.cause for a in alerts if a.cause and a.status != "review"}
    causes |= {
        (alert.version, alert.copy): REAL_RECORDS
        for alert in alerts
        if (alert.id, alert.status) == ("real-records", "block") and (alert.beyond or 0) >= PLAIN
    }
    return [
        replace(alert, cause=cause, remedy=remedy_of(cause))
        if (cause := causes.get((alert.version, alert.copy)))
        and alert.id.partition(":")[0] in ("real-records", "own-value", "group")
        else alert
        for alert in alerts
    ]


def cause_of(figures: Sequence[PeopleFigure]) -> str:
    """Real records, if they are half as many as any link tells; else the column most links need.

    Real records bring links with them; columns that are too exact bring few whole records.
    """
    above = [figure for figure in figures if figure.status in ASKS]
    links = [split_names([figure.by]) for figure in above if figure.kind == "links"]
    by = Counter(name for names in links for name in names)
    most = {
        kind: max((f.beyond or 0 for f in above if f.kind == kind), default=0)
        for kind in ("records", "links")
    }
    if not by or 2 * most["records"] >= most["links"]:
        return REAL_RECORDS
    return by.most_common(1)[0][0]


def of_files(study: Study) -> Iterator[AlertRow]:
    """Columns that stand in the synthetic data alone, and rows that may be one person's."""
    for side in study.sides():
        if side.copy == "pooled":
            continue
        for name in study.files[side.files[0]].frame.columns:
            if name not in study.original.columns and name != FAKE:
                sentence = f"{name} stands in the synthetic data alone; nothing here speaks of it."
                remedy = "Drop the column, or explain it."
                yield row(side, f"extra-column:{name}", "decide", (name,), sentence, 1, 0, remedy)


def rows_per_person(study: Study, columns: Sequence[Compared]) -> Iterator[AlertRow]:
    """A column whose values stand in a few rows each, alike in all else: is it the person?"""
    side = next(study.sides())
    for column in columns if not study.has_people else ():
        codes = column.codes[ORIGINAL]
        n_values = len(np.unique(codes))
        if n_values < FEWEST_PERSONS or not 1.5 <= len(codes) / n_values <= MOST_ROWS:
            continue
        order = np.argsort(codes, kind="stable")
        this, after = order[:-1], order[1:]
        is_same = (codes[this] == codes[after]) & (codes[this] != MISSING)
        stranger = np.roll(after, 1 + len(after) // 2)
        others = codes_of([other for other in columns if other is not column], ORIGINAL)
        if is_same.sum() < FEWEST_PERSONS or not others:
            continue
        alike, usual = (
            float(np.mean([(of[this] == of[beside])[is_same].mean() for of in others]))
            for beside in (after, stranger)
        )
        if alike - usual >= ALIKE:
            sentence = (
                f"Rows with the same {column.name} agree in {percent(100 * alike)} of the other"
                f" columns, other rows in {percent(100 * usual)}. Are they one person's?"
            )
            remedy = f"Then say so: -c {column.name}=person."
            yield row(
                side, "rows-per-person", "decide", (column.name,), sentence, alike, usual, remedy
            )
            return


def _held_by_one(people: Ints, asked: Ints, *, itself: bool = False) -> Mask:
    """Of each value asked whether exactly one person holds it; of people one other."""
    values, counts = np.unique(people, return_counts=True)
    place = np.searchsorted(values, asked).clip(0, len(values) - 1)
    return (values[place] == asked) & (counts[place] == 1 + itself)


def _beyond_chance(errors: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(-errors))


def of_others(share: Share) -> str:
    return f"{percent(100 * share.expected)} of other people would be"


def row_of(
    side: Side, id: str, status: Urgency, columns: tuple[str, ...], sentence: str, share: Share,
    remedy: str,
) -> AlertRow:  # fmt: skip
    return row(side, id, status, columns, sentence, share.share, share.expected, remedy, share.hits)


def row(
    side: Side, id: str, status: Urgency, columns: tuple[str, ...], sentence: str, share: float,
    expected: float, remedy: str, people: int | None = None,
) -> AlertRow:  # fmt: skip
    """Shares as percentages."""
    return AlertRow(
        version=side.version, copy=side.copy, id=id, status=status, columns=columns,
        people=people, share=100 * float(share), expected=100 * float(expected),
        beyond=100 * float(share - expected), sentence=sentence, remedy=remedy,
    )  # fmt: skip

"""The rows of all attacks, and what is said of them: no success without a yardstick."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, ClassVar

from unveil.counts.cells import Floats
from unveil.models.intervals import Rate, chance_of_more, excess_rate, z_of
from unveil.results import (
    Chart,
    Copy,
    Count,
    Figure,
    Heading,
    People,
    Percent,
    Result,
    Row,
    Share,
    grouped,
)
from unveil.results.words import Words, count, people, percent, side_of, whose
from unveil.study import Side

SOURCE, WILSON = "Giomi et al. 2023", "Wilson 1927"
CHANCE = 1 / 1_000  # that chance alone lets any of a result's sentences say that there is more


class AttackRow(Row, frozen=True):
    """How often one attack succeeds, and how often it would anyway."""

    version: str
    copy: Copy
    attack: str
    target: str  # what is inferred; empty in other attacks
    parts: tuple[str, ...]  # what is linked
    asked: Annotated[int, Count("people, or guesses, asked for")]
    guesses: Annotated[int, Count("people attacked, or guesses found")]
    main: Annotated[Figure, Share("succeeds with people whose records were used", SOURCE)] = None
    main_low: Annotated[Figure, Share("lower end of its interval", WILSON)] = None
    main_high: Annotated[Figure, Share("upper end of its interval", WILSON)] = None
    naive: Annotated[Figure, Share("succeeds by blind guesses", SOURCE)] = None
    control: Annotated[
        Figure, Share("succeeds with people whose records were not used", SOURCE)
    ] = None
    control_low: Annotated[Figure, Share("lower end of its interval", WILSON)] = None
    control_high: Annotated[Figure, Share("upper end of its interval", WILSON)] = None
    R: Annotated[
        Figure,
        Share("(main - control) / (1 - control), at one size", f"{SOURCE}; Raab 2024 (1)",
              limited=True),
    ] = None  # fmt: skip
    R_low: Annotated[Figure, Share("lower end of its interval", "delta method")] = None
    R_high: Annotated[Figure, Share("upper end of its interval, 1 at most", "delta method")] = None
    p: Annotated[Figure, Share("that chance gives so much more than control", "Fisher")] = None

    @property
    def subject(self) -> str:
        return self.target or self.attack

    @property
    def beyond_naive(self) -> float:
        return (self.main or 0) - (self.naive or 0)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The chance of success in each attempt: on people used, blindly, and on people not used."""

    main: Floats
    naive: Floats
    control: Floats | None = None


def attack_row(
    side: Side, attack: str, outcome: Outcome, *, target: str = "", parts: tuple[str, ...] = (),
    asked: int, level: float, is_known: bool, alike: int = 1,
) -> AttackRow:  # fmt: skip
    """The rates of one attack; R unless it is known who is in the data.

    Of guesses that are not independent, so many count as one in p.
    """
    figures: dict[str, Figure] = {}
    rates, n = {}, len(outcome.main)
    for name, chances in (("main", outcome.main), ("control", outcome.control)):
        if n and chances is not None:
            rates[name] = rate = Rate.of(chances, level)
            figures |= {name: rate.centre, f"{name}_low": rate.low, f"{name}_high": rate.high}
    if n:
        figures["naive"] = Rate.of(outcome.naive, level).centre
    if len(rates) == 2 and not is_known:
        R, half = excess_rate(**rates)
        p = chance_of_more(*((r.successes / alike, -(-r.n // alike)) for r in rates.values()))
        figures |= {"R": R, "R_low": R - half, "R_high": min(R + half, 1.0), "p": p}
    return AttackRow(
        version=side.version, copy=side.copy, attack=attack, target=target, parts=parts,
        asked=asked, guesses=n, **figures,
    )  # fmt: skip


class ModelRow(Row, frozen=True):
    """A model trained on the synthetic data, and the same trained on others' real records."""

    version: str
    copy: Copy
    target: str
    surest: Annotated[float, Percent("of the people, those of whom a model is surest")]
    claimed: Annotated[int, Count("people of whom a value is claimed")]
    correct: Annotated[Figure, Count("of the values claimed, correct")]
    expected: Annotated[Figure, Count("correct by the model of other people's records")]
    precision: Annotated[Figure, Share("of the values claimed, correct")]
    precision_others: Annotated[Figure, Share("the same by others' records")]
    recall: Annotated[Figure, Share("of all people, claimed correctly")]
    recall_others: Annotated[Figure, Share("the same by others' records")]
    beyond: Annotated[Figure, People("correct less expected")]
    low: Annotated[Figure, People("lower bound of beyond, by chance in people and in both forests")]


class Attacks(Result, frozen=True, kw_only=True):
    """Simulated attacks."""

    title: ClassVar[str] = "Simulated attacks"
    drawings: ClassVar[dict[str, Chart]] = {
        "attacks": Chart(
            spec="attacks", table="attacks", title="How often attacks succeed",
            columns={"label": "target", "group": "attack", "main": "main", "low": "main_low",
                     "high": "main_high", "naive": "naive", "control": "control",
                     "control_low": "control_low", "control_high": "control_high"},
        )
    }  # fmt: skip

    attacks: Annotated[
        tuple[AttackRow, ...],
        Heading(
            "Attacks",
            ("attack", "target", "guesses", "main", "naive", "control", "R"),
            True,
        ),
    ]
    model: Annotated[tuple[ModelRow, ...], Heading("An intruder with a model")] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        words, level = Words(self.settings, self.files), self.settings["level"]
        models = self.table("model").first_rows
        return (
            *(sentence_of(row, words) for row in self.table().first_rows),
            *_yardstick(self.attacks, words),
            *(of_model(row, words, len(models), level) for row in models),
        )

    @property
    def foot(self) -> tuple[str, ...]:
        return tuple(_yardstick(self.attacks, Words(self.settings, self.files)))


def share(of: Figure) -> str:
    """A share as people read it, in percent."""
    return percent(None if of is None else 100 * of)


def _between(low: Figure, high: Figure) -> str:
    return f"({share(low)} to {share(high)})"


def sentence_of(row: AttackRow, words: Words) -> str:
    """How often one attack succeeds, beside how often it would anyway."""
    n, text = f"{row.guesses:,}", side_of(row)
    if row.main is None:
        return f"{text}{row.attack}: no combination of values singles out a synthetic record."
    used = f"about {share(row.main)} {_between(row.main_low, row.main_high)}"
    of_people = f"{used} of {n} {words.unit} whose records were used"
    if row.target:
        text += f"{row.target} is inferred correctly for {of_people}"
    elif row.parts:
        text += f"{' and '.join(f'({part})' for part in row.parts)} are linked for {of_people}"
    else:
        text += f"{row.attack}: {used} of {n} guesses about {words.unit} whose records were used"
        text += " are right"
    text += f"; blind guesses {share(row.naive)}"
    if row.control is not None:
        text += (
            f"; about {words.unit} whose records were not used {share(row.control)}"
            f" {_between(row.control_low, row.control_high)}"
        )
    if row.R is not None:
        text += f". R {row.R:z.2f} ({row.R_low:z.2f} to {row.R_high:z.2f})"
    return f"{text}."


def _yardstick(rows: Sequence[AttackRow], words: Words) -> list[str]:
    """What succeeds with people whose records were used and not with others."""
    made = [row for row in rows if row.main is not None]
    if not made:
        return []
    if words.is_population:
        return ["The original is the whole population: who is in it is known, without an R."]
    if any(row.control is not None for row in made):
        if clear := [r for r in made if r.p is not None and r.p <= CHANCE / len(made)]:
            worst = max(clear, key=lambda row: row.R or 0)
            return [
                f"{side_of(worst)}With {words.unit} whose records were used {_name(worst)}"
                f" succeeds more often ({share(worst.main)}) than with others"
                f" ({share(worst.control)}): R {worst.R:.2f} ({worst.R_low:z.2f} to"
                f" {worst.R_high:.2f})."
            ]
        widest = max(made, key=lambda row: row.R_high or 0)
        return [
            f"None of these attacks succeeds measurably more often with {words.unit} whose records"
            f" were used than with others. By its interval R may be up to {widest.R_high:z.2f}"
            f" ({_name(widest)}), and other attacks may still succeed."
        ]
    most = max(made, key=lambda row: row.beyond_naive)
    none = "" if (most.main_low or 0) > (most.naive or 0) else ", which is not measurably more"
    return [
        f"{side_of(most)}Beyond blind guesses {_name(most)} succeeds most ({share(most.main)}"
        f" against {share(most.naive)}{none}).",
        "There is no control sample: how much of this holds for anyone, whether or not their"
        " record was used, is not known, and there is no R (--control).",
    ]


def _name(row: AttackRow) -> str:
    return f"inference of {row.target}" if row.target else row.attack


def of_model(row: ModelRow, words: Words, n: int, level: float) -> str:
    """What a model of the synthetic data tells, beside one of other people's real records."""
    who = "" if row.surest == 100 else " it is surest of"
    text = (
        f"{side_of(row)}{row.target}: a forest trained on the synthetic data is right for"
        f" {count(row.correct)} of {row.claimed:,} {words.unit}{who} ({share(row.precision)});"
        f" trained on other {whose(words.unit)} real records, for {count(row.expected)}"
        f" ({share(row.precision_others)})."
    )
    margin = (row.beyond or 0) - (row.low or 0)
    if (row.beyond or 0) > NormalDist().inv_cdf(1 - CHANCE / n) / z_of(level) * margin:
        return f"{text} Beyond that: about {people(row.beyond)}, at least {people(row.low)}."
    return (
        f"{text} Beyond that: nothing measurable ({people(row.beyond)}); fewer than about"
        f" {people(margin)} would go unnoticed."
    )


def by_what_is_beyond(rows: Iterable[AttackRow]) -> tuple[AttackRow, ...]:
    """Of each file, what succeeds most beyond blind guesses first."""
    of_files = grouped(rows, lambda row: (row.version, row.copy, row.attack))
    return tuple(row for of in of_files for row in sorted(of, key=lambda r: -r.beyond_naive))

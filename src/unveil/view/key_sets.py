"""Every set of the keys in sentences and blocks: the worst, beside what is expected of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from unveil.assessment.key_set_alerts import key_set_sentence
from unveil.records.disclosure import MEANING, KeySetFigure
from unveil.records.key_sets import KeySetCeiling, KeySets
from unveil.view.blocks import Block, Heading, Kind, Sentence, list_rows, notes, table
from unveil.view.claims import points
from unveil.view.format import agree, and_list, copy_phrase, format_count, people, percent, truncate
from unveil.view.show import as_blocks, as_text
from unveil.view.status import format_status

TOTAL_HEADS = ("target", "claimed by most support", "correct", "expected", "adds", "ceiling")


def _what(one: KeySetFigure) -> str:
    name = one.measure if one.target is None else f"{one.measure} of {truncate(one.target)}"
    return name if one.copy == 1 else f"{name}, {copy_phrase(one.copy)}"


def format_adds(one: KeySetFigure) -> str:
    """What is added, and half the width of its interval, in percentage points."""
    return f"{points(one.percent('adds'))} ± {one.percent('high') - one.percent('adds'):.1f}"


def _worst_sentence(one: KeySetFigure, whole: KeySetFigure | None) -> str:
    counted = f"{one.correct:,} of {one.n:,} people ({percent(one.percent('correct'))})"
    with_all = "not counted" if whole is None else percent(whole.percent("correct"))
    expected = f"{percent(one.percent('expected'))}; adds {format_adds(one)} percentage points"
    if one.measure == "repU":
        return (
            f"repU: {counted} {agree(one.correct)} unique on {and_list(one.keys)} in both files,"
            f" with all keys {with_all}. Expected of another sample: {expected}."
        )
    if whole is None or whole.keys == one.keys:
        return (
            f"{_what(one)}: no set of the keys is worse than all of them, {counted}. Expected:"
            f" {expected}."
        )
    return (
        f"{_what(one)}: an intruder who uses only {and_list(one.keys)} is correct about {counted},"
        f" with all keys about {with_all}. Expected: {expected}."
    )


def sentences(record: KeySets) -> Iterator[str]:
    """The worst set of every figure, and what the lack of a key would change most."""
    whole = {(one.measure, one.target, one.copy): one for one in record.find_figures("all_keys")}
    for one in record.find_figures("worst"):
        about = (one.measure, one.target, one.copy)
        yield _worst_sentence(one, whole.get(about))
        rivals = [f for f in record.find_figures("without") if f.keys]
        rivals = [f for f in rivals if (f.measure, f.target, f.copy) == about]
        least = min(rivals, key=lambda f: f.correct, default=None)
        if least is not None and least.correct < one.correct:
            yield (
                f"{_what(least)}: without {truncate(least.without or '')}, the worst set of the"
                f" other keys gives {percent(least.percent('correct'))}."
            )
    for all_ in record.ceilings:
        n = all_.most_support.n
        wrong = percent(100 * all_.ceiling_wrong / n if n else 0.0)
        yield (
            f"{truncate(all_.target)}: some set is correct about {all_.ceiling:,} of {n:,} people,"
            f" but no intruder can reach this: for {wrong} of them other sets are wrong."
        )
    yield (
        f"The worst is the largest of {record.n_sets:,} figures: read it beside what is expected."
        f" What is added is {MEANING}."
    )


def figure_label(one: KeySetFigure) -> str:
    """Which of the sets it is the worst of."""
    kinds = {
        "all_keys": "all keys",
        "worst": "worst",
        "size": format_count(len(one.keys), "key"),
        "without": f"without {truncate(one.without or '')}",
    }
    return kinds[one.kind]


FIGURES: dict[str, Callable[[KeySetFigure], str]] = {
    "figure": figure_label,
    "keys": lambda one: and_list(one.keys) if one.keys else "none left",
    "value": lambda one: percent(one.percent("correct")),
    "people": lambda one: f"{one.correct:,}",
    "expected": lambda one: percent(one.percent("expected")),
    "adds": format_adds,
}


def total_cells(one: KeySetCeiling) -> tuple[str, ...]:
    """All sets together under TOTAL_HEADS."""
    row = one.most_support
    figures = [percent(row.percent(name)) for name in ("claimed", "correct", "expected")]
    target = truncate(one.target) if one.copy == 1 else f"{truncate(one.target)}, {one.copy}"
    ceiling = percent(100 * one.ceiling / row.n if row.n else 0.0)
    return target, *figures, points(row.percent("adds")), ceiling


def grid_tables(record: KeySets) -> Iterator[Block]:
    """DiSCO of every set and target, and what each key adds at most: one table for each file."""
    for copy in dict.fromkeys(row.copy for row in record.rows):
        found = {
            (row.keys, row.target): row.DiSCO
            for row in record.rows
            if row.copy == copy and row.DiSCO is not None
        }
        of = "" if len(record.n_synthetic) == 1 else f", {copy_phrase(copy)}"
        every = sorted({keys for keys, _ in found}, key=lambda keys: (len(keys), keys))
        cells = [
            (and_list(keys), *(percent(found[keys, target]) for target in record.targets))
            for keys in every
        ]
        heads = [truncate(target) for target in record.targets]
        yield table(f"DiSCO by set of keys{of}", ("keys", *heads), cells)
        rises = [_largest_rise(found, every, key, record.targets) for key in record.keys]
        yield table(
            f"Largest rise of DiSCO that a key brings{of}",
            ("key", "rise", "added to", "target", "from", "to"),
            [one for one in rises if one is not None],
            text=("added to", "target"),
        )


def _largest_rise(
    found: Mapping[tuple[tuple[str, ...], str | None], float],
    every: Sequence[tuple[str, ...]],
    key: str,
    targets: Sequence[str],
) -> tuple[str, ...] | None:
    """By how much one key raises the figure of some target, added to some other keys."""
    pairs = [
        (found[keys, target] - found[rest, target], rest, target, keys)
        for keys in every
        if key in keys and (rest := tuple(one for one in keys if one != key)) in every
        for target in targets
    ]
    if not pairs:
        return None
    rise, rest, target, keys = max(pairs, key=lambda one: one[0])
    ends = percent(found[rest, target]), percent(found[keys, target])
    return truncate(key), points(rise), and_list(rest), truncate(target), *ends


@as_text.register
def _(record: KeySets) -> str:
    worst = [one for one in record.find_figures("worst") if one.measure == "DiSCO"]
    if not worst:
        return f"{record.n_sets:,} sets of {and_list(record.keys)}"
    one = max(worst, key=lambda figure: figure.correct)
    return (
        f"{record.n_sets:,} sets of {and_list(record.keys)}: at most"
        f" {percent(one.percent('correct'))} ({_what(one)}), {percent(one.percent('expected'))}"
        " expected"
    )


@as_blocks.register
def _(record: KeySets) -> Iterator[Block]:
    yield Heading("Disclosure by every set of the keys")
    yield Sentence(
        f"{people(record.n_original)} in the original. An intruder knows at most"
        f" {and_list(record.keys)}, and may use some of them:"
        f" {format_count(record.n_sets, 'set')}.",
        "lead",
    )
    if not record.complete:
        yield Sentence(f"Only sets of at most {record.at_most} keys were counted.", "look")
    for verdict in record.verdicts:
        if verdict.status != "within":
            kind: Kind = "stop" if verdict.status == "above" else "look"
            text = key_set_sentence(verdict.figure, record.n_sets, verdict.limit)
            yield Sentence(f"{format_status(verdict.status)}: {text}", kind)
    for text in sentences(record):
        yield Sentence(text)
    for name in dict.fromkeys(_what(one) for one in record.figures):
        rows = [one for one in record.figures if _what(one) == name]
        yield list_rows(name, FIGURES, rows, text=("keys",), spare=("people",), main=("adds",))
    yield table(
        "All sets together, in percent of people", TOTAL_HEADS, map(total_cells, record.ceilings)
    )
    yield from notes(record.coercions)

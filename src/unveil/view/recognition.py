"""Recognition of single people in sentences and as blocks; nothing here is about one person."""

from collections.abc import Iterator

from unveil.records.recognition import Recognition
from unveil.view.blocks import Block, Folded, Heading, Kind, Sentence, TableBlock, sentences, table
from unveil.view.format import agree, format_count, format_share, ratio, visible
from unveil.view.show import as_blocks, as_text

TITLE = "Membership of single people (recognition)"
LIMITS = (
    "AUC and epsilon are of the procedure with these settings; recognised people are of these"
    " files. More files or rows disclose more. A lower figure is of this attack only."
)
WHY_FAILED = (
    "No release can depend on the coins of these people, so it is chance, or the test has an error."
    " Test more people in more worlds; if it fails again, report it."
)
KNOWN = {
    "others": "everyone but the {k} people tested",
    "population": "people of the same kind, but no one else of the original",
}
METHOD = ("self-test", "choice", "doubles", "failed worlds")
"""What is said of how it was done; a test that failed is no detail."""
HEADS = ("people", "number", "AUC", "hits at 1 %", "hits at 0.1 %")
CAPTION = "Releases with and without a person, told apart; hits by rate of false alarms"


def recognition_sentences(record: Recognition) -> Iterator[tuple[str, str]]:
    """What was found, by the name of what is said."""
    checked, hits = record.self_test, format_share(record.self_test.hit_rate)
    if not checked.passed:
        yield (
            "self-test failed",
            "No figure is shown: the self-test failed. People who were in no world should look as a"
            f" guess makes them look (AUC 0.5, hit rate 1 %), but have AUC {auc(checked.auc_mean)}"
            f" and hit rate {hits}.",
        )
        yield "why", WHY_FAILED
    else:
        yield from _figures(record)
        yield (
            "self-test",
            f"Self-test: {checked.n_people:,} people who were in no world were treated alike; AUC"
            f" {auc(checked.auc_mean)}, hit rate {hits} at 1 % false alarms, as a guess gives.",
        )
    yield (
        "intruder",
        (
            "Assumed intruder: has a person's record"
            f" ({format_count(len(record.columns), 'column')}), knows"
            f" {KNOWN[record.intruder].format(k=f'{record.n_people:,}')}, and can rerun the"
            f" procedure ({visible(record.procedure)}; {format_count(record.n_files, 'file')} of"
            f" {format_count(record.n_rows, 'row')})."
        ),
    )
    yield (
        "choice",
        f"Whom to test is a choice: {record.n_exposed:,} most exposed by their records,"
        f" {record.n_people - record.n_exposed:,} drawn at random. Other people may be recognised"
        " more often.",
    )
    if n := record.n_doubles:
        yield (
            "doubles",
            f"{n} of the people tested {agree(n, 'has', 'have')} an equal record in the original:"
            " part of the trace is that record's.",
        )
    if record.n_failed:
        of = f"{record.n_failed:,} of {record.n_worlds:,} worlds"
        yield "failed worlds", f"No release could be made of {of}; they do not count."
    yield "limits", LIMITS


def _figures(record: Recognition) -> Iterator[tuple[str, str]]:
    if (n := record.n_recognised) is not None:
        members = agree(n, "is recognised as a member", "are recognised as members")
        yield (
            "recognised",
            f"{n} of the {record.n_people:,} people tested {members} in the synthetic data by an"
            " intruder who accepts 1 false alarm in 100; chance alone gives"
            f" {record.n_by_chance or 0:.15g}.",
        )
    if record.auc_mean is not None and record.auc_interval is not None:
        low, high = record.auc_interval
        yield (
            "AUC",
            f"Mean AUC {auc(record.auc_mean)} ({auc(low)} to {auc(high)}): of two releases, one"
            " made with the person and one without, the intruder picks the correct one"
            f" {round(100 * record.auc_mean)} times in 100. It is not a share of people.",
        )
    if record.n_shown:
        yield (
            "shown",
            f"For {record.n_shown:,} of {record.n_people:,} people the release shows better than"
            " chance whether they were in the original (all judged together,"
            f" {100 * (1 - record.level):.3g} % error).",
        )
    else:
        yield (
            "none",
            f"With {record.n_worlds:,} worlds this attack did not distinguish members from others."
            f" It could have missed an AUC below {auc(record.auc_found)}. Another attack, or an"
            " intruder who knows more, may succeed.",
        )
    how = {"replace": "replacing", "remove": "removing"}[record.out]
    yield (
        "epsilon",
        f"If differential privacy is claimed, epsilon for {how} one record is at least"
        f" {ratio(record.epsilon)} ({100 * record.level:.15g} % confidence); this test could have"
        f" shown at most {ratio(record.epsilon_most)}.",
    )
    claimed = f"The claimed epsilon of {record.claimed_epsilon or 0:.15g}"
    if record.exceeds_claim:
        said = "refuted: the release discloses more about single people than claimed"
        yield "claim refuted", f"{claimed} is {said}."
    elif record.exceeds_claim is not None:
        yield "claim not refuted", f"{claimed} is not refuted. That is no proof of it."


def auc(value: float | None) -> str:
    """An AUC as people read it."""
    return "-" if value is None else f"{value:.2f}"


def people_table(record: Recognition) -> TableBlock:
    """The people tested, the exposed and random ones among them, and those in no world."""
    rates = {one.false_alarms: one for one in record.hit_rates}

    def row(name: str, n: int, value: float | None, field: str) -> tuple[str, ...]:
        hits = (getattr(rates.get(rate), field, None) for rate in (0.01, 0.001))
        return (name, f"{n:,}", auc(value), *map(format_share, hits))

    n_random = record.n_people - record.n_exposed
    rows = [
        row("all tested", record.n_people, record.auc_mean, "rate"),
        row("most exposed", record.n_exposed, record.auc_exposed, "exposed"),
        row("drawn at random", n_random, record.auc_random, "random"),
        row("in no world", record.self_test.n_people, record.self_test.auc_mean, "phantoms"),
    ]
    return table(CAPTION, HEADS, rows if record.self_test.passed else [])


@as_text.register
def _(record: Recognition) -> str:
    if not record.self_test.passed:
        return "Membership of single people: self-test failed, no figure is shown"
    shown = f"mean AUC {auc(record.auc_mean)}, epsilon at least {ratio(record.epsilon)}"
    if record.n_recognised is None:
        return f"Membership of single people: {shown}"
    return (
        f"Membership of single people: {shown}; {record.n_recognised:,} of"
        f" {record.n_people:,} people tested are recognised"
    )


def recognition_blocks(record: Recognition, of: str = "") -> Iterator[Block]:
    """What was found, its table and what it means; in a report, how it was done unfolds."""
    method = []
    for place, (key, text) in enumerate(recognition_sentences(record)):
        if place == 1:
            yield people_table(record)
        strong = key in ("self-test failed", "claim refuted")
        kind: Kind = "look" if strong else "lead" if not place else "plain"
        sentence = Sentence(text, kind, key=f"recognition/{key}", of=of)
        if of and key in METHOD:
            method.append(sentence)
        else:
            yield sentence
    if method:
        yield Folded("How it was tested", tuple(method))
    yield from sentences((f"▲ {visible(text)}" for text in record.warnings), "look")


@as_blocks.register
def _(record: Recognition) -> Iterator[Block]:
    yield Heading(TITLE)
    yield from recognition_blocks(record)

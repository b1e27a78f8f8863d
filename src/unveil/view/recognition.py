"""Recognition of single people in sentences and as blocks; nothing here is about one person."""

from collections.abc import Iterator

from unveil.records.recognition import HitRate, Recognition
from unveil.view.blocks import Block, Folded, Heading, Kind, Sentence, TableBlock, sentences, table
from unveil.view.format import fill, format_count, percent, percent_or_dash, ratio, visible
from unveil.view.show import as_blocks, as_text

TITLE = "Membership of single people (recognition)"
TEMPLATES = {
    "recognised": (
        "{n} of the {k} people tested {n:is|are} recognised as {n:a member|members} in the"
        " synthetic data by an intruder who accepts 1 false alarm in 100; chance alone gives"
        " {chance}."
    ),
    "AUC": (
        "Mean AUC {auc} ({low} to {high}): of two releases, one made with the person and one"
        " without, the intruder picks the correct one {times} times in 100. It is not a share of"
        " people."
    ),
    "shown": (
        "For {n} of {k} people the release shows better than chance whether they were in the"
        " original (all judged together, {error} % error)."
    ),
    "none": (
        "With {worlds} worlds this attack did not distinguish members from others. It could have"
        " missed an AUC below {found}. Another attack, or an intruder who knows more, may succeed."
    ),
    "epsilon": (
        "If differential privacy is claimed, epsilon for {how} one record is at least {epsilon}"
        " ({level} % confidence); this test could have shown at most {most}."
    ),
    "claim refuted": (
        "The claimed epsilon of {claimed} is refuted: the release discloses more about single"
        " people than claimed."
    ),
    "claim not refuted": (
        "The claimed epsilon of {claimed} is not refuted. That is no proof of it."
    ),
    "self-test": (
        "Self-test: {n} people who were in no world were treated alike; AUC {auc}, hit rate {hits}"
        " at 1 % false alarms, as a guess gives."
    ),
    "self-test failed": (
        "No figure is shown: the self-test failed. People who were in no world should look as a"
        " guess makes them look (AUC 0.5, hit rate 1 %), but have AUC {auc} and hit rate {hits}."
    ),
    "why": (
        "No release can depend on the coins of these people, so it is chance, or the test has"
        " an error. Test more people in more worlds; if it fails again, report it."
    ),
    "choice": (
        "Whom to test is a choice: {exposed} most exposed by their records, {random} drawn at"
        " random. Other people may be recognised more often."
    ),
    "doubles": (
        "{n} of the people tested {n:has|have} an equal record in the original: part of the trace"
        " is that record's."
    ),
    "failed worlds": "No release could be made of {n} of {worlds} worlds; they do not count.",
    "limits": (
        "AUC and epsilon are of the procedure with these settings; recognised people are of these"
        " files. More files or rows disclose more. A lower figure is of this attack only."
    ),
}
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
    checked = record.self_test
    hits = percent_or_dash(None if checked.hit_rate is None else 100 * checked.hit_rate)
    told = {"n": f"{checked.n_people:,}", "auc": auc(checked.auc_mean), "hits": hits}
    if not checked.passed:
        yield "self-test failed", TEMPLATES["self-test failed"].format(**told)
        yield "why", TEMPLATES["why"]
    else:
        yield from _figures(record)
        yield "self-test", TEMPLATES["self-test"].format(**told)
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
    exposed = f"{record.n_exposed:,}"
    random = f"{record.n_people - record.n_exposed:,}"
    yield "choice", TEMPLATES["choice"].format(exposed=exposed, random=random)
    if record.n_doubles:
        yield "doubles", fill(TEMPLATES["doubles"], n=record.n_doubles)
    if record.n_failed:
        failed = {"n": f"{record.n_failed:,}", "worlds": f"{record.n_worlds:,}"}
        yield "failed worlds", TEMPLATES["failed worlds"].format(**failed)
    yield "limits", TEMPLATES["limits"]


def _figures(record: Recognition) -> Iterator[tuple[str, str]]:
    k = f"{record.n_people:,}"
    if record.n_recognised is not None:
        chance = f"{record.n_by_chance or 0:.15g}"
        yield "recognised", fill(TEMPLATES["recognised"], n=record.n_recognised, k=k, chance=chance)
    if record.auc_mean is not None and record.auc_interval is not None:
        low, high = record.auc_interval
        times = round(100 * record.auc_mean)
        said = {"auc": auc(record.auc_mean), "low": auc(low), "high": auc(high), "times": times}
        yield "AUC", TEMPLATES["AUC"].format(**said)
    if record.n_shown:
        error = f"{100 * (1 - record.level):.3g}"
        yield "shown", TEMPLATES["shown"].format(n=f"{record.n_shown:,}", k=k, error=error)
    else:
        worlds, found = f"{record.n_worlds:,}", auc(record.auc_found)
        yield "none", TEMPLATES["none"].format(worlds=worlds, found=found)
    yield (
        "epsilon",
        TEMPLATES["epsilon"].format(
            how={"replace": "replacing", "remove": "removing"}[record.out],
            epsilon=ratio(record.epsilon),
            level=f"{100 * record.level:.15g}",
            most=ratio(record.epsilon_most),
        ),
    )
    if record.exceeds_claim is not None:
        key = "claim refuted" if record.exceeds_claim else "claim not refuted"
        yield key, TEMPLATES[key].format(claimed=f"{record.claimed_epsilon:.15g}")


def auc(value: float | None) -> str:
    """An AUC as people read it."""
    return "-" if value is None else f"{value:.2f}"


def people_table(record: Recognition) -> TableBlock:
    """The people tested, the exposed and random ones among them, and those in no world."""
    rates = {one.false_alarms: one for one in record.hit_rates}

    def row(name: str, n: int, value: float | None, field: str) -> tuple[str, ...]:
        hits = (_share(rates.get(rate), field) for rate in (0.01, 0.001))
        return (name, f"{n:,}", auc(value), *hits)

    n_random = record.n_people - record.n_exposed
    rows = [
        row("all tested", record.n_people, record.auc_mean, "rate"),
        row("most exposed", record.n_exposed, record.auc_exposed, "exposed"),
        row("drawn at random", n_random, record.auc_random, "random"),
        row("in no world", record.self_test.n_people, record.self_test.auc_mean, "phantoms"),
    ]
    return table(CAPTION, HEADS, rows if record.self_test.passed else [])


def _share(rate: HitRate | None, field: str) -> str:
    found = None if rate is None else getattr(rate, field)
    return "-" if found is None else percent(100 * found)


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

"""TCAP, three measures by three names, and GCAP: in sentences, and as blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.cap import Gcap, GcapRow, Tcap, TcapRow
from unveil.view.blocks import Block, Heading, Sentence, notes, sentences, table
from unveil.view.cap_words import format_share, label_of, share
from unveil.view.format import and_list, people, percent
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "tcap": (
        "Taub and Elliot's TCAP: {selected} of {n} synthetic records show a single value of"
        " {target}{tau}; {undefined} have keys that no one in the original has. The others are"
        " correct in {tcap} of cases."
    ),
    "tcap none": "Taub and Elliot's TCAP: no synthetic record shows a single value{tau}.",
    "tcap no keys": (
        "Taub and Elliot's TCAP: {selected} of the synthetic records show a single value{tau}, but"
        " no one in the original has their keys."
    ),
    "tcap raab": "Raab's TCAP: {target} is correctly disclosed for {p} of the people matched.",
    "tcap raab none": "Raab's TCAP: no one is matched in the synthetic data.",
    "tcap uniques": (
        "TCAP of Chen and of Chapelle: a random guess is correct in {p} of cases for {people}"
        " unique on the keys in the original; no match counts as wrong."
    ),
    "tcap uniques none": "TCAP of Chen and of Chapelle: no one is unique on the keys.",
    "gcap": (
        "GCAP: a draw among the records with the nearest keys is correct for {p} of {n}. {found}"
        " have a match; for the others the nearest records differ in {distance} on average."
    ),
    "gcap all": "GCAP: everyone has a match, so it equals the CAP: correct for {p} of {n}.",
}

TCAP_HEADS = ("", "Taub, Elliot", "undefined as 0", "Raab", "uniques only")


def tcap_sentences(row: TcapRow, tau: float) -> Iterator[str]:
    """What each of the three says."""
    for _, text in tcap_keyed(row, tau):
        yield text


def tcap_keyed(row: TcapRow, tau: float) -> Iterator[tuple[str, str]]:
    """Each of the three by its name."""
    sure = "" if tau == 1 else f" in at least {format_share(tau)} of the records with the same keys"
    said = {
        "selected": f"{row.n_selected:,}",
        "n": f"{row.n_synthetic:,}",
        "target": _target(row),
        "tau": sure,
    }
    if not row.n_selected:
        yield "tcap none", TEMPLATES["tcap none"].format(**said)
    elif row.tcap is None:
        yield "tcap no keys", TEMPLATES["tcap no keys"].format(**said)
    else:
        undefined, tcap = f"{row.n_undefined:,}", format_share(row.tcap)
        yield "tcap", TEMPLATES["tcap"].format(**said, undefined=undefined, tcap=tcap)
    if row.tcap_raab is None:
        yield "tcap raab none", TEMPLATES["tcap raab none"]
    else:
        text = TEMPLATES["tcap raab"].format(p=percent(row.tcap_raab), target=_target(row))
        yield "tcap raab", text
    if row.tcap_uniques is None:
        yield "tcap uniques none", TEMPLATES["tcap uniques none"]
    else:
        n = people(row.n_uniques)
        text = TEMPLATES["tcap uniques"].format(people=n, p=format_share(row.tcap_uniques))
        yield "tcap uniques", text


def _target(row: TcapRow | GcapRow) -> str:
    return and_list((row.target,) if isinstance(row.target, str) else row.target)


def tcap_cells(row: TcapRow) -> tuple[str, ...]:
    """One row under TCAP_HEADS; Raab's percentage as a share, beside the others."""
    raab = None if row.tcap_raab is None else row.tcap_raab / 100
    figures = (row.tcap, row.tcap_zero, raab, row.tcap_uniques)
    return label_of(row.method, row.m), *(share(value) for value in figures)


def gcap_sentence(row: GcapRow) -> str:
    """What one row says."""
    said = {"p": format_share(row.gcap), "n": people(row.n)}
    if row.n_match == row.n:
        return TEMPLATES["gcap all"].format(**said)
    distance = row.mean_distance * row.n / (row.n - row.n_match)
    keys = "1 key" if f"{distance:.2f}" == "1.00" else f"{distance:.2f} keys"
    found = f"{row.n_match:,}"
    return TEMPLATES["gcap"].format(**said, found=found, distance=keys)


@as_text.register
def _(record: Tcap) -> str:
    raab = "-" if record.tcap_raab is None else percent(record.tcap_raab)
    return (
        f"TCAP of {_target(record.rows[0])} from {and_list(record.keys)}: Taub and Elliot"
        f" {share(record.tcap)} (tau {record.tau:g}), Raab {raab}, uniques only"
        f" {share(record.tcap_uniques)}"
    )


@as_blocks.register
def _(record: Tcap) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from sentences(tcap_sentences(record.rows[-1], record.tau))
    yield table("Three measures called TCAP", TCAP_HEADS, map(tcap_cells, record.rows))
    yield from notes(record.coercions)


@as_text.register
def _(record: Gcap) -> str:
    return f"GCAP of {_target(record.rows[0])} from {and_list(record.keys)}: {share(record.gcap)}"


@as_blocks.register
def _(record: Gcap) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield Sentence(gcap_sentence(record.rows[-1]))
    rows = [(label_of(row.method, row.m), share(row.gcap)) for row in record.rows]
    yield table("GCAP with m copies pooled", ("", "GCAP"), rows)
    yield from notes(record.coercions)

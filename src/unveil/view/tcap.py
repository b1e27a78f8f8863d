"""TCAP, three measures by three names, and GCAP: in sentences, and in a notebook.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.cap import Gcap, GcapRow, Tcap, TcapRow
from unveil.view.cap_words import format_share, label_of, share
from unveil.view.format import and_list, people, percent
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "tcap": (
        "Taub and Elliot's TCAP: {selected} of the synthetic records ({n}) show one value of"
        " {target}{tau}; {undefined} have keys that nobody in the original has. Whoever trusts the"
        " others is right in {tcap} of cases."
    ),
    "tcap none": "Taub and Elliot's TCAP: no synthetic record shows one value{tau}.",
    "tcap no keys": (
        "Taub and Elliot's TCAP: {selected} of the synthetic records show one value{tau}, but"
        " nobody in the original has their keys."
    ),
    "tcap raab": (
        "Raab's TCAP: of the people found in the copies, {p} are shown one single value of"
        " {target}, and it is right."
    ),
    "tcap raab none": "Raab's TCAP: nobody is found in the copies.",
    "tcap uniques": (
        "TCAP of Chen and of Chapelle: {people} alone with their keys in the original would be"
        " guessed rightly in {p} of cases; whoever has no match counts as guessed wrongly."
    ),
    "tcap uniques none": "TCAP of Chen and of Chapelle: nobody is alone with their keys.",
    "gcap": (
        "GCAP: drawing among the records with the nearest keys, the intruder is right for {p} of"
        " {n}. {found} have a match; for the others the nearest records differ in {distance} on"
        " average."
    ),
    "gcap all": (
        "GCAP: everybody has a match, so it is the CAP: the intruder is right for {p} of {n}."
    ),
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
        told = TEMPLATES["tcap raab"].format(p=percent(row.tcap_raab), target=_target(row))
        yield "tcap raab", told
    if row.tcap_uniques is None:
        yield "tcap uniques none", TEMPLATES["tcap uniques none"]
    else:
        alone = people(row.n_uniques)
        told = TEMPLATES["tcap uniques"].format(people=alone, p=format_share(row.tcap_uniques))
        yield "tcap uniques", told


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


@as_html.register
def _(record: Tcap) -> str:
    return titled_view(
        as_text(record),
        *map(paragraph, tcap_sentences(record.rows[-1], record.tau)),
        grid("Three measures called TCAP", TCAP_HEADS, [tcap_cells(r) for r in record.rows]),
        notes(record.coercions),
    )


@as_text.register
def _(record: Gcap) -> str:
    return f"GCAP of {_target(record.rows[0])} from {and_list(record.keys)}: {share(record.gcap)}"


@as_html.register
def _(record: Gcap) -> str:
    rows = [(label_of(row.method, row.m), share(row.gcap)) for row in record.rows]
    return titled_view(
        as_text(record),
        paragraph(gcap_sentence(record.rows[-1])),
        grid("GCAP with m copies pooled", ("", "GCAP"), rows),
        notes(record.coercions),
    )

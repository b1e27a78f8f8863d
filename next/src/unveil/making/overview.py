"""Risk and utility of several versions in one table (Chapelle and Falissard 2023, Table 3)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec

from unveil.arguments import Names, Seed, as_names
from unveil.errors import InputError, check_name
from unveil.making.made import say
from unveil.measures.attacks.inference import inference
from unveil.measures.attacks.linkability import linkability
from unveil.measures.attacks.singling_out import singling_out
from unveil.measures.attribution.gtcap import gtcap
from unveil.measures.disclosure.disclosure import disclosure
from unveil.measures.disclosure.excess import excess
from unveil.measures.utility.published import PublishedResults, read_results
from unveil.measures.utility.replicate import replicate
from unveil.measures.utility.utility import utility
from unveil.progress import steps
from unveil.results import (
    Chart,
    Copy,
    Count,
    Figure,
    Heading,
    Note,
    Number,
    Percent,
    Result,
    Row,
    Share,
    grouped,
    with_mean,
)
from unveil.results.words import percent, side_of
from unveil.study import Alike, Study, measure

Key = tuple[str, Copy]  # version and copy
Figures = dict[Key, dict[str, Any]]

SHOWN = (
    "version", "repU", "DiSCO", "R", "GTCAP", "ECAP", "singling_out", "linkability", "inference",
    "S_pMSE",
)  # fmt: skip
BEYOND = (
    "R beside the control sample; without one the same beside blind guesses: of those it does not"
    " succeed with anyway, the part it does"
)


class OverviewRow(Row, frozen=True):
    """One synthetic file."""

    version: str
    copy: Copy
    rows: Annotated[int, Count("synthetic records")]
    people: Annotated[int, Count("people whose records these would be")]
    repU: Annotated[
        Figure, Percent("unique on the keys in both files", "Raab 2024 (5)", limited=True)
    ] = None
    DiSCO: Annotated[
        Figure, Percent("disclosed correctly, of the worst target", "Raab 2024 (11)", limited=True)
    ] = None
    DiSCO_worst: str = ""
    R: Annotated[
        Figure, Share("excess over the control sample, of the worst target", "Raab 2024 (1)")
    ] = None
    GTCAP: Annotated[
        Figure, Number("nearness to people who stand out, of the worst target", "Chapelle 2023")
    ] = None
    ECAP: Annotated[
        Figure, Share("that the strongest claim about a value is correct", "Chapelle 2023 (1)")
    ] = None
    singling_out: Annotated[Figure, Share(BEYOND, "Giomi et al. 2023", "singled out")] = None
    linkability: Annotated[Figure, Share(BEYOND, "Giomi et al. 2023", "linked")] = None
    inference: Annotated[
        Figure, Share(f"{BEYOND}, of the worst target", "Giomi et al. 2023", "inferred")
    ] = None
    pMSE: Annotated[Figure, Share("of a tree that tells the files apart", "Snoke 2018 (1)")] = None
    S_pMSE: Annotated[
        Figure, Number("pMSE over what is expected", "Raab 2021", "S_pMSE", limited=True)
    ] = None
    S_pMSE_worst: str = ""
    overlap: Annotated[
        Figure, Share("of the intervals of published results, on average", "Chapelle 2023")
    ] = None


class Overview(Result, frozen=True, kw_only=True):
    """Versions side by side."""

    title: ClassVar[str] = "Versions side by side"
    drawings: ClassVar[Mapping[str, Chart]] = {
        "map": Chart("map", "overview", "Risk and utility",
                     {"label": "version", "x": "S_pMSE", "y": "DiSCO"})
    }  # fmt: skip

    overview: Annotated[tuple[OverviewRow, ...], Heading("Versions", SHOWN, True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(
            f"{side_of(row)}{sentence}"
            for row in self.table().first_rows
            if (sentence := _sentence(row, self.settings["unit"]))
        )

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences


def _sentence(row: Any, unit: str) -> str:
    """Risk and utility of one version, as far as both are measured."""
    parts = []
    if row.DiSCO is not None:
        worst = f" on {row.DiSCO_worst}" if row.DiSCO_worst else ""
        parts.append(f"{percent(row.DiSCO)} of {unit} would be disclosed correctly{worst}")
    if row.S_pMSE is not None:
        parts.append(f"S_pMSE is {row.S_pMSE:.1f} (1 by chance)")
    if row.overlap is not None:
        parts.append(f"intervals of published results overlap by {row.overlap:.2f} (1 is equal)")
    return f"{'; '.join(parts)}." if parts else ""


class Asked(NamedTuple):
    """What is compared."""

    study: Study
    results: Any
    seed: int


def _worst(rows: Iterable[Any], figure: str) -> Iterator[tuple[Key, Any]]:
    """Of each copy the row with the highest figure."""
    copies = (row for row in rows if isinstance(row.copy, int) and row[figure] is not None)
    for of_copy in grouped(copies, lambda row: (row.version, row.copy)):
        yield (of_copy[0].version, of_copy[0].copy), max(of_copy, key=lambda row: row[figure])


def _of_disclosure(asked: Asked) -> Figures:
    result = disclosure(asked.study, expected=False)
    unit = "people" if asked.study.has_people else "records"
    figures: Figures = {
        (row.version, row.copy): {"repU": row.repU}
        for row in result.identity
        if row.unit == unit and isinstance(row.copy, int)
    }
    for key, row in _worst((row for row in result.attribute if row.unit == "records"), "DiSCO"):
        figures[key] |= {"DiSCO": row.DiSCO, "DiSCO_worst": row.target}
    return figures


def _of_excess(asked: Asked) -> Figures:
    rows = excess(asked.study, figures="DiSCO").excess
    return {key: {"R": row.R} for key, row in _worst(rows, "R")}


def _of_gtcap(asked: Asked) -> Figures:
    """By the tolerance, also of a key that is compared in bands because of noise."""
    study, columns = asked.study, asked.study.columns
    for name, about in study.columns.items():
        if about.tolerance is not None and about.bands is not None:
            columns = say(columns, name, bands=None)
    rows = gtcap(study.replace(columns=columns)).gtcap
    return {key: {"GTCAP": row.GTCAP} for key, row in _worst(rows, "GTCAP")}


def _of_claims(asked: Asked) -> Figures:
    if not (by_version := vars(asked.study).get("_ECAP")):
        raise InputError(
            "It is not known how many people there are: noise that is chosen by a population says"
            " so, or 'ecap' itself."
        )
    return {
        (version, copy): {"ECAP": by_version[version]}
        for version, copy in asked.study.synthetic
        if version in by_version
    }


def _of_attack(call: Callable[..., Any]) -> Callable[..., Figures]:
    def attacked(asked: Asked) -> Figures:
        figures: Figures = {}
        for row in call(asked.study, seed=asked.seed).attacks:
            if not isinstance(row.copy, int) or row.main is None or row.naive is None:
                continue
            beyond = (row.main - row.naive) / (1 - row.naive) if row.R is None else row.R
            of_copy = figures.setdefault((row.version, row.copy), {call.__name__: beyond})
            of_copy[call.__name__] = max(of_copy[call.__name__], beyond)
        return figures

    return attacked


def _of_utility(asked: Asked) -> Figures:
    return {
        (row.version, row.copy): {
            "pMSE": row.pMSE, "S_pMSE": row.S_pMSE, "S_pMSE_worst": row.worst,
        }
        for row in utility(asked.study, seed=asked.seed).overall
        if isinstance(row.copy, int)
    }  # fmt: skip


def _of_results(asked: Asked) -> Figures:
    if not asked.results:
        raise InputError("There are no published results: give some ('results').")
    terms = replicate(asked.study, asked.results).terms
    copies = [row for row in terms if isinstance(row.copy, int)]
    figures: Figures = {}
    for of_copy in grouped(copies, lambda row: (row.version, row.copy)):
        overlaps = [row.overlap for row in of_copy if row.overlap is not None]
        mean = sum(overlaps) / len(overlaps) if overlaps else None
        figures[of_copy[0].version, of_copy[0].copy] = {"overlap": mean}
    return figures


MEASURED: tuple[tuple[tuple[str, ...], Callable[[Asked], Figures]], ...] = (
    (("repU", "DiSCO", "DiSCO_worst"), _of_disclosure),
    (("R",), _of_excess),
    (("GTCAP",), _of_gtcap),
    (("ECAP",), _of_claims),
    (("singling_out",), _of_attack(singling_out)),
    (("linkability",), _of_attack(linkability)),
    (("inference",), _of_attack(inference)),
    (("pMSE", "S_pMSE", "S_pMSE_worst"), _of_utility),
    (("overlap",), _of_results),
)
"""The figures that are measured together, and how."""
FIGURES = tuple(name for names, _ in MEASURED for name in names)


@measure
def overview(
    study: Alike, *, figures: Names = (), results: PublishedResults = (), seed: Seed = None
) -> Overview:
    """Compare versions of synthetic data, or stages of protection: risk and utility of each.

    Parameters
    ----------
    study
        The original and one version or several.
    figures
        Which are measured; all that the files allow if omitted.
    results
        Published results, in a .toml file of [[result]] entries.
    seed
        The start of the random numbers.
    """
    assert seed is not None
    chosen = as_names(figures)
    for name in chosen:
        check_name(name, FIGURES, "There is no figure ('figures')")
    if results != ():
        read_results(results)  # is refused before long work
    asked = Asked(study, results, seed)
    calls = {
        names[0]: call
        for names, call in MEASURED
        if {*names} & {*chosen} or not (chosen or (call is _of_results and not results))
    }
    measured: Figures = {key: {} for key in study.synthetic}
    notes = []
    for name, call in steps("overview", [*calls.items()]):
        try:
            for key, of_copy in call(asked).items():
                measured[key] |= {k: v for k, v in of_copy.items() if k in (chosen or FIGURES)}
        except InputError as fault:
            notes.append(Note(about=name, sentence=f"{name} is not measured. {fault}"))
    rows = with_mean([
        OverviewRow(version=file.version, copy=file.copy, rows=len(file.frame),
                    people=study.people(number)[1], **measured[file.version, file.copy])
        for number, file in enumerate(study.files)
        if file.role == "synthetic"
    ])  # fmt: skip
    single = {"DiSCO_worst": "", "S_pMSE_worst": ""}  # names are of one copy
    return Overview(
        overview=tuple(
            row if isinstance(row.copy, int) else msgspec.structs.replace(row, **single)
            for row in rows
        ),
        notes=tuple(notes),
    )

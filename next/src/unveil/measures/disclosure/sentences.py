"""What a disclosure officer would say of the rows, each sentence with its yardstick in it."""

from collections.abc import Iterable

from unveil.measures.disclosure.exclusions import EffectRow
from unveil.measures.disclosure.flags import Flag
from unveil.measures.disclosure.formulas import AttributeRow, IdentityRow
from unveil.measures.disclosure.values import SensitiveRow, TogetherRow
from unveil.results.words import (
    Words,
    are,
    count,
    join_names,
    others_of,
    people,
    percent,
    quote,
    side_of,
)


class Wording(Words):
    """The sentences of disclosure."""

    def unique(self, row: IdentityRow) -> str:
        """Of the original, the same beside every synthetic file."""
        n, unit = self.base(row)
        return (
            f"{count(row.unique)} of {n:,} {unit} ({percent(row.UiO)}) {are(row.unique)} unique on"
            " these keys."
        )

    def replicated(self, row: IdentityRow) -> str:
        what = "possible matches" if not self.is_population else "nobody else has these keys"
        return (
            f"{side_of(row)}{count(row.replicated)} of them {are(row.replicated)} unique in both"
            f" files (repU {percent(row.repU)}): {what}."
        )

    def attribute(self, row: AttributeRow) -> str:
        n, unit = self.base(row)
        return (
            f"{side_of(row)}{row.target} would be disclosed correctly for"
            f" {count(row.correct)} of {n:,} {unit} ({percent(row.DiSCO)}) to an intruder who knows"
            f" {self.keys}, and wrongly for {count(row.wrong)}{self._others(row)}."
        )

    def _others(self, row: AttributeRow) -> str:
        if row.expected is None or row.low is None:
            return ""
        beyond = (
            f"about {people(row.beyond)} are beyond, at least {people(row.low)}"
            if row.low > 0
            else "nothing measurable is beyond"
        )
        return f"; {others_of(row.learner, self.unit)} {people(row.expected)}, and {beyond}"

    def together(self, row: TogetherRow) -> str:
        return (
            f"{side_of(row)}{row.any_correct:,} of {row.people:,} {self.unit}"
            f" ({percent(row.share)}) have at least one value disclosed correctly."
        )

    def flag(self, flag: Flag) -> str:
        level, inside = quote(flag.level), f" in {flag.within}" if flag.within else ""
        if flag.kind == "one-way":
            left = " left after exclusions" if self.has_exclusions else ""
            return (
                f"{side_of(flag)}{flag.correct:,} of the {flag.disclosed:,} {self.counted}{inside}"
                f" disclosed correctly on {flag.target} have the value {level}, as do"
                f" {flag.people:,} of all {flag.people_all:,}{inside}{left}"
                f" ({percent(flag.share_all)}). If this is common knowledge, exclude it."
            )
        having = f"{flag.key} {quote(flag.key_level)}{inside}"
        return (
            f"{side_of(flag)}{flag.correct:,} {self.counted} with {having} are disclosed correctly"
            f" on {flag.target} as {level}; so are {flag.people:,} of all {flag.people_all:,} with"
            f" {having} ({percent(flag.share_all)}) in the original."
        )

    def effect(self, row: EffectRow) -> str:
        n, unit = self.base(row)
        before, after = (
            count(round((figure or 0) * n / 100, 6)) for figure in (row.before, row.after)
        )
        return (
            f"{side_of(row)}Exclusions on {row.target}: disclosed correctly {before} -> {after}"
            f" {unit}."
        )

    def sensitive(self, row: SensitiveRow) -> str:
        shares = "" if row.shares is None else f"; the shares alone give {people(row.shares)}"
        classes = (
            f" {row.in_classes:,} of them share their keys with others, and all of these have it."
            if row.in_classes
            else ""
        )
        return (
            f"{side_of(row)}{row.correct:,} of the {row.of:,} {self.counted} with {row.target}"
            f" {quote(row.level)} are shown correctly to have it, and {row.falsely_shown:,} others"
            f" wrongly{shares}.{classes}"
        )


def flags_line(flags: Iterable[Flag]) -> tuple[str, ...]:
    """One line that counts the flags; of several copies each flag once."""
    flags = list(flags)
    targets = dict.fromkeys(flag.target for flag in flags)
    n = len({flag.id for flag in flags})
    if not n:
        return ()
    plural = "s" if n > 1 else ""
    return (f"{n:,} flag{plural} on {join_names(targets)}: levels that may be common knowledge.",)

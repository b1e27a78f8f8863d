"""Which columns point at people by themselves: names, numbers of people, free text?"""

from collections.abc import Iterable

from unveil.count.scenario import aligned_column
from unveil.errors import AlignError
from unveil.measure.roles.looking import Look, own_texts
from unveil.measure.roles.naming import said
from unveil.measure.roles.sorting import Sorted, of_own_texts, sorted_out
from unveil.read.align import align
from unveil.read.table import Table


def identifying_columns(table: Table, names: Iterable[str]) -> dict[str, Sorted]:
    """The columns that `unveil.suggest` takes for identifiers, each with its reason."""
    found = {}
    for name in names:
        variable = table.variables.get(name)
        words = said(name, None if variable is None else variable.label)
        try:
            aligned = align([table], [name])
        except AlignError:  # lists and the like, which no measure compares
            continue
        texts = own_texts(aligned.columns[name][0])
        column = (
            sorted_out(Look(aligned_column(aligned, name)), words)
            if texts is None
            else of_own_texts(name, words, texts)
        )
        if column.role == "identifier":
            found[name] = column
    return found

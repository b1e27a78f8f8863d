"""What the report says about protection and utility, by section and name: `report_sentences`."""

TEMPLATES: dict[str, str] = {
    "filter.replaced": (
        "{n} generated people stood too close to a real one and were replaced, of {drawn} that were"
        " drawn."
    ),
    "filter.replaced one": (
        "1 generated person stood too close to a real one and was replaced, of {drawn} that were"
        " drawn."
    ),
    "filter.wanting": (
        "{n} generated people stood too close to a real one and were taken out; {k} of the {rows}"
        " rows wanted are still missing."
    ),
    "filter.none": (
        "No generated person stood too close to a real one: nothing of {drawn} was replaced."
    ),
    "filter.no filter": "No distance filter was used for this copy.",
    "filter.surplus": (
        "{passed} passed, {k} more than the {rows} rows wanted: those are not in the copy."
    ),
    "filter.shift": (
        "What the filter moved most is {column}: by {d} standard deviations of what was drawn."
    ),
    "filter.warning": "{warning}",
    "noise.added": "{column} got {noise} noise with a standard deviation of {sigma}.",
    "noise.zero": "{column} got no noise: the standard deviation to add is 0.",
    "noise.unneeded": "None is needed: without any, no ECAP is above the threshold of {t}.",
    "noise.status": "Against your limit on ECAP, {limit}, the worst value of {column} is {status}.",
    "noise.undone": (
        "No value of {column} moved, so its noise protects nobody: rounding or clipping has undone"
        " it. What is said of claims below holds before that, not for what is released."
    ),
    "noise.above": (
        "{n} of its values still have an ECAP above the threshold of {t}: about them a claim would"
        " be surer."
    ),
    "noise.no population": (
        "How sure a claim about {column} would be is not measured: no population was stated to hold"
        " its values against."
    ),
    "noise.none": "No noise was added to this copy.",
    "noise.public": "This alone may be published, word for word:",
    "noise.warning": "{warning}",
    "noise.not measured": "{what} was not measured: {reason}",
    "utility.worst pair": "Worst pair: {a} by {b}, with an S_pMSE of {S}.",
    "utility.some": (
        "The picture has the {n} columns whose pairs differ most, of {all}; the others differ less."
    ),
    "utility.column": (
        "{column}: {p} of the records of {copies} would have to change their answer to have the"
        " original's shares."
    ),
    "utility.column in bands": (
        "{column}: put into bands, {p} of the records of {copies} would have to move to another"
        " band to have the original's shares."
    ),
    "utility.alike": "{column} has the same shares in the original and in {copies}.",
    "utility.more columns": (
        "{n} more columns differ less than these; the table of columns has their figures."
    ),
    "utility.groups": (
        "Every file is drawn as its centre and its spread: places of single people are not in this"
        " report."
    ),
    "utility.warning": "{warning}",
    "utility.nothing": (
        "Nothing of this run says how useful the copy is: a copy can be harmless because it says"
        " nothing."
    ),
    "utility.not measured": "{what} was not measured: {reason}",
    "findings.not measured": "{what} was not measured: {reason}",
    "tables.first": (
        "Of {k} tables {table} gives something away soonest: knowing {n} of its members can be"
        " enough to be certain that some combination applies to none of the others."
    ),
    "tables.one": (
        "Knowing {n} of the members of table {table} can be enough to be certain that some"
        " combination applies to none of the others."
    ),
    "tables.by itself": "Table {table} gives something away by itself, before anybody is known.",
    "tables.no risk": (
        "No empty combination is given away, as far as was looked: up to {n} known people."
    ),
    "tables.published": "Published: {what}.",
    "tables.note": "{note}",
    "tables.not measured": "{what} was not measured: {reason}",
}

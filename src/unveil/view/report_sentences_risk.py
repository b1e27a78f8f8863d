"""What the report says about risk, by section and name; see `report_sentences`."""

_NOT_MEASURED = "{what} was not measured: {reason}"

TEMPLATES: dict[str, str] = {
    "identity.funnel": (
        "Of {n} people in your data, {a} alone with their {keys}; {b} also found in the copy, and"
        " {c} alone there too."
    ),
    "identity.funnel several": (
        "Of {n} people in your data, {a} alone with their {keys}; on average over {m} copies {b}"
        " also found in the copy, and {c} alone there too."
    ),
    "identity.nobody": (
        "Nobody is alone with their {keys} in your data, so nobody can be found in this way."
    ),
    "identity.pooled": (
        "Someone who pools all {m} copies finds {b} of your people ({k} of {N}) who are alone in"
        " your data, and {c} ({n}) alone in the pool too."
    ),
    "identity.status": (
        "{glyph} {measure}: {word}. The highest that is held against your limit is {p}; above"
        " {review} it is to be reviewed, the limit is {limit}."
    ),
    "identity.undefined": "Who is alone could not be measured: {reason}.",
    "identity.not measured": _NOT_MEASURED,
    "attribute.status": (
        "Of {n}, {above} above your limit of {limit} for DiSCO, {review} to be reviewed (above"
        " {from_}) and {within} within."
    ),
    "attribute.no limit": (
        "No limit is set for DiSCO, so no target has a status: all {n} are shown, the riskiest"
        " first."
    ),
    "attribute.no targets": (
        "No target was measured in this scenario, so nothing can be said about what could be"
        " learnt."
    ),
    "attribute.nothing measured": "DiSCO could not be measured for any target.",
    "attribute.guess": (
        "For {k} of {n} a guess from the copy is right more often than one by frequencies alone;"
        " most for {target}: {p} instead of {b}, and {q} with the original."
    ),
    "attribute.guess none": (
        "For none of {n} is a guess from the copy right more often than one by frequencies alone."
    ),
    "attribute.baseline": (
        "Frequencies alone are those of everybody; guesses from the copy and from the original are"
        " without what is left out. Where much is left out the two cannot be compared."
    ),
    "attribute.not measured": _NOT_MEASURED,
    "target.pooled": (
        "Someone who pools all {m} copies would learn it rightly for {p} of the people ({k} of"
        " {N})."
    ),
    "target.denominators": (
        "Behind the findings stand groups of people with the same keys and value: up to {most}, and"
        " {mean} on average."
    ),
    "target.baseline": (
        "Frequencies alone count everybody here; the other two are without what is left out."
    ),
    "target.alone": (
        "Everybody whose value is found stands by themselves: nobody else has the same keys and"
        " value."
    ),
    "target.nobody": (
        "No record could be attributed in this way: {target} of nobody is found rightly."
    ),
    "target.undefined": "{field} of {target} could not be measured: {reason}.",
    "checks.summary": (
        "Of {n} that may be common knowledge, {open} still to be ruled on, {common} left out as"
        " common knowledge and {kept} kept as a risk."
    ),
    "checks.summary settled": (
        "Of {n} that may be common knowledge, {open} still to be ruled on, {common} left out as"
        " common knowledge, {kept} kept as a risk and {settled} no ruling."
    ),
    "checks.none": (
        "The checks found nothing that may be common knowledge: no level of a target makes up more"
        " than {n1} findings and {p1} of all, and no level of a key more than {n2} where more than"
        " {p2} of its people have the same value."
    ),
    "checks.more": "{n} more stand in the record of the run.",
    "checks.accept": (
        "If you accept that {rules} is common knowledge, {measure} of {target} falls from {p} to"
        " {q}."
    ),
    "checks.accept several": (
        "If you accept that all of this is common knowledge: {rules}, then {measure} of {target}"
        " falls from {p} to {q}."
    ),
    "checks.accepted": (
        "It was accepted that {rules} is common knowledge, and this run leaves it out: by that"
        " alone {measure} of {target} falls from {p} to {q}."
    ),
    "checks.accepted several": (
        "It was accepted that all of this is common knowledge, and this run leaves it out: {rules}."
        " By that alone {measure} of {target} falls from {p} to {q}."
    ),
    "checks.grid missing": (
        "No answer is so common that it explains the findings. If missing values are left out as"
        " well, {measure} of {target} falls from {p} to {q}."
    ),
    "checks.grid same": (
        "Leaving out common answers and missing values changes no figure: the findings are about"
        " other values."
    ),
    "checks.not measured": _NOT_MEASURED,
    "cap.not measured": _NOT_MEASURED,
    "leakage.more": (
        "People whose own record was used are given away more often than others, most about"
        " {target}: {a} against {b}, which is {x} points."
    ),
    "leakage.none": (
        "People whose own record was used are not given away more often than others: the widest gap"
        " is about {target}, {a} against {b}."
    ),
    "leakage.nothing": "Of no target could both sides be measured.",
    "leakage.no interval": (
        "These shares count everybody on each side and have no interval of their own; where a gap"
        " may be chance, that is said below."
    ),
    "leakage.copy": "Shown are the attacks on {copy}, where R is highest of {m} copies.",
    "leakage.copy without control": (
        "Shown are the attacks on {copy}, where they succeed most often of {m} copies."
    ),
    "leakage.not measured": _NOT_MEASURED,
    "gtcap.not measured": _NOT_MEASURED,
    "uniques.not measured": _NOT_MEASURED,
}

"""What the report says of itself: verdict, context, scenario, records, history and methods."""

PAGE: dict[str, str] = {
    "verdict.alerts": "{n} above, against a release or for a person to decide.",
    "verdict.targets": "{k} of {n} targets exceed the limit you set on {measure} ({limit}).",
    "verdict.pairs": "{k} of {n} pairs of columns exceed the limit you set on {measure} ({limit}).",
    "verdict.tables": "{k} of {n} tables exceed the limit you set on {measure} ({limit}).",
    "verdict.figures": "{k} of {n} figures exceed the limit you set on {measure} ({limit}).",
    "verdict.figure": "{measure}{whose} is {value}, above the limit you set ({limit}).",
    "verdict.not_measured": (
        "{n} with a limit could not be measured. What is not measured counts as above its limit."
    ),
    "verdict.review": "{n} to be looked at: above your value for review, not above your limit.",
    "verdict.within": "Every figure that you set a limit on ({n}) is within it.",
    "verdict.no_limits": "Nobody has accepted limits yet, so no figure can be within one.",
    "verdict.accepted": "The limits are those that {by} accepted on {on}.",
    "verdict.accepted_once": "The limits are those that {by} accepted.",
    "verdict.open": "{n} of the checks wait for a ruling: are they common knowledge?",
    "verdict.release": "Decided: release. {by}, {on}, on what run {run} shows.",
    "verdict.refuse": "Decided: no release. {by}, {on}, on what run {run} shows.",
    "verdict.undecided": "Nobody has decided about this run yet.",
    "verdict.evidence": (
        "This page gives evidence. Whether to release is decided by people, for this data, in its"
        " context."
    ),
    "context.sizes": "{n} in the original, {m} in {copies}.",
    "context.run": "Run {n} was made by {by}, begun {started}; it took {seconds}.",
    "context.run_unnamed": "Run {n} was begun {started} and took {seconds}; nobody is named.",
    "context.measured": "{n} measured in it.",
    "context.reused": "{n} taken over from earlier runs: the same was asked of the same files.",
    "context.lacking": "{n} not be measured; why is said part by part below.",
    "context.answered": "{k} of {n} questions about the context have an answer.",
    "context.resumed": "{n} of its parts had been measured by a run that was interrupted.",
    "scenario.assumed": "We assume the intruder treats the file as real.",
    "scenario.size": "{keys} are known, {targets} might be learnt.",
    "scenario.same": "Keys and figures are those of {other}: see there.",
    "scenario.none": "No scenario was measured: nobody said what an intruder may know.",
    "scenario.excluded": (
        "{n} in force. DiSCO and its kin (iS, DiS, DiSDiO, Dorig, DCAP, CAPd) are without what is"
        " left out, and who could be found is without missing keys where a rule says so. People who"
        " were used are compared with others with it and without it. CAP, TCAP, GTCAP, uniques,"
        " match risk and simulated attacks count everybody, also what is left out."
    ),
    "scenario.added": "{n} added since this run was made: no figure here is without what {it}.",
    "scenario.nothing_excluded": "Nothing is left out: every figure counts all people.",
    "records.written": (
        "The people behind DiSCO, each with the reason why, are in a confidential file of their"
        " own. No record of a person stands on this page."
    ),
    "records.none": (
        "The people behind DiSCO are listed on request, in a confidential file of their own: unveil"
        " report --records. No record of a person stands on this page."
    ),
    "history.first": "This is the only run so far: there is nothing to compare it with.",
    "history.risk_fell": "From run {a} to run {b} the highest DiSCO fell from {x} to {y}.",
    "history.risk_rose": "From run {a} to run {b} the highest DiSCO rose from {x} to {y}.",
    "history.risk_same": "From run {a} to run {b} the highest DiSCO stayed at {x}.",
    "history.risk_other_rules": (
        "What is left out is not the same in run {a} and run {b} ({rules}); the files are the same."
        " With that the highest DiSCO went from {x} to {y}: the copy itself gives away no more and"
        " no less."
    ),
    "history.risk_other_rules_files": (
        "What is left out is not the same in run {a} and run {b} ({rules}), and files changed too."
        " The highest DiSCO went from {x} to {y}: how much of that is the copy's, these two runs do"
        " not tell."
    ),
    "history.fit_fell": (
        "S_pMSE of the worst pair fell from {x} to {y}: the copy became more like the original."
    ),
    "history.fit_rose": "It cost {d} in S_pMSE of the worst pair, which rose from {x} to {y}.",
    "history.fit_worse": (
        "S_pMSE of the worst pair rose from {x} to {y}: the copy became less like the original."
    ),
    "history.fit_same": "S_pMSE of the worst pair stayed at {x}.",
    "methods.limits": (
        "What is measured holds for the scenarios above and for nobody who knows more. A low figure"
        " is no proof that nothing can be learnt; no figure here says that a file is free of risk."
    ),
}
"""By section and name."""

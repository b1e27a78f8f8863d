"""The numbers of the sentences on page 1, from the summary as JSON."""

from view.derived.written import Results, digits_in, percent, whole


def _summary(results: Results):
    return results["contents"]["summary"]


def _head(results: Results, of: str) -> list[str]:
    found = _summary(results)
    known = found["identity"]
    date = [] if found["date"] is None else [found["date"][:10]]
    named = [] if known is None else digits_in(" ".join(known["keys"]))
    return [*date, whole(found["n_people"]), *named]


def _reappear(results: Results, of: str) -> list[str]:
    known = _summary(results)["identity"]
    n = [whole(known["reappearing"])] if known["reappearing"] else []
    return [*n, str(known["n_variables"])]


def _notes(results: Results, of: str) -> list[str]:
    found = _summary(results)
    given = []
    for one in found["sensitive"]:
        given += digits_in(f"{one['target']} {one['level']}")
        if one["people"]:
            given += [whole(one[name]) for name in ("people", "correct", "falsely_shown")]
    if found["any_correct"]:
        n = found["any_correct"]
        given += [whole(n), percent(100 * n / found["n_people"])]
    shown = found["excluded"][:4]
    more = len(found["excluded"]) - len(shown)
    return [*given, *digits_in(" ".join(shown)), *([str(more)] if more else [])]


def _rulings(results: Results, of: str) -> list[str]:
    rows = _summary(results)["rulings"]
    named = [f"{one['target'] or ''} {one['n_rulings']} {one['by']}" for one in rows[:4]]
    return digits_in(" ".join(named)) + ([str(len(rows) - 4)] if len(rows) > 4 else [])


def _foot(results: Results, of: str) -> list[str]:
    found = _summary(results)
    run = [] if found["run_hash"] is None else digits_in(found["run_hash"][:12])
    copies = [str(found["n_copies"])] if found["n_copies"] > 1 else []
    return [*digits_in(found["version"]), *run, *copies]


DERIVED = {
    "summary.head": _head,
    "summary.reappear": _reappear,
    "summary.scenarios": lambda results, of: digits_in(" ".join(_summary(results)["scenarios"])),
    "summary.notes": _notes,
    "summary.rulings": _rulings,
    "summary.foot": _foot,
}

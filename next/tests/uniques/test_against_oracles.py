"""Every figure of one file beside enumerations pair by pair, on random files."""

from fractions import Fraction
from random import Random

import pytest

import unveil
from oracles import uniques as oracle
from oracles.compare import assert_agrees
from uniques.frames import draw, draw_keys, frame_of, study_of
from unveil.measures.uniques.search import find_uniques


def row_of(result, table, **about):
    """The only row, or the one about this."""
    rows = [
        row
        for row in getattr(result, table)
        if all(getattr(row, name) == value for name, value in about.items())
    ]
    assert len(rows) == 1
    return rows[0]


def assert_row(row, expected):
    assert_agrees({name: getattr(row, name) for name in expected}, expected, where=str(row))


@pytest.mark.parametrize("seed", range(120))
def test_sample_uniques_are_those_of_all_sets_one_by_one(seed):
    records = draw(seed, has_several=seed % 2 == 0)
    K = len(records[0][1])
    largest = seed % 3 if seed % 3 and K > 1 else K
    f = Fraction(seed % 7 + 1, 7)
    study = study_of(frame_of(records))
    result = unveil.suda(study, largest=largest, fraction=float(f))

    msus = [oracle.minimal_sets(records, place, largest) for place in range(len(records))]
    by_combination = {row: sets for (_, row), sets in zip(records, msus, strict=True)}
    scores = [oracle.score(sets, K) for sets in msus]
    total = sum(oracle.score(sets, K) for sets in by_combination.values())
    all_sets = [keys for sets in by_combination.values() for keys in sets]
    holders = oracle.holders(records)
    unique = oracle.sharing(records, 1)
    threshold = oracle.special_threshold([oracle.score(s, K) for s in by_combination.values()])
    dis = oracle.dis_of_records(scores, records, float(f))
    own = {person: [] for person, _ in records}
    for (person, _), sets in zip(records, msus, strict=True):
        own[person] += sets
    special = (
        {p for (p, _), score in zip(records, scores, strict=True) if score >= threshold > 0}
        if threshold
        else set()
    )
    assert_row(row_of(result, "uniques"), {
        "people": len(own),
        "uniques": len(unique),
        "special": len(special),
        "special_threshold": threshold,
        "fraction": f,
        "DIS": oracle.dis(records, f),
        "DIS_highest": max(dis),
    })  # fmt: skip
    for place in range(K):
        having = [keys for keys in all_sets if place in keys]
        people = [person for person in unique if any(place in keys for keys in own[person])]
        assert_row(row_of(result, "keys", key=f"k{place}"), {
            "sets": len(having),
            "share_of_sets": Fraction(100 * len(having), len(all_sets)) if all_sets else None,
            "share_of_uniques": Fraction(100 * len(people), len(unique)) if unique else None,
            "share_of_score": Fraction(100 * oracle.score(having, K), total) if total else None,
        })  # fmt: skip
    smallest = [min(map(len, sets)) for sets in own.values() if sets]
    for size in range(1, largest + 1):
        sets = sum(len(keys) == size for keys in all_sets)
        assert_row(
            row_of(result, "sizes", size=size), {"sets": sets, "people": smallest.count(size)}
        )
    listed = result.records().rows()
    assert [row[0] for row in listed] == [
        place for place, (_, row) in enumerate(records) if len(holders[row]) == 1
    ]
    for place, score, chance, is_special, sets in listed:
        assert (score, sets) == (scores[place], len(msus[place]))
        assert chance == pytest.approx(dis[place], rel=1e-9)
        assert is_special == bool(scores[place] and scores[place] >= threshold)


@pytest.mark.parametrize("seed", range(0, 80, 5))
def test_a_missing_key_may_be_a_value_like_any_other(seed):
    records = draw(seed)
    named = [(person, tuple(value or "none" for value in row)) for person, row in records]
    scores = find_uniques(study_of(frame_of(records)), missing_is_level=True).score
    assert (scores == find_uniques(study_of(frame_of(named))).score).all()


@pytest.mark.parametrize("seed", range(120))
def test_matches_are_those_of_all_pairs(seed):
    chance = Random(seed)
    kind = ("plain", "several", "weights", "fraction", "wildcard", "wildcard and weights")[seed % 6]
    records = draw(seed, has_several=kind == "several")
    n, k = len(records), chance.randint(2, 12)
    values = chance.choices((None, "u", "v", "w"), k=n)
    weights = [Fraction(chance.randint(0, 60), 4) if "weights" in kind else 1 for _ in records]
    f = Fraction(1, chance.randint(1, 9)) if kind == "fraction" else 1
    is_wild, has_weights = "wildcard" in kind, "weights" in kind
    frame = frame_of(records, t=values, **{"w": map(float, weights)} if has_weights else {})
    study = study_of(frame, columns={"w": "weight"} if has_weights else {}, targets="t")
    result = unveil.match_risk(study, k=k, wildcard=is_wild, fraction=float(f))

    groups = [oracle.group_of(records, row, wildcard=is_wild) for _, row in records]
    size = [len({records[place][0] for place in group}) for group in groups]
    F = [
        sum(weights[place] for place in group) if has_weights else n_people / f
        for group, n_people in zip(groups, size, strict=True)
    ]
    risk = [oracle.individual_risk(n_people, float(F)) for n_people, F in zip(size, F, strict=True)]
    people = {person for person, _ in records}
    worst = {p: max(r for (q, _), r in zip(records, risk, strict=True) if p == q) for p in people}

    def holders(where):
        return len({person for (person, _), at in zip(records, where, strict=True) if at})

    assert_row(row_of(result, "risk"), {
        "people": len(people),
        "population": sum(weights) if has_weights else len(people) / f,
        "combinations": len(oracle.holders(records)),
        "expected_matches": sum(worst.values()),
        "global_risk": sum(worst.values()) / len(people),
        "highest_risk": max(risk),
        "below_k": holders([n_people < k for n_people in size]),
    })  # fmt: skip
    for row in result.anonymity:
        below = holders([n_people < row.k for n_people in size])
        assert_row(row, {"people": below, "share": Fraction(100 * below, len(people))})
    assert [row.k for row in result.anonymity] == sorted({2, 3, 5, k})
    for row in result.risks:
        assert row.people == sum(value > row.above for value in worst.values())
    same = [oracle.group_of(records, row, wildcard=False) for _, row in records]
    distinct = [len({values[place] for place in group}) for group in same]
    is_unique = [len({records[place][0] for place in group}) == 1 for group in same]
    assert_row(row_of(result, "diversity", target="t"), {
        "lowest": min(distinct),
        "below_2": holders([n < 2 for n in distinct]),
        "unique": holders([n < 2 and one for n, one in zip(distinct, is_unique, strict=True)]),
        "below_3": holders([n < 3 for n in distinct]),
    })  # fmt: skip
    listed = result.records()
    assert listed["k"].to_list() == size
    assert listed["population"].to_list() == pytest.approx([float(number) for number in F])
    assert listed["risk"].to_list() == pytest.approx(risk, rel=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_matched_as_all_pairs_are(seed):
    chance = Random(seed)
    records = [row for _, row in draw(seed)]
    copies = []
    for _ in range(seed % 3 + 1):
        new = [draw_keys(chance, (None, "a", "b", "c"), len(row)) for row in records]
        copies.append([chance.choice((old, draw)) for old, draw in zip(records, new, strict=True)])
        copies[-1][0] = records[0]  # so that no column is refused
    files = [frame_of(list(enumerate(file)), t=["u"] * len(file)) for file in (records, *copies)]
    result = unveil.match_risk(study_of(files[0], files[1:], targets="t"), aligned=True)
    stories = {copy: [rows] for copy, rows in enumerate(copies, start=1)}
    if len(copies) > 1:
        stories["pooled"] = copies
    for copy, files in stories.items():
        story = oracle.match_rates(records, files)
        assert story.pop("unchanged") == result.risk[0].combinations
        assert_row(row_of(result, "aligned", copy=copy), story)

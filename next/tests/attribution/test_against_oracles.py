"""Every figure beside stories told record by record, on small random files.

Files have missing values, ties, people without a match, several copies, people with several
records. Worlds whose target is shared by all, or whose keys nobody else has, are among them.
"""

import os
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from random import Random
from statistics import NormalDist, mean

import polars as pl
import pytest

import unveil
from oracles import confidentiality, gtcap, taub
from reference import differing
from unveil.measures.attribution import gcap, nearness

WORLDS = range(1_000 if os.environ.get("UNVEIL_TESTS") == "all" else 60)
NAMES = ("sex", "region", "age", "health", "income", "person")
KEYS, COMMON = ("sex", "region", "age"), ("f", "Ash", 30, "good", 100, "0")
worlds = pytest.mark.parametrize("seed", WORLDS)


def draw(chance, n, regions=("Ash", "Birch", None)):
    """Records, the first of which all files have: no column is without a value in common."""
    health = chance.choice([("good",), ("good", "poor", None)])
    return [COMMON] + [
        (
            chance.choice("fm"),
            chance.choice(regions),
            chance.choice([30, 31, 34, 40, None]),
            chance.choice([*health, "good"]),
            chance.choice([100, 110, 150, 300, -8, None]),
            str(chance.randrange(max(n * 2 // 3, 1))),
        )
        for _ in range(n)
    ]


def study_of(original, copies, control=None, *, columns=None, **about):
    def frame(rows):
        return None if rows is None else pl.DataFrame(rows, schema=NAMES, orient="row")

    about = {"keys": KEYS, "targets": ("health", "income")} | about
    columns = {"person": "ignore"} | (columns or {})
    files = [frame(rows) for rows in copies]
    return unveil.Study(frame(original), files, control=frame(control), columns=columns, **about)


def files_of(seed):
    chance = Random(seed)
    return draw(chance, chance.randrange(12)), [
        draw(chance, chance.randrange(12)) for _ in range(chance.randint(1, 3))
    ]


def pairs(rows, target):
    return [(row[:3], (row[NAMES.index(target)],)) for row in rows]


def assert_figures(row, story, **names):
    for ours, theirs in names.items():
        value = story[theirs]
        wanted = None if value is None else pytest.approx(float(value), rel=1e-9, abs=1e-12)
        assert getattr(row, ours) == wanted, (row, ours)


CAP = {
    "people": "n", "matched": "n_match", "cap_original": "cap_original",
    "cap_baseline": "cap_baseline", "cap_synthetic_zero": "cap_synthetic_zero",
    "cap_synthetic_undefined": "cap_synthetic_undefined",
}  # fmt: skip


@worlds
def test_cap_and_tcap_for_every_number_of_copies(seed):
    original, copies = files_of(seed)
    tau = Random(seed).choice([0.3, 0.5, 1.0])
    about = {"income": {"tolerance": 10, "special": (-8,)}}
    result = unveil.cap(
        study_of(original, copies, columns=about), groups=("full", "uniques"), tau=tau
    )
    near = taub.within({0: Fraction(10)}, {0: (-8,)})
    for row in result.cap:
        people = pairs(original, row.target)
        pool = taub.pools([pairs(copy, row.target) for copy in copies])[row.m - 1]
        chosen = taub.uniques(people) if row.group == "uniques" else None
        agree = near if row.unit == "near" else taub.same
        assert_figures(row, taub.cap(people, pool, chosen, agree), **CAP)
    for row in result.tcap:
        people = pairs(original, row.target)
        pool = taub.pools([pairs(copy, row.target) for copy in copies])[row.m - 1]
        names = {"selected": "n_selected", "undefined": "n_undefined", "tcap": "tcap"}
        assert_figures(row, taub.tcap(people, pool, tau), **names)
        sure = [r for r, s in zip(pool, taub.weap(pool), strict=True) if float(s) >= tau]
        known = [target for key, target in sure if taub.matches(key, people)]
        targets = [target for _, target in people]
        story = {"baseline": taub.mean([taub.score(t, targets) for t in known])}
        assert_figures(row, story, tcap_baseline="baseline")
    lines = {(row.target, row.unit, row.group, row.nonmatch): row for row in result.trend}
    for (target, unit, group, nonmatch), line in lines.items():
        caps = [
            (row.m, getattr(row, f"cap_synthetic_{nonmatch}"))
            for row in result.cap
            if (row.target, row.unit, row.group) == (target, unit, group)
        ]
        points = [(m, cap) for m, cap in caps if cap is not None]
        assert line.points == len(points)
        steps = {round(b - a, 12) for (_, a), (_, b) in pairwise(points)}
        if len(points) > 2 and len(steps) == 1:  # on a line
            assert (line.se_slope, line.t, line.p) == (0, None, None)
        elif len(points) > 2:
            story = taub.line(*([Fraction(x) for x in part] for part in zip(*points, strict=True)))
            names = {"intercept": "intercept", "slope": "slope", "se_slope": "se_slope"}
            assert_figures(line, story, **names)
            assert line.p == pytest.approx(story["p_slope"], abs=1e-6)


@pytest.mark.parametrize("counting", [0, gcap.COUNTING])
@worlds
def test_gcap_by_counting_and_by_comparing(seed, counting, monkeypatch):
    monkeypatch.setattr(gcap, "COUNTING", counting)
    original, copies = files_of(seed)
    for row in unveil.cap(study_of(original, copies), groups="full").gcap:
        pool = taub.pools([pairs(copy, row.target) for copy in copies])[row.m - 1]
        story = dict(zip("gd", taub.gcap(pairs(original, row.target), pool), strict=True))
        assert_figures(row, story, gcap="g", distance="d")


def by_person(rows, scores):
    """The mean over people of the mean over their records that have a score."""
    of_person = {}
    for row, score in zip(rows, scores, strict=True):
        if score is not None:
            of_person.setdefault(row[-1], []).append(score)
    return [mean(scores) for scores in of_person.values()]


@worlds
def test_people_with_several_records_count_once(seed):
    original, copies = files_of(seed)
    study = study_of(original, copies, columns={"person": "person"})
    pool = [row for copy in copies for row in copy]
    owners = {row[:3]: {r[-1] for r in original if r[:3] == row[:3]} for row in original}
    result = unveil.cap(study, groups=("full", "uniques"))
    for row in (row for row in result.cap if row.unit == "people" and row.m == len(copies)):
        group = [r for r in original if row.group == "full" or len(owners[r[:3]]) == 1]
        people, synthetic = pairs(group, row.target), pairs(pool, row.target)
        found = [taub.score(t, taub.matches(key, synthetic)) for key, t in people]
        own = [taub.score(t, taub.matches(k, pairs(original, row.target))) for k, t in people]
        story = {
            "n": len({r[-1] for r in group}),
            "n_match": len(by_person(group, found)),
            "cap_original": taub.mean(by_person(group, own)),
            "cap_synthetic_zero": taub.mean(by_person(group, [score or 0 for score in found])),
            "cap_synthetic_undefined": taub.mean(by_person(group, found)),
        }
        assert_figures(row, story, **{name: CAP[name] for name in CAP if CAP[name] in story})


ROLES = {"health": [3], "income": [4], "health+income": [3, 4]}
RADII = ({0: 0}, {2: 4}, {2: 0, 4: 20}, {2: 5, 4: 60}, {4: 60})


def plain(rows):
    """Special codes are near nothing but themselves, as texts are."""
    return [tuple("special" if value == -8 else value for value in row[:5]) for row in rows]


@pytest.mark.parametrize("pairs_at_once", [4, nearness.MOST_PAIRS])
@worlds
def test_gtcap_of_every_unique(seed, pairs_at_once, monkeypatch):
    monkeypatch.setattr(nearness, "MOST_PAIRS", pairs_at_once)
    original, copies = files_of(seed)
    radii = {2: 4, **RADII[seed % len(RADII)]}
    radii = {place: radius for place, radius in radii.items() if place in (2, 4)}
    about = {NAMES[place]: {"tolerance": radius} for place, radius in radii.items()}
    about["income"] = about.get("income", {}) | {"special": (-8,)}
    study = study_of(original, copies, columns=about,
                     targets=("health", "income", ("health", "income")))  # fmt: skip
    pool = [row for copy in copies for row in copy]
    for rule in ("all_keys", "key"):
        result = unveil.gtcap(study, uniques=rule)
        for row in result.gtcap[::-1]:
            if row.copy not in (len(copies) == 1, "pooled"):
                continue
            roles = gtcap.Roles([0, 1, 2], ROLES[row.target], radii)
            story = gtcap_story(plain(original), plain(pool), roles, rule)
            names = {"uniques": "n_unique", "dropped": "n_dropped", "GTCAP": "mean"}
            assert_figures(row, story, ratio_of_means="ratio_of_means", **names)
            records = result.records(row.target).filter(copy=str(row.copy))
            scores = records.select("row", "synthetic", "baseline", "original", "GTCAP").rows()
            assert differing(cells(scores), cells(story["rows"])) == {}
            bins = [b for b in result.bins if (b.target, b.copy) == (row.target, row.copy)]
            assert sum(b.people for b in bins) == row.uniques - row.dropped
            kept = [round(score, 12) for *_, score in story["rows"] if score is not None]
            assert bins[-1].people == sum(score >= 1 for score in kept)
            assert bins[4].people == sum(-0.25 <= score < 0 for score in kept)


def cells(rows):
    return {(j, place): value for j, row in enumerate(rows) for place, value in enumerate(row)}


def gtcap_story(original, pool, roles, rule):
    """A special code has no distance to a number: in the place of subtraction they are missing."""

    def proximity(a, b, radius):
        if "special" in (a, b):
            return float(a == b)
        return near(a, b, radius)

    near, gtcap.proximity = gtcap.proximity, proximity
    try:
        return gtcap.gtcap(original, pool, roles, rule)
    finally:
        gtcap.proximity = near


@worlds
def test_gtcap_counts_people(seed):
    original, copies = files_of(seed)
    study = study_of(original, copies[:1], targets="health",
                     columns={"person": "person", "age": {"tolerance": 4}})  # fmt: skip
    roles = gtcap.Roles([0, 1, 2], [3], {2: 4})
    alone = [
        j for j, own in enumerate(original)
        if not any(gtcap.is_near(own, other, roles.keys, roles.radii)
                   for other in original if other[-1] != own[-1])
    ]  # fmt: skip
    scores = []
    for j in alone:
        copy, own = (gtcap.score(original[j], rows, roles) for rows in (copies[0], original))
        base = gtcap.baseline(original[j], original, roles)
        scores.append(gtcap.normalised(copy, base, own))
    row = unveil.gtcap(study).gtcap[0]
    people = by_person([original[j] for j in alone], scores)
    assert row.uniques == len({original[j][-1] for j in alone})
    assert row.uniques - row.dropped == len(people)
    assert (pytest.approx(mean(people), abs=1e-12) if people else None) == row.GTCAP


def differences(seed, **about):
    chance = Random(seed)
    regions = [f"region {j}" for j in range(chance.choice([2, 60]))]
    original, control, *copies = (
        draw(chance, n, ["Ash", *regions]) for n in (60, 40, *[50] * chance.randint(1, 2))
    )
    study = study_of(original, copies, control, **about)
    result = unveil.differential_confidentiality(study, margin=0.1, level=0.9)
    return original, control, copies, result.difference


@worlds
def test_differential_confidentiality_and_its_interval(seed):
    original, control, copies, rows = differences(seed)
    names = {
        "training_people": "n_included", "control_people": "n_left_out",
        "training": "mean_included", "control": "mean_left_out", "difference": "difference",
        "t": "t", "df": "df", "p": "p",
    }  # fmt: skip
    for row in rows:
        files = [pairs(rows, row.target) for rows in (original, control)]
        told = [pairs(copy, row.target) for copy in copies]
        story = list(confidentiality.by_m(*files, told, row.nonmatch))[row.m - 1]
        assert_figures(row, story, **names)
        pool = taub.pools(told)[row.m - 1]
        scored = [[(key, j, score_of(key, t, pool, row.nonmatch)) for j, (key, t) in enumerate(f)]
                  for f in files]  # fmt: skip
        assert_interval(row, scored)


@worlds
def test_differential_confidentiality_counts_people(seed):
    original, control, copies, rows = differences(seed, columns={"person": "person"})
    for row in rows:
        pool = taub.pools([pairs(copy, row.target) for copy in copies])[row.m - 1]
        scored = [
            [(r[:3], r[-1], score_of(r[:3], (r[NAMES.index(row.target)],), pool, row.nonmatch))
             for r in rows] for rows in (original, control)
        ]  # fmt: skip
        a, b = (by_person([s[:2] for s in part], [s[-1] for s in part]) for part in scored)
        assert (row.training_people, row.control_people) == (len(a), len(b))
        assert row.difference == pytest.approx(float(mean(a) - mean(b)), abs=1e-12)
        assert row.t == pytest.approx(confidentiality.welch(a, b)["t"])
        assert_interval(row, scored)


def score_of(key, target, pool, nonmatch):
    score = taub.score(target, taub.matches(key, pool))
    return Fraction(0) if score is None and nonmatch == "zero" else score


def assert_interval(row, scored):
    """Every pair of records that share their keys, or their person, varies together."""
    parts = [[s for s in part if s[-1] is not None] for part in scored]
    keys = [{key for key, *_ in part} for part in parts]
    if row.t is None or min(map(len, keys)) < 20:
        assert (row.low, row.high, row.equivalent) == (None, None, None)
        return
    weights = []
    for sign, part in zip((1, -1), parts, strict=True):
        people = by_person([s[:2] for s in part], [s[-1] for s in part])
        records = {person: sum(s[1] == person for s in part) for _, person, _ in part}
        weights += [
            (key, (sign, person),
             sign * float(score - mean(people)) / records[person] / len(people))
            for key, person, score in part
        ]  # fmt: skip
    variance = sum(
        u * v for k, p, u in weights for key, person, v in weights if k == key or p == person
    )
    n = len(keys[0] | keys[1])
    half = NormalDist().inv_cdf(0.95) * sqrt(max(variance, 0) * n / (n - 1))
    low, high = row.difference - half, row.difference + half
    assert (row.low, row.high) == pytest.approx((low, high), abs=1e-9)
    assert row.equivalent == (low > -0.1 and high < 0.1)

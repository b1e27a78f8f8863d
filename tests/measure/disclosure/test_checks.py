"""One-way and two-way checks on files small enough to do by hand."""

from collections import Counter
from random import Random

import polars as pl
import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC

# A threshold of 100 percent is never exceeded: it silences the check a test is not about.
SILENT = (0, 100)
COLUMNS = ("k1", "k2", "t")


def people(rows: list[str]) -> pl.DataFrame:
    """One letter for each of k1, k2 and t; a dash is missing."""
    values = [[None if letter == "-" else letter for letter in row] for row in rows]
    return pl.DataFrame(values, dict.fromkeys(COLUMNS, pl.String), orient="row")


WITHOUT_LABELS = {"level_label": None, "key_level_label": None, "segment_label": None}


def flags(original, synthetic, *, one_way=SILENT, two_way=SILENT, **settings) -> list[dict]:
    result = unveil.disclosure(
        original if isinstance(original, pl.DataFrame) else people(original),
        people(synthetic),
        keys=["k1", "k2"],
        targets="t",
        one_way=one_way,
        two_way=two_way,
        **settings,
    )
    found = [flag.to_dict() for flag in result.flags]
    assert all(flag.pop("sentence") for flag in found)  # told in words elsewhere
    return found


def brief(flags: list[dict], *fields: str) -> list[tuple]:
    return [tuple(flag[field] for field in fields) for flag in flags]


def test_the_worked_example():
    # One finding, a x p. Of three people with a two have p; of three with x one has.
    raised = flags(ORIGINAL, SYNTHETIC, one_way=(0, 90), two_way=(0, 40))
    assert brief(raised, "exclusion", "n", "n_level", "n_all") == [
        ("t=p", 1, 2, 6),
        ("t=p@k1=a", 1, 2, 3),
    ]


# Of five people the copy tells four rightly: three under a x have p, one under b x has q. The
# fifth, c x, has p and is not in the copy.
FIVE = ["axp", "axp", "axp", "bxq", "cxp"]
COPY = ["axp", "bxq"]


def test_a_one_way_flag_by_hand():
    (flag,) = flags(FIVE, COPY, one_way=(2, 74))
    assert flag == {
        **{"target": "t", "copy": 1, "kind": "one_way"},
        **{"level": "p", "key": None, "key_level": None},
        **{"n": 3, "n_disclosive": 4, "percent": 75.0},
        **{"n_level": 4, "n_all": 5, "percent_all": 80.0},
        **{"by": None, "segment": None, "exclusion": "t=p"},
        **WITHOUT_LABELS,
    }


@pytest.mark.parametrize("at", [(3, 74), (2, 75)], ids=["records", "percent"])
def test_no_one_way_flag_at_exactly_the_threshold(at):
    # Three records are not more than 3, and 75 percent are not more than 75.
    assert flags(FIVE, COPY, one_way=at) == []


def test_wrong_findings_do_not_count_in_a_one_way_check():
    # The copy says p everywhere: right about three people, wrong about the one with q.
    (flag,) = flags(["axp", "axp", "bxp", "cxq"], ["axp", "bxp", "cxp"], one_way=(2, 90))
    assert (flag["n"], flag["n_disclosive"], flag["percent_all"]) == (3, 3, 75.0)


@pytest.mark.parametrize("turn", [1, -1])
def test_of_two_levels_with_equally_many_the_first_is_flagged_whatever_the_order_of_rows(turn):
    original, copy = ["axp", "axp", "bxq", "bxq"][::turn], ["axp", "bxq"][::turn]
    raised = flags(original, copy, one_way=(1, 49))
    assert brief(raised, "level", "n", "percent") == [("p", 2, 50.0)]


# One cell that three people share, a x p, and the copy is right about them. Of those with a three
# in four have p (the fourth is a y q); of those with x all three.
SHARED = ["axp", "axp", "axp", "ayq"]


def test_two_way_flags_by_hand():
    at_a, at_x = flags(SHARED, ["axp"], two_way=(2, 74))
    assert at_a == {
        **{"target": "t", "copy": 1, "kind": "two_way"},
        **{"level": "p", "key": "k1", "key_level": "a"},
        **{"n": 3, "n_disclosive": 3, "percent": 75.0},
        **{"n_level": 3, "n_all": 4, "percent_all": None},
        **{"by": None, "segment": None, "exclusion": "t=p@k1=a"},
        **WITHOUT_LABELS,
    }
    assert at_x == at_a | {
        **{"key": "k2", "key_level": "x", "n_all": 3, "percent": 100.0},
        "exclusion": "t=p@k2=x",
    }


def test_no_two_way_flag_at_exactly_the_percent():
    assert brief(flags(SHARED, ["axp"], two_way=(2, 75)), "exclusion") == [("t=p@k2=x",)]


def test_no_two_way_flag_where_exactly_so_many_share_the_cell():
    assert flags(SHARED, ["axp"], two_way=(3, 74)) == []


def test_people_in_smaller_cells_do_not_count_in_a_pair_but_do_among_all_findings():
    # a x p is shared by three, b x p by one: of x = 3, of all findings 4.
    (flag,) = flags(["axp", "axp", "axp", "bxp", "ayq"], ["axp", "bxp"], two_way=(2, 80))
    assert (flag["key_level"], flag["n"], flag["n_disclosive"]) == ("x", 3, 4)
    assert (flag["n_level"], flag["n_all"]) == (4, 4)


def test_the_pair_with_the_most_findings_comes_first():
    # b y q has four, a x p three; with k2 both again: 4, 4, 3, 3, keys in their order.
    original = [*["axp"] * 3, *["byq"] * 4]
    raised = flags(original, ["axp", "byq"], two_way=(2, 80))
    assert brief(raised, "exclusion", "n") == [
        ("t=q@k1=b", 4),
        ("t=q@k2=y", 4),
        ("t=p@k1=a", 3),
        ("t=p@k2=x", 3),
    ]


def test_the_missing_level_is_flagged_like_any_other():
    # Three people whose k1 and t are missing; the copy has one such record. One a y p it has not.
    original, copy = ["-x-", "-x-", "-x-", "ayp"], ["-x-", "ayq"]
    (one,) = flags(original, copy, one_way=(2, 90))
    assert (one["level"], one["percent_all"], one["exclusion"]) == (None, 75.0, "t=")
    two = flags(original, copy, two_way=(2, 80))
    assert brief(two, "level", "key", "key_level", "exclusion") == [
        (None, "k1", None, "t=@k1="),
        (None, "k2", "x", "t=@k2=x"),
    ]


# Under a everyone has p; under b three have p and one has q; the copy is right about all of them.
TWO_AREAS = ["axp", "axp", "axp", "bxp", "bxp", "bxp", "byq"]
COPY_OF_AREAS = ["axp", "bxp", "byq"]


def test_segments_by_a_key_have_their_own_counts_and_exclusions():
    raised = flags(TWO_AREAS, COPY_OF_AREAS, one_way=(2, 70), checks_by="k1")
    counts = ("by", "segment", "n", "n_disclosive", "n_level", "n_all", "exclusion")
    assert brief(raised, *counts) == [
        ("k1", "a", 3, 3, 3, 3, "t=p@k1=a"),
        ("k1", "b", 3, 4, 3, 4, "t=p@k1=b"),
    ]


def test_the_most_frequent_level_of_a_later_segment_need_not_be_its_first():
    people_, copy = ["axp", "axp", "bxp", "byq", "byq", "byq"], ["axp", "bxp", "byq"]
    raised = flags(people_, copy, one_way=(1, 60), checks_by="k1")
    assert brief(raised, "segment", "level", "n") == [("a", "p", 2), ("b", "q", 3)]


@pytest.mark.parametrize("name", ["one_way", "two_way"])
def test_thresholds_are_records_from_0_and_percent_from_0_to_100(name):
    for fine in ((0, 0), (0, 0.5), (0.5, 100)):
        flags(FIVE, COPY, **{name: fine})
    for wrong in ((-1, 50), (5, -0.5), (5, 100.5), (-0.5, 101)):
        with pytest.raises(unveil.SettingsError, match="must be 0 or more, the second from 0 to"):
            flags(FIVE, COPY, **{name: wrong})
    example = {"one_way": "50,90", "two_way": "4,80"}[name]
    with pytest.raises(unveil.SettingsError, match=rf"{name} must be two .* such as {example}\."):
        flags(FIVE, COPY, **{name: 5})


def test_a_pair_within_a_segment_by_a_key_is_excluded_there_alone():
    raised = flags(TWO_AREAS, COPY_OF_AREAS, two_way=(2, 80), checks_by="k1")
    # k1 within a segment of k1: everyone in it. Under b only 75 percent have p, but all with x.
    assert brief(raised, "segment", "key", "n_level", "n_all", "exclusion") == [
        ("a", "k1", 3, 3, "t=p@k1=a"),
        ("a", "k2", 3, 3, "t=p@k2=x@k1=a"),
        ("b", "k2", 3, 3, "t=p@k2=x@k1=b"),
    ]


def test_segments_by_another_column_need_it_in_the_original_only():
    # In the north two a x p and one b y q, in the south one a x p: too few there.
    original = people(["axp", "axp", "byq", "axp"]).with_columns(
        pl.Series("area", ["north", "north", "north", "south"])
    )
    (flag,) = flags(original, ["axp", "byq"], one_way=(1, 60), checks_by="area")
    assert (flag["by"], flag["segment"], flag["n"], flag["n_disclosive"]) == ("area", "north", 2, 3)
    assert flag["exclusion"] == "t=p"  # the intruder does not know the area, so everywhere


def test_a_cell_must_be_shared_by_enough_people_within_the_segment():
    # a x p holds four people: three in the north, one in the south.
    original = people(["axp"] * 4).with_columns(
        pl.Series("area", ["north", "north", "north", "south"])
    )
    raised = flags(original, ["axp"], two_way=(2, 80), checks_by="area")
    assert brief(raised, "segment", "key", "n", "n_all") == [
        ("north", "k1", 3, 3),
        ("north", "k2", 3, 3),
    ]


def test_what_is_disclosive_is_decided_on_the_whole_file_not_in_the_segment():
    # The copy says both p and q under a x: nothing is settled, in whatever segment.
    original = people(["axp", "axp"]).with_columns(pl.Series("area", ["north", "south"]))
    assert flags(original, ["axp", "axq"], one_way=(0, 50), checks_by="area") == []


def test_people_without_a_segment_are_one():
    original = people(["axp", "axp"]).with_columns(pl.Series("area", [None, None], pl.String))
    (flag,) = flags(original, ["axp"], one_way=(1, 90), checks_by="area")
    assert (flag["by"], flag["segment"], flag["n"]) == ("area", None, 2)


def test_exclusions_shrink_what_a_one_way_check_counts():
    # p: three under a, one under c. q: two under b. Without the pair p, a: p 1, q 2, of three.
    original, copy = ["axp", "axp", "axp", "bxq", "bxq", "cxp"], ["axp", "bxq", "cxp"]
    counts = ("level", "n", "n_disclosive", "n_level", "n_all")
    assert brief(flags(original, copy, one_way=(0, 60)), *counts) == [("p", 4, 6, 4, 6)]
    without = flags(original, copy, one_way=(0, 60), exclude="t=p@k1=a")
    assert brief(without, *counts) == [("q", 2, 3, 2, 3)]


def test_exclusions_shrink_the_findings_of_a_pair_but_not_the_people_behind_its_percentage():
    # x: three under a and three under b, all p. Without b: 3 findings, still 6 of 6 people.
    original, copy = ["axp"] * 3 + ["bxp"] * 3, ["axp", "bxp"]
    counts = ("key", "n", "n_disclosive", "n_level", "n_all")
    assert brief(flags(original, copy, two_way=(2, 80)), *counts) == [
        ("k2", 6, 6, 6, 6),
        ("k1", 3, 6, 3, 3),
        ("k1", 3, 6, 3, 3),
    ]
    assert brief(flags(original, copy, two_way=(2, 80), exclude="t=p@k1=b"), *counts) == [
        ("k1", 3, 3, 3, 3),
        ("k2", 3, 3, 6, 6),
    ]


def test_a_flag_is_gone_once_its_own_exclusion_is_in_force():
    for flag in flags(FIVE, COPY, one_way=(2, 74), two_way=(2, 70)):
        left = flags(FIVE, COPY, one_way=(2, 74), two_way=(2, 70), exclude=flag["exclusion"])
        assert (flag["kind"], flag["exclusion"]) not in brief(left, "kind", "exclusion")


def test_the_defaults_are_those_of_synthpop():
    original, copy = ["axp"] * 51 + ["bxq"] * 5, ["axp", "bxq"]
    raised = unveil.disclosure(people(original), people(copy), keys=["k1", "k2"], targets="t")
    assert (raised.record.checks.one_way, raised.record.checks.two_way) == ((50, 90), (4, 80))
    # 51 of 56 is 91.07 percent; b has five people, all q. x has both levels: 91.07 percent p.
    assert [(flag.kind, flag.exclusion) for flag in raised.flags] == [
        ("one_way", "t=p"),
        ("two_way", "t=p@k1=a"),
        ("two_way", "t=p@k2=x"),
        ("two_way", "t=q@k1=b"),
    ]


@pytest.mark.parametrize("n", [30, 3000])  # more cells than half the records, and fewer
@pytest.mark.parametrize("n_keys", [1, 2, 3])
def test_the_people_behind_percentages_are_counted_from_records_or_cells(n, n_keys):
    names = ["t", "k1", "k2", "k3"]
    draw = Random(n).choices
    rows = [dict(zip(names, draw(["a", "b", None], [5, 3, 1], k=4), strict=True)) for _ in range(n)]
    frame = pl.DataFrame(rows, dict.fromkeys(names, pl.String))
    result = unveil.disclosure(frame, frame[::-1], keys=names[1 : 1 + n_keys], targets="t")
    scenario = result._measured.opening.scenario
    for place, key in enumerate(names[1 : 1 + n_keys]):
        counted = Counter((row["t"], row[key]) for row in rows)
        table = scenario.joint_counts(0, place).tolist()
        assert table == [[counted[t, k] for k in ("a", "b", None)] for t in ("a", "b", None)]


def test_each_copy_and_the_pool_are_checked():
    # The first copy settles a x; the second says both there; pooled they say both.
    result = unveil.disclosure(
        people(["axp", "axp"]),
        [people(["axp"]), people(["axp", "axq"])],
        keys=["k1", "k2"],
        targets="t",
        one_way=(1, 90),
        two_way=SILENT,
    )
    assert [flag.copy for flag in result.flags] == [1]


@pytest.mark.parametrize("seed", range(6))
def test_pairs_in_small_cells_are_counted(seed):
    """As many as --two-way 0,80 raises beyond the default, of key levels of ten people or more."""
    rng = Random(seed)
    rows = [(rng.randrange(4), rng.randrange(9), rng.randrange(12)) for _ in range(300)]
    original = pl.DataFrame(
        [(a, b, t if b < 5 else b) for a, b, t in rows], schema=["a", "b", "t"], orient="row"
    ).cast(pl.String)
    copy = original.sample(fraction=0.7, seed=seed)
    found = unveil.disclosure(original, copy, keys=["a", "b"], targets="t").record
    every = unveil.disclosure(original, copy, keys=["a", "b"], targets="t", two_way=(0, 80)).record
    assert every.small_cells == ()
    known = {flag.exclusion for flag in found.flags}
    more = [one for one in every.flags if one.kind == "two_way" and one.exclusion not in known]
    more = [one for one in more if one.n_all >= 10]
    counted = [(row.n_pairs, row.n) for row in found.small_cells]
    assert counted == ([(len(more), sum(one.n for one in more))] if more else [])

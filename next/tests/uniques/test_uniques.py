"""Figures by hand, sentences that are true of them, and what is refused."""

import json
import re

import polars as pl
import pytest

import unveil
from unveil.cli.main import main
from unveil.examples import KEYS, survey
from unveil.measures.uniques import combinations, search

SIX = pl.DataFrame(
    [tuple(person) for person in ["axp", "axq", "ayp", "bxq", "byq", "byq"]],
    schema=["k1", "k2", "t"],
    orient="row",
)


def rows(result, table):
    return [tuple(row.values()) for row in result.frame(table).to_dicts()]


def test_six_people_by_hand():
    result = unveil.suda(unveil.Study(SIX, keys=("k1", "k2", "t")))
    (row,) = result.uniques
    assert (row.people, row.uniques, row.special) == (6, 4, 1)
    assert row.special_threshold == pytest.approx(1.7)  # of 1, 1, 1, 2
    assert pytest.approx(0.04 / (0.04 + 2 * 0.99)) == row.DIS
    A = 3 + 2**-1.25
    assert row.DIS_highest == pytest.approx(1 / (1 + 1.98 / (0.01 * 2**1.25 * A)))
    assert rows(result, "keys") == [
        ("k1", 3, pytest.approx(60), 75, pytest.approx(60)),
        ("k2", 4, pytest.approx(80), 75, pytest.approx(80)),
        ("t", 3, pytest.approx(60), 75, pytest.approx(60)),
    ]
    assert rows(result, "sizes") == [(1, 0, 0), (2, 5, 4), (3, 0, 0)]


def test_six_people_in_a_sample_by_hand():
    frame = SIX.with_columns(w=pl.Series([10, 10, 5, 4, 3, 7]))
    study = unveil.Study(frame, keys=("k1", "k2"), targets="t", columns={"w": "weight"})
    result = unveil.match_risk(study, k=2)
    risks = [1 / 9 - 2.302585093 / 81, 1.609437912 / 4, 1.386294361 / 3, 1 / 4 - 1.609437912 / 16]
    total = 2 * risks[0] + risks[1] + risks[2] + 2 * risks[3]
    assert rows(result, "risk") == [
        (6, 39, 4, pytest.approx(total), pytest.approx(total / 6), pytest.approx(risks[2]), 2)
    ]
    assert rows(result, "diversity") == [("t", 1, 4, 2, 6)]


# Sentences


def numbers(text):
    return [float(n.replace(",", "")) for n in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text)]


def test_the_sentences_are_true_of_the_survey():
    study = unveil.Study(survey(), keys=KEYS, targets=("health", "condition"))
    records = survey().select(KEYS).rows()
    sizes = [records.count(record) for record in records]
    result = unveil.suda(study, fraction=0.00013)
    unique, needed, special, match = result.sentences
    listed = result.records()
    assert numbers(unique) == [sizes.count(1), 5_000, round(sizes.count(1) / 50, 1)]
    assert sum(numbers(needed)[1::2]) == len(listed) == sizes.count(1)
    n_special, n, score = numbers(special)
    assert (n_special, n) == (listed["special"].sum(), len(listed))
    assert (listed["score"] >= score).sum() == n_special
    pairs = sizes.count(2)
    assert sizes.count(1) * 0.00013 / (sizes.count(1) * 0.00013 + pairs * 0.99987) < 0.0005
    assert "probability < 0.1 %" in match
    assert "< 0.01" in repr(result)
    assert numbers(match) == [0.1, sizes.count(1), pairs, 0.013]
    small, guess, *of_targets = unveil.match_risk(study).sentences
    below = sum(size < 10 for size in sizes)
    assert numbers(small) == [below, 5_000, round(below / 50, 1), 10]
    assert numbers(guess) == [len(set(records)), 5_000, round(len(set(records)) / 50, 1)]
    for sentence in of_targets:
        target = sentence.partition("the same ")[2].partition(";")[0]
        seen = {}
        for record, value in zip(records, survey()[target], strict=True):
            seen.setdefault(record, set()).add(value)
        same = sum(len(seen[record]) == 1 for record in records)
        assert numbers(sentence) == [same, 5_000, sizes.count(1)]


def test_where_nearly_everyone_is_special_it_is_said():
    everyone = unveil.Study(SIX, keys=("k1", "k2"))
    few = unveil.Study(survey(), keys=KEYS)
    said = unveil.suda(everyone).sentences[2]
    assert said.startswith("Special uniques say little here: 2 of 2 unique people have")
    assert "say little" not in " ".join(unveil.suda(few).sentences)


def test_where_nobody_is_unique_nothing_is_claimed():
    study = unveil.Study(pl.concat([SIX] * 3), keys=("k1", "k2"), targets="t")
    result = unveil.suda(study)
    assert result.sentences == ("None of 18 people are unique on k1 and k2.",)
    row = result.uniques[0]
    assert (row.special, row.special_threshold, row.DIS) == (0, None, None)
    assert "not measured where there is nobody" in " ".join(note.sentence for note in result.notes)


def test_unique_only_by_a_missing_key_is_said():
    frame = pl.DataFrame({"k1": ["a", "a", None], "k2": ["x", "x", "x"]})
    result = unveil.suda(unveil.Study(frame, keys=("k1", "k2")))
    assert (result.uniques[0].uniques, result.records()["score"].to_list()) == (1, [0])
    assert result.notes[0].sentence.startswith("1 unique people have no score: a missing key")


def test_of_many_keys_smaller_sets_are_searched_and_it_is_said(monkeypatch):
    monkeypatch.setattr(search, "MOST_SETS", 10)  # of four keys: four of one, six of two
    study = unveil.Study(survey(), keys=KEYS)
    assert [row.size for row in unveil.suda(study).sizes] == [1, 2]
    assert "Sets of more than 2 of the 4 keys" in unveil.suda(study).notes[0].sentence
    names = [f"k{place:02}" for place in range(28)]
    wide = pl.DataFrame({name: [place % 2, 0, 1] for place, name in enumerate(names)})
    assert unveil.suda(unveil.Study(wide, keys=names)).uniques[0].DIS_highest is None


def test_the_order_of_rows_makes_no_difference_to_weights():
    frame = SIX.sample(200, with_replacement=True, seed=1)
    frame = frame.with_columns(w=pl.Series([1 + row % 7 / 3 for row in range(200)]))
    tables = []
    for seed in range(5):
        shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
        study = unveil.Study(shuffled, keys=("k1", "k2"), targets="t", columns={"w": "weight"})
        tables.append(unveil.match_risk(study, wildcard=True).document()["tables"])
    assert all(table == tables[0] for table in tables)


def test_a_missing_key_may_be_anything_on_the_command_line_too(tmp_path, monkeypatch, capsys):
    frame = pl.DataFrame({"k1": ["a", "a", None], "k2": ["x", "y", "y"]})
    frame.write_csv(path := tmp_path / "file.csv")
    for words, alone in ([], 3), (["--wildcard"], 1):
        monkeypatch.setattr(
            "sys.argv", ["unveil", "uniques", str(path), "-kk1,k2", "--json", *words]
        )
        with pytest.raises(SystemExit):
            main()
        assert json.loads(capsys.readouterr().out)["tables"]["anonymity"][0]["people"] == alone


def test_a_person_whose_records_stand_twice_is_the_same_person():
    once = frame_of("ax ay ay bx by by bz").with_columns(pid=pl.Series([*"ppqrssr"]))
    tables = []
    for frame in (once, pl.concat([once, once])):
        study = unveil.Study(frame, frame, keys=("k1", "k2"), columns={"pid": "person"})
        results = unveil.suda(study), unveil.match_risk(study)
        tables.append([result.document()["tables"] for result in results])
    assert tables[0] == tables[1]
    by_identity = {row.unit: row.unique for row in unveil.disclosure(study).identity}
    assert by_identity["people"] == results[0].uniques[0].uniques == 3  # p by ax, r, s


# Rows matched to rows


def aligned(original, synthetic, **about):
    study = unveil.Study(original, synthetic, keys=("k1", "k2"), targets="t", **about)
    return unveil.match_risk(study, aligned=True)


def test_rows_matched_to_rows_by_hand():
    original = frame_of("ax ay bx bx cy")
    row = aligned(original, frame_of("ax bx bx ay cx")).aligned[0]
    assert (row.matched, row.expected_match_risk) == (4, 1.5)
    rates = row.perceived_match_rate, row.true_match_rate, row.false_match_rate
    assert rates == (0.4, 0.2, 0.5)
    assert (row.own, row.own_by_chance) == (2, (1 + 1 + 2 * 2) / 5)


def frame_of(people):
    rows = [(*person, "u") for person in people.split()]
    return pl.DataFrame(rows, schema=["k1", "k2", "t"], orient="row")


def test_a_copy_whose_rows_were_shuffled_is_seen_as_such():
    """No match is true, but as few own rows agree as by chance; and the sentence says both."""
    original = survey().rename({"sex": "k1", "age": "k2", "health": "t"})
    moved = original.sample(fraction=1, shuffle=True, seed=1)
    half = pl.concat([original.head(2_500), moved.tail(2_500)])
    copy, shuffled, mixed = (aligned(original, file) for file in (original, moved, half))
    row = shuffled.aligned[0]
    assert row.own == pytest.approx(row.own_by_chance, rel=0.3)
    assert "would if rows were shuffled" in shuffled.sentences[-1]
    assert copy.aligned[0].expected_match_risk == pytest.approx(copy.risk[0].combinations)
    assert f"in the original for {copy.risk[0].combinations:,}." in copy.sentences[-1]
    assert mixed.aligned[0].own > 2_500 > 10 * mixed.aligned[0].own_by_chance


# Refusals


def refusal(call):
    with pytest.raises(unveil.InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("weights", [[1, 2, None], [1, 2, -3], ["1", "2", "Zq"], [1, 2, 1e400]])
def test_weights_that_are_none_are_refused(weights):
    frame = pl.DataFrame({"k1": ["a", "b", "b"], "w": weights}, strict=False)
    study = unveil.Study(frame, keys="k1", columns={"w": "weight"})
    assert "'w'" in refusal(lambda: unveil.match_risk(study))


def test_weights_of_less_than_the_file_do_not_shrink_the_population():
    frame = SIX.with_columns(w=pl.lit(0.5))
    study = unveil.Study(frame, keys=("k1", "k2"), targets="t", columns={"w": "weight"})
    result = unveil.match_risk(study)
    assert result.risk[0].expected_matches == pytest.approx(4)
    assert result.sentences[1].endswith("the file holds the whole population.")


def test_two_columns_of_weights_are_refused():
    frame = pl.DataFrame({"k1": ["a", "b"], "v": [1, 2], "w": [1, 2]})
    both = {"v": "weight", "w": "weight"}
    assert "'v', 'w'" in refusal(lambda: unveil.Study(frame, keys="k1", columns=both))


def test_too_many_ways_to_lack_keys_are_refused(monkeypatch):
    monkeypatch.setattr(combinations, "MOST_PATTERNS", 2)
    frame = pl.DataFrame({"k1": ["a", None, None], "k2": ["x", "y", None]})
    study = unveil.Study(frame, keys=("k1", "k2"))
    assert "'wildcard'" in refusal(lambda: unveil.match_risk(study, wildcard=True))


@pytest.mark.parametrize("settings", [{"wildcard": True}, {}])
def test_what_counts_records_is_refused_of_people_with_several(settings):
    frame = pl.DataFrame({"k1": ["a", "b"], "w": [1, 2], "pid": ["p", "p"]})
    columns = {"pid": "person"} | ({} if settings else {"w": "weight"})
    study = unveil.Study(frame, keys="k1", columns=columns)
    assert "person column" in refusal(lambda: unveil.match_risk(study, **settings))


def test_rows_are_matched_only_to_as_many():
    original, synthetic = frame_of("ax ay"), frame_of("ax ay ay")
    assert "3 records" in refusal(lambda: aligned(original, synthetic))
    alone = unveil.Study(original, keys=("k1", "k2"))
    assert "synthetic" in refusal(lambda: unveil.match_risk(alone, aligned=True))

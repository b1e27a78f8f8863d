"""`unveil keysets`: what is printed, and the exit code."""

import json

import numpy as np
import polars as pl
import pytest

from unveil.cli import main


@pytest.fixture
def files(tmp_path):
    """A copy in which three of four keys tell everything, and an honest one."""
    rng = np.random.default_rng(1)
    made = {name: rng.integers(0, 10, 1200) for name in "abcd"}
    original = pl.DataFrame({**made, "t": rng.integers(0, 6, 1200)})
    fresh = pl.Series(rng.integers(0, 10, 1200))
    original.write_csv(tmp_path / "original.csv")
    original.with_columns(d=fresh).write_csv(tmp_path / "copied.csv")
    original.with_columns(t=pl.Series(rng.integers(0, 6, 1200))).write_csv(tmp_path / "honest.csv")
    return tmp_path


def run(files, capsys, copy, *more):
    arguments = ["keysets", str(files / "original.csv"), str(files / copy), "-k", "a,b,c,d"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "-t", "t", *more])
    return ended.value.code, capsys.readouterr()


def test_a_set_beyond_chance_stops(files, capsys):
    code, said = run(files, capsys, "copied.csv", "--limit", "DiSCO=20")
    assert code == 3
    assert "above limit" in said.out
    assert "an intruder who uses only a, b and c" in " ".join(said.out.split())


def test_the_chart_is_written_as_its_ending_says(files, capsys):
    for ending, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg")):
        code, _ = run(files, capsys, "copied.csv", "--chart", str(files / f"sets{ending}"))
        assert code == 0
        assert (files / f"sets{ending}").read_bytes().startswith(start)
    code, said = run(files, capsys, "copied.csv", "--chart", str(files / "sets.gif"))
    assert code == 2
    assert "SVG, PNG or PDF" in said.err


def test_what_chance_would_give_is_for_review(files, capsys):
    code, said = run(files, capsys, "honest.csv", "--limit", "DiSCO=5")
    assert code == 0
    assert "▲ review" in said.out
    assert "As chance over 15 sets of keys would show." in " ".join(said.out.split())


def test_no_figure_stands_without_what_is_expected(files, capsys):
    code, said = run(files, capsys, "honest.csv", "--json")
    assert code == 0
    record = json.loads(said.out)
    assert {"all_keys", "worst", "size", "without"} == {one["kind"] for one in record["figures"]}
    assert all("expected" in one for one in record["figures"])
    _, said = run(files, capsys, "honest.csv", "--csv")
    head, *rows = said.out.splitlines()
    assert "expected" in head.split(",")
    assert len(rows) == len(record["figures"])


@pytest.mark.parametrize("more", [["--limit", "TCAP=3"], ["--at-most", "0"], ["--json", "--csv"]])
def test_wrong_use_is_one_sentence(files, capsys, more):
    code, said = run(files, capsys, "honest.csv", *more)
    assert code == 2
    assert said.err.startswith("unveil: ")
    assert said.out == ""

"""What an attack on the attribution and uniques commands found to be right, kept so."""

import os
import stat
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main

NAN = float("nan")


def people(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "sex": draw.choice(["SECRETm", "SECRETf"], n),
            "region": draw.choice(["SECRETa", "SECRETb", "SECRETc"], n),
            "age": draw.integers(7000, 7020, n),
            "ill": draw.choice(["SECRETy", "SECRETn"], n),
        }
    )


ORIGINAL, COPY, OTHER = people(60, 1), people(50, 2), people(40, 3)
ROLES = {"keys": ["sex", "region"], "target": "ill"}


def of_two(name):
    return lambda **more: getattr(unveil, name)(ORIGINAL, COPY, **{**ROLES, **more})


def compared(**more):
    settings = {**ROLES, "seed": 1, "n_bootstrap": 100, **more}
    return unveil.differential_confidentiality(ORIGINAL, OTHER, COPY, **settings)


def table(**more):
    settings = {"key_sets": [["sex"]], "target": "ill", **more}
    return unveil.cap_table(ORIGINAL, {"A": [COPY, OTHER]}, **settings)


def halves(**more):
    return unveil.split(ORIGINAL, **{"share": 0.5, "seed": 1, **more})


@pytest.mark.parametrize("wrong", [0, -1, 2, NAN, True, "x", [0.5], ORIGINAL, ORIGINAL["sex"]])
@pytest.mark.parametrize(
    ("measure", "setting"),
    [
        (of_two("tcap"), "tau"),
        (table, "tau"),
        (compared, "margin"),
        (compared, "confidence"),
        (halves, "share"),
    ],
)
def test_a_share_that_is_none_is_refused_without_a_cell_value(measure, setting, wrong):
    with pytest.raises(unveil.SettingsError) as refused:
        measure(**{setting: wrong})
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("wrong", [-1, 2**63, 1.5, NAN, True, "x", [1], ORIGINAL])
@pytest.mark.parametrize("measure", [compared, halves])
def test_a_seed_that_is_none_is_refused(measure, wrong):
    with pytest.raises(unveil.SettingsError):
        measure(seed=wrong)


@pytest.mark.parametrize("wrong", [[True], [1] * 59 + [2], ["x"] * 60, [None] * 60, [NAN] * 60, 5])
def test_a_mask_that_does_not_fit_is_refused(wrong):
    with pytest.raises(unveil.SettingsError):
        unveil.cap(ORIGINAL, COPY, mask=wrong, **ROLES)


@pytest.mark.parametrize("radius", [-1, NAN, float("inf"), 1e308, 10**400, "x", True, None, [5]])
def test_a_radius_that_is_none_is_refused(radius):
    settings = {"keys": ["sex", "age"], "target": "ill", "radii": {"age": radius}}
    with pytest.raises(unveil.SettingsError):
        unveil.gtcap(ORIGINAL, COPY, **settings)


def test_generators_and_arrays_name_columns_as_lists_do():
    named = unveil.cap(ORIGINAL, COPY, **ROLES).to_json()
    of_array = {**ROLES, "keys": np.array(["sex", "region"])}
    of_generator = {**ROLES, "keys": (name for name in ["sex", "region"])}
    assert unveil.cap(ORIGINAL, COPY, **of_array).to_json() == named
    assert unveil.cap(ORIGINAL, COPY, **of_generator).to_json() == named


@pytest.mark.parametrize(
    ("measure", "settings"),
    [
        (of_two("cap"), {}),
        (of_two("tcap"), {}),
        (of_two("gcap"), {}),
        (of_two("gtcap"), {}),
        (table, {"scenarios": ["full", "uniques", "special"], "tau": 1.0, "gcap": True}),
        (compared, {}),
        (halves, {}),
    ],
)
def test_no_view_has_a_value_of_the_data(measure, settings):
    result = measure(**settings)
    views = repr(result) + str(result) + result._repr_html_() + result.to_json()
    assert "SECRET" not in views


@pytest.mark.slow
def test_the_same_seed_makes_the_same_bytes_in_another_process():
    script = (
        "import unveil, numpy as np, polars as pl\n"
        "n = 60\n"
        "d = pl.DataFrame({'k': np.arange(n) % 7, 't': np.arange(n) % 3})\n"
        "i, o = unveil.split(d, 0.5, seed=3)\n"
        "print(i.write_csv(), o.write_csv())\n"
        "print(unveil.differential_confidentiality(i, o, d, keys='k', target='t', seed=3,"
        " n_bootstrap=100).to_json())\n"
    )
    told = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert told[0] == told[1]


@pytest.mark.slow
@pytest.mark.parametrize("first", ["tcap", "cap_table", "split"])
def test_a_view_is_there_whichever_name_is_used_first(first):
    call = {
        "tcap": "unveil.tcap(d, d, keys='k', target='t')",
        "cap_table": "unveil.cap_table(d, {'A': d}, key_sets=[['k']], target='t')",
        "split": "unveil.split(d, 0.5, seed=1)",
    }[first]
    script = (
        "import unveil, polars as pl\n"
        "d = pl.DataFrame({'k': list('aabb'), 't': list('ppqq')})\n"
        f"print(len({call}._repr_html_()))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert int(done.stdout) > 100


def test_names_that_are_loaded_late_are_functions_and_are_listed():
    import unveil.measure.uniques.suda

    assert callable(unveil.suda)
    assert set(unveil.__all__) <= set(dir(unveil))
    with pytest.raises(AttributeError, match="no attribute 'sudda'"):
        unveil.sudda  # noqa: B018


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ORIGINAL.write_csv("people.csv")
    return tmp_path


def run(*arguments):
    """How the command ended, as a shell sees it."""
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return ended.value.code


def test_parts_are_private_and_written_over_nothing(folder):
    assert run("split", "people.csv", "--out", "a", "--seed", 1) == 0
    assert run("split", "people.csv", "--out", "b", "--seed", 1) == 0
    for part in ("people_included.csv", "people_left_out.csv"):
        assert (folder / "a" / part).read_bytes() == (folder / "b" / part).read_bytes()
        if os.name == "posix":
            assert stat.S_IMODE((folder / "a" / part).stat().st_mode) == 0o600
    (folder / "b" / "people_included.csv").unlink()
    before = (folder / "b" / "people_left_out.csv").read_bytes()
    assert run("split", "people.csv", "--out", "b", "--seed", 2) == 2
    assert [path.name for path in (folder / "b").iterdir()] == ["people_left_out.csv"]
    assert (folder / "b" / "people_left_out.csv").read_bytes() == before


def test_hostile_names_stay_harmless_on_the_screen_and_in_csv(folder, capsys):
    hostile = {"*": list("aabb"), "=cmd": list("abab"), "\x1b[31mred": list("abba")}
    pl.DataFrame(hostile).write_csv("hostile.csv")
    files = ("hostile.csv", "hostile.csv", "-k", "*,\x1b[31mred", "-t", "=cmd")
    for more in ((), ("--json",), ("--csv",)):
        assert run("cap", *files, *more) == 0
        shown = capsys.readouterr().out
        assert "\x1b[31m" not in shown
    rows = shown.splitlines()[1:]
    assert rows
    assert all(",=cmd" not in row and "'=cmd" in row for row in rows)


@pytest.mark.parametrize(
    "arguments",
    [
        "cap people.csv people.csv -k sex -t sex",
        "cap people.csv people.csv -k sexx -t ill",
        "cap people.csv people.csv -k sex,sex -t ill",
        "cap people.csv people.csv -k sex -t ill --tau nan",
        "cap people.csv people.csv -k sex -t ill --mask age",
        "cap people.csv people.csv -k sex -t age --tolerance age=-5",
        "cap people.csv --method A= -k sex -t ill",
        "gtcap people.csv people.csv -k sex,age -t ill --radius age=nan",
        "gtcap people.csv people.csv -k sex,age -t ill --unique-rule foo",
        "uniques people.csv -k sex --weights ill",
        "uniques people.csv -k sex --weights age --alpha nan",
        "uniques people.csv -k sex --records people.csv",
        "uniques people.csv -k sex --records no/such/folder.csv",
        "uniques people.csv -k sex --records same.csv --values same.csv",
        "uniques people.csv -k sex --records new.csv --values people.csv",
        "differential-confidentiality people.csv people.csv people.csv -k sex -t ill --margin 0",
        "differential-confidentiality people.csv people.csv people.csv -k sex -t ill --seed -1",
        "split people.csv --out parts",
        "split people.csv --out parts --seed 1 --share 1e-9",
        "split people.csv --out people.csv --seed 1",
        "split people.csv --out parts --seed 1 --strata nope",
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(folder, capsys, arguments):
    before = sorted(path.name for path in folder.iterdir())
    assert run(*arguments.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("unveil: ")
    assert "Traceback" not in told.err
    assert "SECRET" not in told.err
    assert sorted(path.name for path in folder.iterdir()) == before

"""What people see first: 25 lines of 80 columns, whatever the files; and the way there is short."""

import shlex
import subprocess
import sys

import click
import polars as pl
import pytest

import every_call
import unveil
from unveil.cli.commands import ALL, COMMANDS
from unveil.cli.main import main
from unveil.show.terminal import screen


def many(seed, *, keys=40, targets=100, n=60):
    names = [*(f"key {place}" for place in range(keys)), *(f"target {t}" for t in range(targets))]
    frame = pl.DataFrame({name: [(row * 7 + len(name)) % 3 for row in range(n)] for name in names})
    return frame.select(pl.all().shuffle(seed))


LIMITS = {"DiSCO": 1, "repU": 1, "TCAP": 1, "DCAP": 1, "UiOiS": 1}


@pytest.mark.parametrize("keys", [3, 40])
def test_a_first_screen_has_at_most_25_lines_of_80_columns(keys):
    synthetic = {"a": [many(2), many(3)], "b": many(4), "c": many(5), "d": many(6)}
    names = [f"key {place}" for place in range(keys)]
    study = unveil.Study(many(1), synthetic, control=many(7), keys=names)
    result = unveil.disclosure(study, expected=False)
    checks = result.check(LIMITS)
    for results in ([result], [result, unveil.excess(study)], [unveil.excess(study)]):
        lines = screen(results, (), checks, "unveil disclosure").splitlines()
        assert len(lines) <= 25, "\n".join(lines)
        assert max(map(len, lines[:-1])) <= 80


def typed(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0, capsys.readouterr().out


@pytest.mark.parametrize("shown", ["", " --show words", " --show all --out page.html"])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_next_step_works_as_it_is_printed(name, shown, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    every_call.people(1).write_csv("o =1.csv")
    every_call.people(2).write_csv("s.csv")
    files = [p for p in ALL[name]().params if isinstance(p, click.Argument)]
    words = f"unveil {name} 'o =1.csv' {'s.csv' * (len(files) - 1)} --keys sex,age {shown}"
    for _ in range(3):
        code, printed = typed(shlex.split(words), monkeypatch, capsys)
        assert code in ((0, 3, 4) if name == "assess" else (0,)), words
        words = printed.splitlines()[-1].removeprefix("Next: ")
        if words.endswith("--help"):
            break


def test_a_command_passes_few_modules(tmp_path):
    """Only what it needs: no other measure, page, chart or reader."""
    every_call.people(1).write_csv(tmp_path / "file.csv")
    code = """
import sys, unveil.cli.main as cli
file, sys.argv = sys.argv[1], ["unveil", *sys.argv[2:]]
try: cli.main()
except SystemExit: print(sum(name.startswith("unveil") for name in sys.modules))
"""
    for words, most in (("--version", 6), ("disclosure {0} {0} -k sex --no-expected", 41)):
        typed = [sys.executable, "-c", code, "", *words.format(tmp_path / "file.csv").split()]
        printed = subprocess.run(typed, capture_output=True, check=True, text=True).stdout
        assert int(printed.split()[-1]) <= most, printed


def test_heavy_libraries_wait_until_they_are_used():
    names = "('scipy', 'sklearn', 'vl_convert', 'pandas', 'pyarrow')"
    code = f"import sys, unveil.cli.main; print([n for n in {names} if n in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert printed.strip() == b"[]"

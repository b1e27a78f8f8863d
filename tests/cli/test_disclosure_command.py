"""The good path: what `unveil disclosure` and `unveil demo` print, and how they end."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys

import polars as pl
import pytest

import unveil
from unveil.cli import main
from unveil.examples import KEYS, TARGETS, survey, survey_synthetic, write_csv
from unveil.view.claims import points

ESCAPE = "\x1b"
CERTAIN = "Attribute disclosure by target variable"
WIDTH = "160"

ORIGINAL = "sex,age,ill\nM,31,yes\nF,42,no\nM,53,yes\nM,31,no\n"
COPY = "sex,age,ill\nM,31,no\nF,42,yes\nM,53,no\nF,31,yes\n"
OTHER = "sex,age,ill\nF,42,yes\nM,42,yes\nF,53,yes\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in {"o.csv": ORIGINAL, "s.csv": COPY, "c.csv": OTHER}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", WIDTH)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert err == ""
        return ended.value.code, out

    return run


@pytest.fixture(scope="module")
def example():
    return unveil.disclosure(survey(), survey_synthetic(), keys=KEYS, targets=TARGETS)


def plain(document):
    return json.loads(json.dumps(document))


def without_alerts(document):
    """The document less what the checks of the files say."""
    return {
        name: value
        for name, value in document.items()
        if name not in ("alerts", "not_tested", "assessment")
    }


def row_of(out, title, target):
    """The cells of one line of the table with this title."""
    table = out[out.index(title) :]
    line = next(line for line in table.split("\n") if line.startswith(f" {target} "))
    return re.split(r"\s{2,}", line.strip())


def closing(out):
    """The lines of the screen without the last, which names the options for more."""
    *rest, more = out.rstrip().split("\n")
    assert more.startswith("More: ")
    return rest


def shown(value):
    return f"{value:.1f} %" if value else "0 %"


def in_a_process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


# On the screen


def test_the_screen_shows_the_figures_that_python_gives(folder, run):
    parts = ("--words", "--details")
    code, out = run("disclosure", "o.csv", "s.csv", "--keys", "sex,age", *parts)
    result = unveil.disclosure("o.csv", "s.csv", keys=["sex", "age"])

    assert code == 0
    identity = result.identity[0]
    for symbol in ("UiO", "UiS", "UiOiS", "repU"):
        value = getattr(identity, symbol)
        count = f"{round(value * 4 / 100)}"
        assert re.search(rf" {count} +{re.escape(shown(value))}  {symbol}$", out, re.MULTILINE)
    row = result.attribute[0]
    wrong = row.DiS - row.DiSCO
    (claim,) = result.with_expected().record.claims
    assert row_of(out, CERTAIN, "ill")[1:] == [
        *("1", shown(row.DiSCO), shown(100 * claim.expected / 4)),
        f"{points(100 * claim.adds / 4)} ± {25 * (claim.high - claim.adds):.1f}",
        *(f"{round(wrong * 4 / 100)}", shown(wrong)),
        *(shown(row.Dorig), shown(row.baseCAPd), shown(row.removed)),
    ]
    guessed = row_of(out, "Random guess among matching records", "ill")
    guesses = [shown(row.DCAP), shown(row.baseCAPd), shown(row.CAPd)]
    assert guessed[1:] == [*guesses, f"{row.protection:.1f}"]
    assert f"for 1 of 4 people (DiSCO {shown(row.DiSCO)})" in " ".join(out.split())


def test_the_riskiest_target_stands_first(folder, run):
    _, out = run("disclosure", "o.csv", "s.csv", "--keys", "age")
    result = unveil.disclosure("o.csv", "s.csv", keys=["age"])
    risks = [row.DiSCO for row in result.attribute]
    assert risks == sorted(risks, reverse=True)
    certain = out[out.index(CERTAIN) :]
    places = [certain.index(f" {row.target} ") for row in result.attribute]
    assert places == sorted(places)


def test_targets_can_be_chosen(folder, run):
    _, out = run("disclosure", "o.csv", "s.csv", "-k", "sex", "-t", "ill", "--json")
    assert json.loads(out)["targets"] == ["ill"]


def test_words_flags_and_details_unfold_what_the_screen_has_not(folder, run):
    asked = ("disclosure", "o.csv", "s.csv", "-k", "sex", "--two-way", "0,0")
    brief = run(*asked)[1]
    heads = {"--words": "In words", "--flags": "Flags\n", "--details": "Details"}
    for part, head in heads.items():
        _, out = run(*asked, part)
        assert (head in out, head in brief) == (True, False), part
        assert (part in brief.splitlines()[-1], part in out.splitlines()[-1]) == (True, False)
    _, out = run(*asked, "--words")
    assert " ".join(out.split()).count("would be correctly disclosed for") == 2
    assert "More:" not in run(*asked, *heads)[1]


def test_synthetic_data_that_are_the_original_head_the_screen_with_an_alert(folder, run):
    code, out = run("disclosure", "o.csv", "o.csv", "-k", "sex")
    assert code == 0
    assert "■ Block  real-records" in out.lstrip().split("\n")[0]
    assert "4 of 4 people (100.0 %) have a unique record that reappears" in out
    assert closing(out)[-1] == "No limit set: this is not a verdict"


def test_with_a_limit_an_alert_decides_the_exit_code(folder, run):
    code, out = run(
        "disclosure", "o.csv", "o.csv", "-k", "sex", "-t", "ill", "--limit", "DiSCO=100"
    )
    assert code == 3
    assert "All figures with a limit are within it." in out
    assert "1 alert against a release." in out


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_the_alert_is_told_beside_the_document(folder, capfd, form):
    with pytest.raises(SystemExit) as ended:
        main(["disclosure", "o.csv", "o.csv", "-k", "sex", form])
    out, err = capfd.readouterr()
    assert ended.value.code == 0
    assert "unveil:" not in out
    assert err == (
        "unveil: block: 4 of 4 people (100.0 %) have a unique record that reappears in the"
        " synthetic data, equal in all 3 compared columns. 0 % would by chance.\n"
    )


def test_what_was_noticed_while_reading_is_told(folder, run):
    (folder / "semi.csv").write_text(COPY.replace(",", ";"))
    _, out = run("disclosure", "o.csv", "semi.csv", "-k", "sex")
    assert "synthetic: The columns are separated by semicolons, not by commas." in out


def test_a_word_for_missing_is_missing(folder, run):
    for name, content in (("o.csv", ORIGINAL), ("s.csv", COPY)):
        (folder / name).write_text(content.replace("53", "NA"))
    arguments = ("disclosure", "o.csv", "s.csv", "-k", "age", "--missing", "NA", "--json")
    _, out = run(*arguments)
    assert {note["kind"] for note in json.loads(out)["coercions"]} == {"missing_values"}
    expected = unveil.disclosure(
        "o.csv", "s.csv", keys=["age"], missing_values=["NA"], expected=True
    )
    assert without_alerts(json.loads(out)) == plain(expected.to_dict())


# Documents


def test_json_is_one_document_equal_to_what_python_gives(folder, run):
    code, out = run("disclosure", "o.csv", "s.csv", "--keys", "sex,age", "--json")
    assert code == 0
    assert without_alerts(json.loads(out)) == plain(
        unveil.disclosure("o.csv", "s.csv", keys=["sex", "age"], expected=True).to_dict()
    )


def test_json_tells_what_the_limits_said_and_changes_nothing_else(folder, run):
    limits = ("--limit", "DiSCO=10", "--limit", "repU=100")
    code, out = run("disclosure", "o.csv", "s.csv", "-k", "sex,age", "--json", *limits)
    document = json.loads(out)
    said = document.pop("limits")
    result = unveil.disclosure("o.csv", "s.csv", keys=["sex", "age"], expected=True)
    # A limit is held against every set of the keys, so these are counted too.
    assert [one["n_sets"] for one in document["key_sets"]] == [3, 3]
    assert without_alerts(document) == plain(result.with_key_sets().to_dict())
    assert [one["id"] for one in document["alerts"]] == ["limit:DiSCO:ill"]
    assert code == 3
    assert said == [
        {
            "measure": "DiSCO",
            "target": "ill",
            "copy": 1,
            "value": result.attribute[0].DiSCO,
            "limit": 10,
            "status": "above",
        },
        {
            "measure": "repU",
            "target": None,
            "copy": 1,
            "value": result.identity[0].repU,
            "limit": 100,
            "status": "within",
        },
    ]


@pytest.mark.slow
@pytest.mark.parametrize("copies", [["s.csv"], ["s.csv", "c.csv"]])
def test_csv_has_the_values_of_the_frame(folder, run, copies):
    code, out = run("disclosure", "o.csv", *copies, "-k", "sex", "--csv")
    assert code == 0
    frame = unveil.disclosure("o.csv", copies, keys=["sex"]).frame()
    read = list(csv.DictReader(io.StringIO(out)))
    assert list(read[0]) == frame.columns
    assert [as_numbers(row) for row in read] == frame.to_dicts()


def as_numbers(row):
    names = ("target", "copy", "exclude")
    return {
        field: text if field in names else float(text) if text else None
        for field, text in row.items()
    }


@pytest.mark.slow
def test_csv_is_read_by_polars(folder, run):
    _, out = run("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex", "--csv")
    read = pl.read_csv(io.StringIO(out))
    assert read["copy"].to_list() == ["1", "2", "mean", "pooled"] * 2


def test_csv_without_targets_has_the_identity_figures(folder, run):
    code, out = run("disclosure", "o.csv", "s.csv", "-k", "sex,age,ill", "--csv")
    assert code == 0
    read = list(csv.DictReader(io.StringIO(out)))
    assert [row["repU"] for row in read] == ["25.0"]


# Limits


def test_a_limit_exceeded_ends_with_3_and_says_by_how_much(folder, run):
    code, out = run("disclosure", "o.csv", "s.csv", "-k", "sex,age", "--limit", "DiSCO=10")
    assert code == 3
    assert "■ DiSCO of ill is 25.0 %, above the limit of 10 %." in closing(out)[-2:]
    assert row_of(out, CERTAIN, "ill")[-1] == "■ above limit"


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["25", "25.0", "99.9", "100"])
def test_a_figure_at_or_below_its_limit_ends_with_0(folder, run, limit):
    code, out = run("disclosure", "o.csv", "s.csv", "-k", "sex,age", "--limit", f"DiSCO={limit}")
    assert code == 0
    assert closing(out)[-1] == "● All figures with a limit are within it."


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--json", "--csv"])
@pytest.mark.parametrize(("limit", "code"), [("24.999", 3), ("25", 0)])
def test_documents_end_with_the_same_code(folder, run, form, limit, code):
    arguments = ("-k", "sex,age", "--limit", f"DiSCO={limit}", form)
    assert run("disclosure", "o.csv", "s.csv", *arguments)[0] == code


def test_every_limit_exceeded_is_told(folder, run):
    limits = ("--limit", "DiSCO=10", "--limit", "repU=0", "--limit", "UiS=100")
    code, out = run("disclosure", "o.csv", "s.csv", "-k", "sex,age", *limits)
    assert code == 3
    assert closing(out)[-3:-1] == [
        "■ DiSCO of ill is 25.0 %, above the limit of 10 %.",
        "■ repU is 50.0 %, above the limit of 0 %.",
    ]


def test_a_figure_that_cannot_be_measured_is_not_within_its_limit(folder, run):
    (folder / "crossed.csv").write_text("sex,age,ill\nF,31,no\nM,42,no\nF,53,no\n")
    code, out = run("disclosure", "o.csv", "crossed.csv", "-k", "sex,age", "--limit", "TCAP=100")
    assert code == 3
    said = "■ TCAP of ill could not be measured: its limit counts as exceeded."
    assert said in closing(out)[-2:]


@pytest.mark.slow
def test_a_harmless_copy_does_not_hide_a_harmful_one(folder, run):
    arguments = ("disclosure", "o.csv", "c.csv", "s.csv", "-k", "sex,age", "--limit", "DiSCO=24")
    code, out = run(*arguments, "--json")
    document = json.loads(out)
    disco = {row["copy"]: row["DiSCO"] for row in document["attribute"]}
    assert disco["mean"] < 24 < disco[2]
    assert [(v["copy"], v["status"]) for v in document["limits"]][:2] == [
        (1, "above" if disco[1] > 24 else "within"),
        (2, "above"),
    ]
    assert code == 3


# Copies


@pytest.mark.slow
def test_several_copies_are_shown_by_their_mean_and_how_far_it_reaches(folder, run):
    code, out = run("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex", "--words")
    result = unveil.disclosure("o.csv", ["s.csv", "c.csv"], keys=["sex"])
    assert code == 0
    text = " ".join(out.split())
    for row in result.mean.attribute:
        assert row_of(out, CERTAIN, row.target)[2] == shown(row.DiSCO)
    low, high = sorted(r.DiSCO for r in result.attribute if r.target == "ill" and r.copy in (1, 2))
    reach = f"DiSCO ranges from {shown(low)} to {shown(high)}."
    assert f"Figures are means over 2 copies; {reach}" in text


@pytest.mark.slow
def test_several_copies_have_a_row_each_their_mean_and_all_pooled(folder, run):
    _, out = run("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex", "--json")
    document = json.loads(out)
    assert document["n_synthetic"] == [4, 3]
    assert [row["copy"] for row in document["identity"]] == [1, 2, "mean", "pooled"]
    expected = unveil.disclosure("o.csv", ["s.csv", "c.csv"], keys=["sex"], expected=True)
    assert without_alerts(document) == plain(expected.to_dict())


# The demo


@pytest.mark.slow
def test_the_demo_shows_the_figures_of_the_example(run, example):
    code, out = run("demo")
    assert code == 0
    assert "(5,000 people)" in out
    for row in example.attribute:
        n_correct, n_wrong = round(row.DiSCO * 50), round((row.DiS - row.DiSCO) * 50)
        (line,) = [line.split() for line in out.splitlines() if line.startswith(f" {row.target} ")]
        assert line[1:3] == [f"{n_correct:,}", f"{row.DiSCO:.1f}"]
        assert line[-1] == f"{n_wrong:,}"
    (identity,) = example.identity
    assert f"in the original ({shown(identity.UiO)})" in out
    assert f"(repU {shown(identity.repU)})" in out
    assert "Next: unveil assess ORIGINAL SYNTHETIC --keys sex,age,region,settlement" in out


@pytest.mark.slow
def test_the_command_that_the_demo_prints_gives_the_same_figures(run, tmp_path, example):
    target = tmp_path / "new" / "folder"
    code, out = run("demo", "--files", target)
    assert code == 0
    assert sorted(path.name for path in target.iterdir()) == [
        "survey.csv",
        "survey_synthetic.csv",
    ]
    command = out.partition("Next: ")[2].partition("More:")[0].replace("\\\n", " ").strip()
    program, *arguments = shlex.split(command)
    assert program == "unveil"
    code, out = run(*arguments, "--json")
    assert code == 0
    summary = json.loads(out)["summary"]
    correct = {row["target"]: row["correct"] for row in summary["targets"]}
    assert correct == {row.target: round(row.DiSCO * 50) for row in example.attribute}
    assert summary["identity"]["replicated"] == round(example.identity[0].repU * 50)


# Help, version, colours, start


@pytest.mark.parametrize(
    ("arguments", "example"),
    [
        (["--help"], "unveil demo"),
        (["-h"], "unveil disclosure --help"),
        (
            ["disclosure", "--help"],
            "unveil disclosure survey.csv synthetic.csv --keys sex,age,region --limit DiSCO=10",
        ),
        (["demo", "--help"], "Usage: unveil demo"),
    ],
)
def test_help_ends_with_0_and_shows_an_example(run, arguments, example):
    code, out = run(*arguments)
    assert code == 0
    assert example in " ".join(out.split())
    assert "\\b" not in out


def test_help_explains_the_exit_codes(run):
    _, out = run("disclosure", "--help")
    text = " ".join(out.split())
    assert (
        "Exit codes: 0 within limits, 1 internal error, 2 wrong use or bad input, 3 a limit" in text
    )


def test_the_version_is_the_packages(run):
    assert run("--version") == (0, f"unveil, version {unveil.__version__}\n")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("demo",), ("--help",), ("disclosure", "--help")])
def test_output_that_is_not_for_a_terminal_has_no_escape_codes(run, arguments):
    assert ESCAPE not in run(*arguments)[1]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_documents_are_plain_even_where_colours_are_forced(folder, monkeypatch, capfd, form):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(SystemExit):
        main(["disclosure", "o.csv", "s.csv", "-k", "sex", form])
    assert ESCAPE not in capfd.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}])
def test_a_process_that_writes_to_a_pipe_writes_no_escape_codes(environment):
    ended = in_a_process("-m", "unveil", "demo", **environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ESCAPE not in ended.stdout
    assert "44.4 %" in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("no_color", [True, False])
def test_a_terminal_without_colours_gets_none(no_color):
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    settings = {"TERM": "xterm-256color", "COLUMNS": WIDTH}
    out = on_a_terminal(pty, settings | ({"NO_COLOR": "1"} if no_color else {}))
    codes = {
        int(part)
        for code in re.findall(r"\x1b\[([0-9;]*)m", out)
        for part in code.split(";")
        if part
    }
    colours = codes & {*range(30, 50), *range(90, 108)}
    assert bool(colours) != no_color
    assert "44.4 %" in out


def on_a_terminal(pty, environment):
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "unveil", "demo"]
    with subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=inner, env={**os.environ, **environment}
    ) as process:
        os.close(inner)
        out = b""
        while chunk := read_or_end(outer):
            out += chunk
        os.close(outer)
    assert process.returncode == 0
    return out.decode()


def read_or_end(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


@pytest.mark.slow
def test_asking_for_help_imports_no_heavy_library():
    script = (
        "import sys\n"
        "from unveil.cli import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit as ended:\n"
        "    assert ended.code == 0\n"
        "heavy = 'scipy sklearn altair pandas pyarrow matplotlib duckdb'.split()\n"
        "print(sorted(set(heavy) & set(sys.modules)), file=sys.stderr)\n"
    )
    ended = in_a_process("-c", script)
    assert (ended.returncode, ended.stderr) == (0, "[]\n")


@pytest.mark.slow
@pytest.mark.parametrize("width", [50, 60, 66, 70, 80, 100, 120])
@pytest.mark.parametrize("n_copies", [1, 2])
def test_no_width_hides_a_target_or_its_verdict(tmp_path, run, monkeypatch, width, n_copies):
    original, copy = write_csv(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    limits = ("--limit", "DiSCO=10")
    copies = [str(copy)] * n_copies
    _, out = run("disclosure", str(original), *copies, "-k", ",".join(KEYS), *limits)
    table = out[out.index("Attribute disclosure") : out.index("correctly, wrongly:")]
    assert all(target in table for target in TARGETS)
    assert table.count("above limit") + table.count("within") == len(TARGETS)
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_tolerance_weights_and_another_chart(folder, run, capfd):
    (folder / "o.csv").write_text("k,x,w\na,10,2\na,12,1\nb,5,3\nc,7,4\n")
    (folder / "s.csv").write_text("k,x\na,11\nb,9\nc,7\n")
    asked = ("disclosure", "o.csv", "s.csv", "-k", "k", "--tolerance", "x=1", "--weights", "w")
    code, out = run(*asked, "--json")
    record = json.loads(out)
    assert (code, record["targets"]) == (0, ["x"])
    # c is equal; both a are within 1 of 11; b is 4 away.
    (near,) = record["tolerance"]
    assert (near["n_determined"], near["n_correct"], near["DiSCO"]) == (4, 3, 75.0)
    (row,) = [one for one in record["weighted"]["rows"] if one["measure"] == "DiSCO"]
    assert (row["weight"], row["percent"]) == (4.0, 40.0)
    code, out = run(*asked)
    assert "Numbers within a tolerance" in out
    assert "With w as weights: the same records, 10 people in all" in out
    for ending in ("png", "pdf"):
        with pytest.raises(SystemExit) as ended:
            main([*asked, "--chart-of", "guesses", "--chart", f"guesses.{ending}", "--json"])
        assert ended.value.code == 0
        assert (folder / f"guesses.{ending}").stat().st_size > 1000
    capfd.readouterr()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--tolerance", "x=-1"), "tolerance of 'x'"),
        (("--tolerance", "k=1"), "not a target"),
        (("--tolerance", "x"), "cannot be read"),
        (("--weights", "v"), "no column 'v'"),
        (("--weights", "k"), "has the weights"),
        (("--chart-of", "guesses"), "Give --chart FILE"),
    ],
)
def test_bad_tolerances_and_weights_end_with_code_2(folder, capfd, more, says):
    (folder / "o.csv").write_text("k,x,w\na,10,2\n")
    with pytest.raises(SystemExit) as ended:
        main(["disclosure", "o.csv", "o.csv", "-k", "k", "-t", "x", *more])
    assert ended.value.code == 2
    assert says in " ".join(capfd.readouterr().err.split())

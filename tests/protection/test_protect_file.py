"""Project files: what is read of them, and every fault with its line."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from profiles import examples
from unveil.errors import InputError, ReadError
from unveil.project.protect import protect, protect_project
from unveil.project.read_project import read_project
from unveil.project.toml import Lines
from unveil.study.scenario import no_progress

N_ROWS = 120
MANY = "n" * 400
DATA = '[data]\noriginal = "people.csv"\n'


def people():
    rng = np.random.default_rng(3)
    age = np.clip(rng.normal(45, 17, N_ROWS).round(1), 16, 99)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], N_ROWS),
            "age": age,
            "double": 2 * age,
            "height": rng.normal(170, 9, N_ROWS).round(2),
            "empty": pl.Series([None] * N_ROWS, dtype=pl.Float64),
        }
    )


@pytest.fixture
def folder(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    return tmp_path


def steps(*tables):
    """A project file with a step from each mapping."""
    lines = [DATA]
    for table in tables:
        lines += ["[[protect.step]]", *(f"{name} = {text}" for name, text in table.items()), ""]
    return "\n".join(lines)


def project(folder, text):
    path = folder / "project.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_project_file_says_what_the_call_says(folder):
    text = """
schema = 1
[data]
original = "people.csv"  # beside the project file
special_codes = {height = [-8]}
[context]
audience = "closed"
four_eyes = true
[roles]
key = ["sex", "age"]
target = ["height"]
ignore = ["empty"]
[limits]
repU = [5, 10]
[synthesis]
min_leaf = 12
rows = 90
[[protect.step]]
do = "drop"
column = "empty"
[[protect.step]]
do = "synthesise"
[[protect.step]]
do = "distance_filter"
columns = ["age", "height"]
metric = "gower"
max_rounds = 30
[[protect.step]]
do = "add_noise"
column = "height"
population = {name = "normal", mean = 170, sd = 9}
N = 60000
threshold = 0.2
round = 2
"""
    read = protect(project(folder, text), seed=2)
    said = protect(
        folder / "people.csv",
        steps=[
            {"do": "drop", "column": "empty"},
            {"do": "synthesise"},
            {
                **{"do": "distance_filter", "columns": ["age", "height"]},
                **{"metric": "gower", "max_rounds": 30},
            },
            {
                **{"do": "add_noise", "column": "height", "population": "normal(170, 9)"},
                **{"N": 60000, "threshold": 0.2, "round": 2},
            },
        ],
        synthesis={"min_leaf": 12},
        rows=90,
        seed=2,
        audience="closed",
        keys=["sex", "age"],
        targets=["height"],
        special_codes={"height": [-8]},
    )
    assert read.record == said.record
    assert_frame_equal(read.s3, said.s3)
    assert read.s3.height == 90
    assert read.record.refill.max_rounds == 30


def test_what_the_call_gives_besides_wins_over_the_file(folder):
    text = steps({"do": '"synthesise"'}) + '[synthesis]\nrows = 50\n[context]\naudience = "open"\n'
    made = protect(project(folder, text), rows=40, audience="closed", seed=1)
    assert made.s3.height == 40
    assert made.record.synthesis.min_leaf == 33


def test_keys_come_from_the_first_scenario_where_no_roles_are_given(folder):
    text = steps({"do": '"synthesise"'})
    text += '[[scenario]]\nname = "neighbour"\nkeys = ["sex"]\ntargets = "all"\n'
    made = protect(project(folder, text), seed=1)
    assert made.record.keys == ("sex",)
    assert made.record.targets == ()


FAULTS = [
    (
        DATA + 'synthetik = ["a.csv"]\n\n[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 3: [data] has no setting 'synthetik'. Did you mean 'synthetic'? Its"
        " settings are: original, synthetic, control, special_codes, missing_values, types,"
        " labels, sampling_fraction, utility_sample.",
    ),
    (
        DATA + '[[protect.step]]\ndo = "synthesise"\n[syntesis]\nmin_leaf = 5',
        "project.toml, line 5: there is no section 'syntesis'. Did you mean 'synthesis'? The"
        " sections are: schema, title, data, context, roles, scenario, exclude, limits, ruling,"
        " exceptions, published, synthesis, protect, recognition, finding, table,"
        " publication, pack, engine.",
    ),
    (
        DATA + "[synthesis]\nmin_leaf = 'five'\n" + '[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 4: synthesis: min_leaf is 'five'. It must"
        " be a whole number from 1 to 100,000,000.",
    ),
    (
        steps({"do": '"synthesise"'}, {"do": '"distance_filter"', "metrik": '"gower"'}),
        "project.toml, line 9: Step 2 (distance_filter): there is no setting 'metrik'. Did you mean"
        " 'metric'? Its settings are: columns, metric, rule, ties, missing, protect_columns, drop,"
        " special_codes, max_rounds, repair.",
    ),
    (
        steps({"do": '"top_code"', "column": '"age"', "at": '"high"'}),
        "project.toml, line 7: Step 1 (top_code): at is 'high'. Write a number, such as 80.",
    ),
    (
        steps({"do": '"add_noise"', "column": '"age"', "sigma": "1"}, {"do": '"synthesise"'}),
        "project.toml, line 4: Step 1 (add_noise): it is done to the synthetic data, but nothing is"
        " synthesised by then. Put it behind the step synthesise, which is step 2.",
    ),
    (
        'schema = 2\n[data]\noriginal = "people.csv"\n[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 1: schema is 2. This version reads schema 1.",
    ),
    (
        '[data]\noriginal = "poeple.csv"\n[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 2: there is no file 'poeple.csv'. Paths start at the folder of the"
        " project file.",
    ),
    (
        DATA,
        "project.toml: there is no [[protect.step]]. Begin each step with it, then state what to"
        ' do: do = "synthesise".',
    ),
    (
        '[[protect.step]]\ndo = "synthesise"',
        "project.toml: there is no [data]. Name the original there: [data] and below it original ="
        ' "a.csv".',
    ),
    (
        DATA + '[context]\naudience = "everyone"\n[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 4: audience is 'everyone'. It must be one of: closed, registered,"
        " open.",
    ),
    (
        DATA + '[roles]\nkey = "sex"\n[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 4: key of [roles] must be a list of names of columns.",
    ),
    (
        DATA + '[protect]\nseed = 3\n[[protect.step]]\ndo = "synthesise"',
        "project.toml, line 4: [protect] has no setting 'seed'. Its settings are: step.",
    ),
    (
        "synthesis = 5\n" + steps({"do": '"synthesise"'}),
        'project.toml, line 1: synthesis is 5. It must be a mapping, such as {"min_leaf": 50}.',
    ),
    (
        f'[data]\noriginal = "{MANY}"\n[[protect.step]]\ndo = "synthesise"',
        f"project.toml, line 2: there is no file '{MANY[:119]}…'. Paths start at the folder of the"
        " project file.",
    ),
    (
        steps({"do": '"synthesise"'}) + '[[scenario]]\nname = "n"\nkeys = 5\n',
        "project.toml, line 8: keys of [[scenario]] must be a list of names of columns.",
    ),
    (
        "scenario = 4\n" + steps({"do": '"synthesise"'}),
        "project.toml, line 1: Write each scenario as a table that begins with [[scenario]].",
    ),
    (
        steps({"do": '"synthesise"'}) + '[roles]\nkey = ["sex"]\ntarget = ["age", "sex"]\n',
        "project.toml, line 8: 'sex' cannot be key and target: a column has one role here. What is"
        " a key in one scenario and a target in another is declared there.",
    ),
    (
        steps({"do": '"synthesise"'}) + '[roles]\nkey = ["sex", "sex"]\n',
        "project.toml, line 7: Column 'sex' is given twice among the key columns. Name it once.",
    ),
    (
        steps({"do": '"synthesise"'}) + '[[scenario]]\nname = "n"\nkeys = ["sx"]\n',
        "project.toml, line 8: Keys: The original (people.csv) has no column 'sx'. Did you mean"
        " 'sex'? Its columns are: sex, age, double, height, empty.",
    ),
    (
        steps({"do": '"synthesise"'}) + '[synthesis]\nmin_leaf = 9\nkeep = "zz"\n',
        "project.toml, line 8: synthesis: keep: The original (people.csv) has no column 'zz'. Its"
        " columns are: sex, age, double, height, empty.",
    ),
    (
        steps({"do": '"synthesise"'})
        + '[roles]\nidentifier = ["sex"]\n[synthesis]\norder = ["age", "sex"]\n',
        "project.toml, line 9: synthesis: order names 'sex', which has the role identifier and is"
        " excluded. Remove it there, or state what to do with it: renumber or real_values.",
    ),
    (
        steps({"do": '"synthesise"'}) + '[synthesis]\nreal_values = {sex = ""}\n',
        "project.toml, line 7: synthesis: The reason for real values of 'sex' is ''. State why they"
        ' may be repeated, such as {"ward": "numbers of wards, not of people"}.',
    ),
    (
        steps({"do": '"synthesise"'}) + '[synthesis]\nrenumber = ["sex"]\n',
        "project.toml, line 6: The synthesis: renumber cannot be done here: rows are filtered and"
        " drawn again, so running numbers would have gaps. Drop the columns instead.",
    ),
    (
        steps({"do": '"synthesise"'}) + "[synthesis]\nmin_leaf = 121\n",
        "project.toml, line 7: synthesis: min_leaf is 121, but the original has 120 rows. Choose a"
        " smaller min_leaf, or release nothing of so few people.",
    ),
    (
        steps({"do": '"add_noise"', "column": '"age"', "sigma": "1", "clip": "[90, 15]"}),
        "project.toml, line 8: Step 1 (add_noise): clip goes from 90 to 15. Give the lowest value"
        " first: [15, 90].",
    ),
    (
        steps({"do": '"add_noise"', "column": '"age"', "sigma": "1"})
        + '[synthesis]\nrules = ["if age > 990 then sex = f"]\n',
        "project.toml, line 8: The synthesis: The rule 'if age > 990 then sex = f' needs age before"
        " 'sex'. Change the order.",
    ),
    # What issue 8 lists: singular data, an all-missing column, a population that gives the values
    # probability zero, a threshold below the limit, N < n, noise on a text column.
    (
        steps(
            {"do": '"synthesise"'},
            {
                **{"do": '"distance_filter"', "columns": '["age", "double"]'},
                **{"drop": '"refuse"'},
            },
        ),
        "project.toml, line 7: Step 2 (distance_filter): Column 'double' is an exact combination"
        " of others, above all by age.\nOmit these columns, or have them dropped with"
        " drop='auto'.",
    ),
    (
        steps(
            {"do": '"synthesise"'},
            {"do": '"add_noise"', "column": '"empty"', "population": '"normal(0, 1)"', "N": "500"},
        ),
        "project.toml, line 7: Step 2 (add_noise):"
        " The original (people.csv): column 'empty' holds no"
        " numbers, so that noise cannot be added to it. Name a column of numbers, or recode the"
        " column instead.",
    ),
    (
        steps(
            {
                **{"do": '"add_noise"', "column": '"age"'},
                **{"population": '"lognormal(0, 1, 50)"', "N": "60000"},
            }
        ),
        "project.toml, line 4: Step 1 (add_noise):"
        " The population lognormal(0, 1, 50) gives 74 of 120"
        " values probability zero, the first at place 1 (from 0). Give a population in which they"
        " occur, one with heavier tails, or top-code them first.",
    ),
    (
        steps(
            {
                **{"do": '"add_noise"', "column": '"age"', "population": '"normal(45, 17)"'},
                **{"N": "300", "threshold": "0.1"},
            }
        ),
        "project.toml, line 4: Step 1 (add_noise):"
        " A threshold of 0.1 cannot be attained by any noise:"
        " whatever is released, anybody of the population was sampled with probability 0.4. Give"
        " a threshold above that.",
    ),
    (
        steps(
            {"do": '"add_noise"', "column": '"age"', "population": '"normal(45, 17)"', "N": "99"}
        ),
        "project.toml, line 4: Step 1 (add_noise): N is 99 and n is 120. The population (N) cannot"
        " be smaller than the sample drawn from it (n).",
    ),
    (
        steps(
            {
                **{"do": '"add_noise"', "column": '"age"', "population": '"normal(45, 17)"'},
                **{"N": "99", "n": "120"},
            }
        ),
        "project.toml, line 8: Step 1 (add_noise): N is 99 and n is 120. The population (N) cannot"
        " be smaller than the sample drawn from it (n).",
    ),
    (
        steps({"do": '"add_noise"', "column": '"sex"', "sigma": "1"}),
        "project.toml, line 4: Step 1 (add_noise): The original (people.csv): column 'sex' holds no"
        " numbers, so that noise cannot be added to it. Name a column of numbers, or recode the"
        " column instead.",
    ),
    (
        steps({"do": '"top_code"', "column": '"sex"', "at": "80"}, {"do": '"synthesise"'}),
        "project.toml, line 4: Step 1 (top_code):"
        " column 'sex' holds text, not numbers. Take the step"
        " out, or name another column.",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), FAULTS)
def test_a_fault_is_told_with_its_line(folder, text, sentence):
    with pytest.raises(InputError) as refusal:
        protect(project(folder, text))
    assert str(refusal.value) == sentence
    assert refusal.value.exit_code == 2


def test_all_faults_of_a_file_are_told_at_once_in_the_order_of_their_lines(folder):
    text = """[data]
original = "people.csv"
labls = "a.json"

[[protect.step]]
do = "top_code"
column = "age"
# the limit
"att" = 80

[[protect.step]]
do = "synthesise"

[[protect.step]]
do = "distance_filter"
columns = [
  "age",
]
rule = "strickt"
ties = "every"

[synthesis]
min_leaf = 0
"""
    with pytest.raises(InputError) as refusal:
        protect(project(folder, text))
    told = [line.partition(": ")[0] for line in str(refusal.value).split("\n")]
    assert told == [f"project.toml, line {n}" for n in (3, 9, 19, 20, 23)]


def lines_told(folder, text, **settings):
    """The place and the sentence of every fault of a project file."""
    with pytest.raises(InputError) as refusal:
        protect(project(folder, text), **settings)
    parts = [line.split(": ", maxsplit=1) for line in str(refusal.value).split("\n")]
    return [(int(place.removeprefix("project.toml, line ")), rest) for place, rest in parts]


def test_all_that_is_said_of_the_synthesis_is_checked_before_data_are_read(folder):
    text = """[synthesis]
method = "cort"
order = 5
predictors = 3
keep = 4
rules = ["if", 4]
derived = {bmi = 3}
strata = 4
workers = 0
seed = -1
missing_values = [5]
special_codes = 4
spikes = {age = ["x"]}
rows = 0
[[protect.step]]
do = "nothing"
[[protect.step]]
do = "add_noise"
sigma = -3
round = "x"
[[protect.step]]
do = "drop"
column = "sex"
[data]
original = "people.csv"
special_codes = {age = ["x"], height = [-8]}
"""
    told = lines_told(folder, text)
    lines = [*range(2, 7), *range(6, 15), 16, 17, 19, 20, 21, 26]
    assert [line for line, _ in told] == lines
    assert dict(told)[2] == (
        "synthesis: method is 'cort'. Did you mean 'cart'? It must be one of: cart, parametric,"
        " sample."
    )
    assert dict(told)[21] == (
        "Step 3 (drop): recodings are done to the original, before it is synthesised. Put it before"
        " the step add_noise, which is step 2."
    )
    assert dict(told)[26].startswith("A special code of column 'age' is 'x'")


@pytest.mark.parametrize("given", ["5", "[5]"])
def test_missing_values_that_are_no_text_are_refused(folder, given):
    text = steps({"do": '"synthesise"'}) + f"[synthesis]\nmissing_values = {given}\n"
    ((line, sentence),) = lines_told(folder, text)
    assert line == 7
    assert sentence.startswith("synthesis: missing_values is ")


def test_sections_that_are_no_tables_are_told_together(folder):
    text = "data = [1]\nsynthesis = [1]\nroles = 3\ncontext = [2]\nprotect = 5\n"
    assert [line for line, _ in lines_told(folder, text)] == [1, 2, 3, 4, 5]


def test_all_that_the_data_show_is_told_together_before_anything_is_fitted(folder, monkeypatch):
    monkeypatch.setattr("unveil.protection.steps.synthesise", None)
    text = steps(
        {"do": '"top_code"', "column": '"agee"', "at": "3"},
        {"do": '"top_code"', "column": '"sex"', "at": "3"},
        {"do": '"drop"', "column": '"double"'},
        {"do": '"add_noise"', "column": '"hight"', "sigma": "1"},
        {"do": '"add_noise"', "column": '"sex"', "sigma": "1"},
        {"do": '"add_noise"', "column": '"double"', "sigma": "1"},
    )
    text += '[roles]\nkey = [\n"sx", "agee"]\ntarget = ["hight"]\n[synthesis]\nstrata = "sx"\n'
    text += "[data.special_codes]\nage = [-8]\nagee = [-8]\n"
    told = lines_told(folder, text)
    assert [line for line, _ in told] == [4, 9, 20, 23, 30, 33, 33, 35, 37, 40]
    sentences = [sentence for _, sentence in told]
    assert sentences[0].startswith("Step 1 (top_code): the dataset has no column 'agee'.")
    assert sentences[2].startswith("Step 4 (add_noise): The original (people.csv) has no column")
    assert sentences[3].startswith("Step 5 (add_noise): The original (people.csv): column 'sex'")
    assert sentences[4] == (
        "Step 6 (add_noise): column 'double' was dropped by step 3. Take one of them out."
    )
    assert [one.partition(":")[0] for one in sentences[5:]] == [
        *("Keys", "Keys", "Targets", "synthesis", "Special codes")
    ]


def test_what_the_call_gives_besides_has_no_line_in_the_file(folder):
    text = steps({"do": '"synthesise"'}) + '[roles]\nkey = ["sex"]\n'
    with pytest.raises(InputError) as refusal:
        protect(project(folder, text), keys=["sx"])
    assert str(refusal.value).startswith("Keys: The original (people.csv) has no column 'sx'.")


def test_a_file_with_a_byte_order_mark_is_read_and_its_lines_are_found(folder):
    text = "\ufeff" + steps({"do": '"synthesise"'})
    assert read_project(project(folder, text)).plan.steps[0].do == "synthesise"
    assert lines_told(folder, text + "[roles]\nkey = 3\n")[0][0] == 7


def test_missing_values_and_a_title_are_known(folder):
    people().with_columns(sex=pl.lit("NA")).write_csv(folder / "people.csv")
    text = 'title = "Ours"\n' + steps({"do": '"drop"', "column": '"empty"'})
    text = text.replace(DATA, DATA + 'missing_values = ["NA"]\n')
    made = protect(project(folder, text), seed=1)
    assert made.recoded["sex"].null_count() == N_ROWS
    kept = protect(project(folder, text.replace('["NA"]', "[]")), seed=1)
    assert kept.recoded["sex"].null_count() == 0


def test_types_are_said_to_be_unused(folder):
    text = steps({"do": '"synthesise"'}) + '[data.types]\nage = "text"\n'
    made = protect(project(folder, text), seed=1)
    assert made.record.warnings[0] == (
        "[data] types is not used here: the columns have the types with which they were read. Where"
        " one should be text or a number, change the file, or recode the column."
    )


def test_a_file_that_is_none_is_refused_in_a_sentence(folder):
    for content, sentence in (
        (b"[data\n", "The file 'project.toml' is not valid TOML: "),
        (b"\xff\xfe", "The file 'project.toml' is not UTF-8 text."),
        (b"a = " + b"[" * 100_000, "The file 'project.toml' "),
        (b"#" * 1_000_001, "The file 'project.toml' is too large for a project file."),
    ):
        (folder / "project.toml").write_bytes(content)
        with pytest.raises(ReadError) as refusal:
            protect(folder / "project.toml")
        assert str(refusal.value).startswith(sentence)
    with pytest.raises(ReadError, match="There is no file or folder"):
        protect(folder / "absent.toml")


def test_a_project_that_was_read_is_protected_without_its_file(folder):
    path = project(folder, steps({"do": '"synthesise"'}))
    read = read_project(path)
    path.unlink()
    assert protect_project(read, {"seed": 1}, no_progress).s3.height == N_ROWS


def test_steps_beside_a_project_file_are_refused(folder):
    path = project(folder, steps({"do": '"synthesise"'}))
    with pytest.raises(InputError, match="The project file declares the steps and the synthesis"):
        protect(path, steps=[])


VALUES = ["1", '"a # b"', "[1, 2]", "[\n  1,\n  # two\n  2,\n]", '"""a\n[b]\nc = 1"""', "{x = 1}"]
NAMES = ["a", '"b c"', "d.e", "'[x]'"]


@st.composite
def documents(draw):
    """The lines of a TOML file, and by path the line in which it begins."""
    lines, places = [], {}
    for table in range(draw(st.integers(0, 4))):
        lines += draw(st.lists(st.sampled_from(["", "# a = 1", "   "]), max_size=2))
        lines.append("[[t.s]]")
        places["t", "s", table] = len(lines)
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
            lines += draw(st.lists(st.sampled_from(["", "# [t]"]), max_size=2))
            key = [part.strip("'\"") for part in name.split(".")]
            places["t", "s", table, *key] = len(lines) + 1
            lines += f"{name} = {draw(st.sampled_from(VALUES))}".split("\n")
    return lines, places


@examples(60)
@given(documents(), st.sampled_from(["\n", "\r\n"]))
def test_everything_is_found_in_the_line_in_which_it_begins(document, newline):
    lines, places = document
    found = Lines(newline.join(lines))
    assert {path: found.of(*path) for path in places} == places
    assert found.of("t", "s", 99) is None
    assert found.of("nothing") is None

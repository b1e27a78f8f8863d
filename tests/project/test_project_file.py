"""Project files: every fault in a sentence with its line, and what a whole file says."""

from pathlib import Path

import pytest

from unveil.errors import InputError, ReadError, RolesError, SettingsError
from unveil.project.model import Answer, PublishedEntry, limits_mark
from unveil.project.proposals import TEMPLATES
from unveil.project.read_files import DATA as DATA_SETTINGS
from unveil.project.read_files import TABLE, TYPES
from unveil.project.read_people import CONTEXT, EXCEPTION, EXCLUDE, RULING
from unveil.project.read_project import (
    MEASURES,
    ROLES,
    SECTIONS,
    TEMPLATE_NAMES,
    find_project,
    project_from,
    read_project,
)
from unveil.project.read_project import SCENARIO as SCENARIO_SETTINGS
from unveil.project.sources import check_data_faults
from unveil.records.exclusions import Exclusion

DATA = '[data]\noriginal = "people.csv"\n'
SCENARIO = '[[scenario]]\nname = "neighbour"\nkeys = ["sex", "age"]\n'
WHO = 'reason = "known"\nby = "Ann"\n'
COLUMNS = ("sex", "age", "region", "income", "health", "id", "w")


@pytest.fixture
def folder(tmp_path):
    for name in ("people.csv", "copy.csv", "census.csv", "book.xlsx"):
        (tmp_path / name).write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    return tmp_path


def project(folder, text):
    path = folder / "project.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def refused(folder, text):
    with pytest.raises(InputError) as refusal:
        read_project(project(folder, text))
    assert refusal.value.exit_code == 2
    return str(refusal.value)


FAULTS = [
    (
        DATA + "[scenarios]\n",
        "project.toml, line 3: there is no section 'scenarios'. Did you mean 'scenario'? The"
        " sections are: schema, title, data, context, roles, scenario, exclude, limits,"
        " ruling, exceptions, published, synthesis, protect, recognition, finding, table,"
        " publication, pack, engine.",
    ),
    (
        DATA + "synthetik = []\n",
        "project.toml, line 3: [data] has no setting 'synthetik'. Did you mean 'synthetic'?"
        " Its settings are: original, synthetic, control, special_codes, missing_values,"
        " types, labels, sampling_fraction, utility_sample.",
    ),
    (
        "data = 3\n",
        "project.toml, line 1: there is no [data]. Name the original there: [data] and below"
        ' it original = "a.csv".',
    ),
    (
        'title = "x"\n',
        "project.toml: there is no [data]. Name the original there: [data] and below it"
        ' original = "a.csv".',
    ),
    (
        DATA + 'title = "x"\n',
        "project.toml, line 3: [data] has no setting 'title'. Its settings are: original,"
        " synthetic, control, special_codes, missing_values, types, labels, sampling_fraction,"
        " utility_sample.",
    ),
    (
        "[data]\nsynthetic = []\n",
        'project.toml, line 1: [data] has no original. Name the file: original = "a.csv".',
    ),
    (
        "[data]\noriginal = 5\n",
        "project.toml, line 2: original is 5. Name a file, as text.",
    ),
    (
        '[data]\noriginal = "poeple.csv"\n',
        "project.toml, line 2: there is no file 'poeple.csv'. Paths start at the folder of"
        " the project file.",
    ),
    (
        DATA + 'synthetic = "copy.csv"\n',
        'project.toml, line 3: synthetic must be a list of files: synthetic = ["copy.csv"].',
    ),
    (
        DATA + 'synthetic = ["copy.csv", "./copy.csv"]\n',
        "project.toml, line 3: the synthetic file './copy.csv' is named twice. Name each file"
        " once.",
    ),
    (
        DATA + 'synthetic = ["people.csv"]\n',
        "project.toml, line 3: the original 'people.csv' is also named as a synthetic file. Remove"
        " it.",
    ),
    (
        DATA + 'synthetic = ["none.csv"]\n',
        "project.toml, line 3: there is no file 'none.csv'. Paths start at the folder of the"
        " project file.",
    ),
    (
        DATA + 'control = "people.csv"\n',
        "project.toml, line 3: control is 'people.csv', which is the original too. The"
        " control holds people who were not used to make the synthetic data.",
    ),
    (
        DATA + 'synthetic = ["copy.csv"]\ncontrol = "copy.csv"\n',
        "project.toml, line 4: control is 'copy.csv', which is a synthetic file too. The"
        " control holds people who were not used to make the synthetic data.",
    ),
    (
        DATA + 'control = "none.csv"\n',
        "project.toml, line 3: there is no file 'none.csv'. Paths start at the folder of the"
        " project file.",
    ),
    (
        DATA + 'labels = "none.json"\n',
        "project.toml, line 3: there is no file 'none.json'. Paths start at the folder of"
        " the project file.",
    ),
    (
        DATA + "special_codes = [-8]\n",
        "project.toml, line 3: special_codes is of type list. Write it by column: {income = [-8]}.",
    ),
    (
        DATA + 'special_codes = {age = ["x"]}\n',
        "project.toml, line 3: A special code of column 'age' is 'x', which is not a number."
        " Write numbers such as -8, -9.",
    ),
    (
        DATA + 'types = {age = "integr"}\n',
        "project.toml, line 3: the type of 'age' is 'integr'. Did you mean 'integer'? It"
        " must be one of: integer, number, text, date.",
    ),
    (
        DATA + 'types = "text"\n',
        "project.toml, line 3: types is 'text'. Write it by column: {age = \"integer\"}.",
    ),
    (
        DATA + "missing_values = [9]\n",
        'project.toml, line 3: missing_values must be texts, such as ["NA", "-9"].',
    ),
    (
        "schema = 2\n[dta]\n",
        "project.toml, line 1: schema is 2. This version reads schema 1.",
    ),
    (
        'schema = "one"\n' + DATA,
        "project.toml, line 1: schema is 'one'. This version reads schema 1.",
    ),
    (
        'title = ""\n' + DATA,
        "project.toml, line 1: title is ''. Write a text, or omit it.",
    ),
    (
        "context = 1\n" + DATA,
        "project.toml, line 1: [context] must be a table.",
    ),
    (
        DATA + '[context]\naudience = "everyone"\n',
        "project.toml, line 4: audience is 'everyone'. It must be one of: closed,"
        " registered, open.",
    ),
    (
        DATA + '[context]\nfour_eyes = "yes"\n',
        "project.toml, line 4: four_eyes is 'yes'. Write true or false, without quotes.",
    ),
    (
        DATA + '[context]\nanalyst = ""\n',
        "project.toml, line 4: analyst is ''. Write a name: analyst = \"Name, role\".",
    ),
    (
        DATA + '[context]\naudiense = "open"\n',
        "project.toml, line 4: [context] has no setting 'audiense'. Did you mean 'audience'?"
        " Its settings are: audience, four_eyes, analyst, release_context, taken_for_real,"
        " other_sources, intruder_knowledge, method_released.",
    ),
    (
        DATA + '[context.relase_context]\nanswer = "x"\nby = "Ann"\n',
        "project.toml, line 3: [context] has no setting 'relase_context'. Did you mean"
        " 'release_context'? Its settings are: audience, four_eyes, analyst, release_context,"
        " taken_for_real, other_sources, intruder_knowledge, method_released.",
    ),
    (
        DATA + '[context.release_context]\nanswer = "x"\n',
        "project.toml, line 3: [context.release_context] has no by. Name who answered: by ="
        ' "Name, role".',
    ),
    (
        DATA + '[context.release_context]\nanswer = " "\nby = "Ann"\n',
        "project.toml, line 4: answer is ' '. Write a sentence: answer = \"...\".",
    ),
    (
        DATA + '[context]\nother_sources = "none"\n',
        "project.toml, line 4: other_sources is 'none'. Write it as a table with answer and"
        " by: [context.other_sources].",
    ),
    (
        DATA + '[context.other_sources]\nanswer = "none"\nby = "Ann"\non = "today"\n',
        "project.toml, line 6: on is 'today'. Write a day as 2026-11-16.",
    ),
    (
        DATA + '[context.other_sources]\nanswer = "none"\nby = "Ann"\nwhen = 3\n',
        "project.toml, line 6: [context.other_sources] has no setting 'when'. Its settings"
        " are: answer, by, on.",
    ),
    (
        DATA + '[roles]\nkey = "sex"\n',
        "project.toml, line 4: key of [roles] must be a list of names of columns.",
    ),
    (
        DATA + '[roles]\nkey = ["sex", "sex"]\n',
        "project.toml, line 4: Column 'sex' is given twice among the key columns. Name it once.",
    ),
    (
        DATA + '[roles]\nkey = ["sex"]\ntarget = ["sex"]\n',
        "project.toml, line 5: 'sex' cannot be key and target: a column has one role here. What is"
        " a key in one scenario and a target in another is declared there.",
    ),
    (
        DATA + '[roles]\nweight = ["w"]\n',
        "project.toml, line 4: weight is of type list. Name one column, as text.",
    ),
    (
        DATA + '[roles]\nkeys = ["sex"]\n',
        "project.toml, line 4: [roles] has no setting 'keys'. Did you mean 'key'? Its"
        " settings are: identifier, key, target, ignore, weight, person, time, sensitive.",
    ),
    (
        "scenario = 4\n" + DATA,
        "project.toml, line 1: Write each scenario as a table that begins with [[scenario]].",
    ),
    (
        DATA + SCENARIO + SCENARIO,
        "project.toml, line 7: two scenarios are called 'neighbour'. Give each its own name.",
    ),
    (
        DATA + '[[scenario]]\nkeys = ["sex"]\n',
        'project.toml, line 3: [[scenario]] has no name. Name it: name = "neighbour".',
    ),
    (
        DATA + '[[scenario]]\nname = "a"\n',
        "project.toml, line 3: [[scenario]] has no keys. Name the columns an intruder would"
        ' know: keys = ["sex", "age"].',
    ),
    (
        DATA + '[[scenario]]\nname = "a"\nkeys = []\n',
        "project.toml, line 5: [[scenario]] has no keys. Name the columns an intruder would"
        ' know: keys = ["sex", "age"].',
    ),
    (
        DATA + '[[scenario]]\nname = "a"\ntemplate = "co-owner"\n',
        "project.toml, line 3: [[scenario]] has no keys. Name the columns of one data owner:"
        ' keys = ["sex", "age"].',
    ),
    (
        DATA + '[[scenario]]\nname = "a/b"\nkeys = ["sex"]\n',
        "project.toml, line 4: a scenario cannot be called 'a/b': a name has at most 60 letters,"
        " no / and no blank at either end.",
    ),
    (
        DATA + '[[scenario]]\nname = "a"\nkeys = "sex"\n',
        "project.toml, line 5: keys of [[scenario]] must be a list of names of columns.",
    ),
    (
        DATA + SCENARIO + 'targets = ["sex"]\n',
        "project.toml, line 6: 'sex' cannot be key and target of the same scenario: what the"
        " intruder knows already cannot be disclosed. Remove it from one of the two.",
    ),
    (
        DATA + SCENARIO + 'targets = "income"\n',
        "project.toml, line 6: targets is 'income'. Write \"all\", or a list: targets ="
        ' ["income"].',
    ),
    (
        DATA + SCENARIO + "targets = []\n",
        "project.toml, line 6: targets is empty. Name what an intruder might learn, or write"
        ' targets = "all".',
    ),
    (
        DATA + SCENARIO + 'template = "neighbor"\n',
        "project.toml, line 6: template is 'neighbor'. Did you mean 'neighbour'? It must be"
        " one of: neighbour, colleague, co-owner, prosecutor.",
    ),
    (
        DATA + SCENARIO + "bands = 5\n",
        "project.toml, line 6: bands is 5. Write it by column: {age = 5}.",
    ),
    (
        DATA + SCENARIO + "bands = {age = 1}\n",
        "project.toml, line 6: The number of bands of column 'age' is 1. Write a whole"
        " number from 2 to 10,000.",
    ),
    (
        DATA + SCENARIO + 'radii = {age = "wide"}\n',
        "project.toml, line 6: The radius of column 'age' is 'wide', which is not a number."
        " Write how far apart two values may be and still count as near: a number above 0, or"
        " 0 for equal values only.",
    ),
    (
        DATA + SCENARIO + "radii = {age = -1}\n",
        "project.toml, line 6: The radius of column 'age' is -1, below 0. Write how far"
        " apart two values may be and still count as near: a number above 0, or 0 for equal"
        " values only.",
    ),
    (
        DATA + SCENARIO + 'targets = ["income"]\nradii = {incme = 5}\n',
        "project.toml, line 7: radii are given for 'incme', which is neither key nor target"
        " here. Did you mean 'income'? Keys and targets are: sex, age, income.",
    ),
    (
        DATA + SCENARIO + "tolerance = {income = -1}\n",
        "project.toml, line 6: The tolerance of 'income' is -1. It must be a number from 0 on.",
    ),
    (
        DATA + SCENARIO + 'targets = ["income"]\ntolerance = {age = 5}\n',
        "project.toml, line 7: tolerance is given for 'age', which is no target here. The targets"
        " are: income.",
    ),
    (
        DATA + SCENARIO + 'measures = ["disclosre"]\n',
        "project.toml, line 6: there is no measure 'disclosre'. Did you mean 'disclosure'?"
        " The measures are: disclosure, exclusion_table, cap, tcap, gtcap, suda, match_risk,"
        " excess, singling_out, linkability, inference, membership.",
    ),
    (
        DATA + SCENARIO + "measures = []\n",
        'project.toml, line 6: measures must be a list, such as ["disclosure", "cap"]. Omit'
        " it for all of them.",
    ),
    (
        DATA + SCENARIO + 'key = ["sex"]\n',
        "project.toml, line 6: [[scenario]] has no setting 'key'. Did you mean 'keys'? Its"
        " settings are: name, template, keys, targets, bands, radii, tolerance, measures.",
    ),
    (
        DATA + '[[exclude]]\ntarget = "income"\nlevel = "-8"\nby = "Ann"\n',
        "project.toml, line 3: [[exclude]] has no reason. State the reason in a sentence: reason ="
        ' "...".',
    ),
    (
        DATA + '[[exclude]]\ntarget = "income"\nlevel = "-8"\nreason = "known"\n',
        'project.toml, line 3: [[exclude]] has no by. Name who decided: by = "Name, role".',
    ),
    (
        DATA + "[[exclude]]\n" + WHO,
        "project.toml, line 3: [[exclude]] does not name what to exclude. Give target and level,"
        ' or a rule: rule = "missing-targets".',
    ),
    (
        DATA + SCENARIO + '[[exclude]]\nscenario = "nieghbour"\nrule = "missing-targets"\n' + WHO,
        "project.toml, line 7: there is no scenario 'nieghbour'. Did you mean 'neighbour'?"
        " The scenarios are: neighbour.",
    ),
    (
        DATA + '[[exclude]]\nscenario = "a"\nrule = "missing-targets"\n' + WHO,
        "project.toml, line 4: there is no scenario 'a'. There is none.",
    ),
    (
        DATA + '[[exclude]]\nrule = "max-denominatr=1"\n' + WHO,
        "project.toml, line 4: there is no rule 'max-denominatr=1'. Did you mean"
        " 'max-denominator=1'? The rules are: missing-targets, missing-keys,"
        " max-denominator=1, max-denominator-syn=1. A level is written as target ="
        ' "max-denominatr" and level = ...',
    ),
    (
        DATA + '[[exclude]]\nrule = "max-denominator=0"\n' + WHO,
        "project.toml, line 4: The limit of max-denominator is '0'. It must be a whole"
        " number of records, from 1 on, such as max-denominator=1.",
    ),
    (
        DATA + '[[exclude]]\ntarget = "income"\n' + WHO,
        "project.toml, line 3: Exclusion 'target = income' names no target and level. Give"
        " both, or a rule: missing-targets, missing-keys, max-denominator,"
        " max-denominator-syn.",
    ),
    (
        DATA + '[[exclude]]\ntarget = "income"\nlevel = "-8"\nkey = "age"\n' + WHO,
        "project.toml, line 3: Exclusion 'target = income, level = -8, key = age' has not"
        " one level for each key: keys 1, levels 0. Give each key its level.",
    ),
    (
        DATA + '[[exclude]]\ntarget = "income"\nlevel = "-8"\nreson = "known"\nby = "Ann"\n',
        "project.toml, line 3: [[exclude]] has no reason. State the reason in a sentence: reason ="
        " \"...\".\nproject.toml, line 6: [[exclude]] has no setting 'reson'. Did you mean"
        " 'reason'? Its settings are: scenario, target, level, key, key_level, keys, key_levels,"
        " limit, rule, reason, by, on.",
    ),
    (
        DATA + '[[exclude]]\nrule = "missing-targets"\n' + WHO + 'on = "16.11.2026"\n',
        "project.toml, line 7: on is '16.11.2026'. Write a day as 2026-11-16.",
    ),
    (
        DATA + 'exclude = ["income=-8"]\n',
        "project.toml, line 3: [data] has no setting 'exclude'. Its settings are: original,"
        " synthetic, control, special_codes, missing_values, types, labels, sampling_fraction,"
        " utility_sample.",
    ),
    (
        DATA + "[limits]\nDISCO = [5, 10]\n",
        "project.toml, line 4: No limit can be set on 'DISCO'. Did you mean 'DiSCO'? Limits"
        " can be set on: UiO, UiS, UiOiS, repU, Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO, CAPd,"
        " CAPs, DCAP, TCAP, adds, real_records, tied, sensitive, GTCAP, R, ECAP, SAP, recovered,"
        " near, membership, AUC, recognised, epsilon, unique, match_risk, pMSE, S_pMSE.",
    ),
    (
        DATA + "[limits]\nDiSCO = 10\n",
        "project.toml, line 4: The limit of DiSCO must be two numbers, review above and limit,"
        " such as DiSCO = [5, 10].",
    ),
    (
        DATA + "[limits]\nDiSCO = [10, 5]\n",
        "project.toml, line 4: The limit of DiSCO is [10, 5]: review starts above the limit."
        " Write the lower number first.",
    ),
    (
        DATA + "[limits]\nDiSCO = [5, 101]\n",
        "project.toml, line 4: The limit of DiSCO has the value 101. It is a percentage:"
        " write 0 to 100.",
    ),
    (
        DATA + "[limits]\nECAP = [1, 2]\n",
        "project.toml, line 4: The limit of ECAP has the value 2. It is a share: write 0 to 1.",
    ),
    (
        DATA + '[limits]\nDiSCO = [5, "ten"]\n',
        "project.toml, line 4: The limit of DiSCO must be two numbers, review above and limit,"
        " such as DiSCO = [5, 10].",
    ),
    (
        DATA + '[limits]\nDiSCO = [5, 10]\naccepted_by = ""\n',
        "project.toml, line 5: accepted_by is ''. Write who accepts them: accepted_by ="
        ' "Name, role", or omit it.',
    ),
    (
        DATA + '[limits]\naccepted_by = "Ann"\n',
        "project.toml, line 4: limits are accepted, but none is set. Set some, such as DiSCO"
        " = [5, 10].",
    ),
    (
        DATA + '[limits]\nacepted_by = "Ann"\n',
        "project.toml, line 4: No limit can be set on 'acepted_by'. Limits can be set on:"
        " UiO, UiS, UiOiS, repU, Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO, CAPd, CAPs, DCAP, TCAP,"
        " adds, real_records, tied, sensitive, GTCAP, R, ECAP, SAP, recovered, near,"
        " membership, AUC, recognised, epsilon, unique,"
        " match_risk, pMSE, S_pMSE. Did you mean"
        " 'accepted_by'?",
    ),
    (
        DATA + '[limits]\nDiSCO = [5, 10]\naccepted_by = "Ann"\non = 2026\n',
        "project.toml, line 6: on is 2026. Write a day as 2026-11-16.",
    ),
    (
        DATA + SCENARIO + "[[ruling]]\naccept = true\n" + WHO,
        "project.toml, line 6: [[ruling]] has no finding. Name it: finding ="
        ' "neighbour/workab=NO".',
    ),
    (
        DATA + SCENARIO + '[[ruling]]\nfinding = "neighbour"\naccept = true\n' + WHO,
        "project.toml, line 7: the flag 'neighbour' cannot be read. Write"
        " scenario/target=level, or scenario/target=level@key=level.",
    ),
    (
        DATA + SCENARIO + '[[ruling]]\nfinding = "neighbor/income=1"\naccept = true\n' + WHO,
        "project.toml, line 7: there is no scenario 'neighbor'. Did you mean 'neighbour'?"
        " The scenarios are: neighbour.",
    ),
    (
        DATA + SCENARIO + '[[ruling]]\nfinding = "neighbour/income"\naccept = true\n' + WHO,
        "project.toml, line 7: the flag 'neighbour/income' cannot be read. Write"
        " scenario/target=level, or scenario/target=level@key=level.",
    ),
    (
        DATA
        + SCENARIO
        + '[[ruling]]\nfinding = "neighbour/missing-targets"\naccept = true\n'
        + WHO,
        "project.toml, line 7: the flag 'neighbour/missing-targets' is a rule, not a flag. Write"
        " scenario/target=level, or scenario/target=level@key=level. A rule belongs in"
        " [[exclude]].",
    ),
    (
        DATA + SCENARIO + '[[ruling]]\nfinding = "neighbour/income=1"\naccept = "yes"\n' + WHO,
        "project.toml, line 8: accept is 'yes'. Write true or false, without quotes.",
    ),
    (
        DATA + SCENARIO + '[[ruling]]\nfinding = "neighbour/income=1"\n' + WHO,
        "project.toml, line 6: [[ruling]] has no accept. Write accept = true for common"
        " knowledge, false to keep it as a risk.",
    ),
    (
        DATA + SCENARIO + '[[ruling]]\nfinding = "neighbour/income=1"\naccept = true\nby = "Ann"\n',
        "project.toml, line 6: [[ruling]] has no reason. State the reason in a sentence: reason ="
        ' "...".',
    ),
    (
        DATA
        + SCENARIO
        + '[[ruling]]\nfinding = "neighbour/income=1"\naccept = true\n'
        + WHO
        + '[[ruling]]\nfinding = "neighbour/income=1"\naccept = true\n'
        + WHO,
        "project.toml, line 12: the flag 'neighbour/income=1' is ruled on twice. Keep one"
        " of the two.",
    ),
    (
        DATA
        + '[context]\naudience = "open"\n'
        + SCENARIO
        + '[[ruling]]\nfinding = "neighbour/income two-way"\naccept = true\n'
        + WHO,
        "project.toml, line 9: all pairs of a target cannot be ruled on together for"
        ' audience open: rule on each, as in "neighbour/income=level@key=level".',
    ),
    (
        DATA + '[[published]]\ncount = "n"\n',
        'project.toml, line 3: [[published]] has no table. Name the file: table = "census.csv".',
    ),
    (
        DATA + '[[published]]\ntable = "none.csv"\n',
        "project.toml, line 4: there is no file 'none.csv'. Paths start at the folder of the"
        " project file.",
    ),
    (
        DATA + '[[published]]\ntable = "copy.csv"\ncount = 4\n',
        'project.toml, line 5: count is 4. Name the column of counts: count = "n".',
    ),
    (
        DATA + '[[published]]\nfile = "copy.csv"\n',
        "project.toml, line 3: [[published]] has no table. Name the file: table ="
        " \"census.csv\".\nproject.toml, line 4: [[published]] has no setting 'file'. Its"
        " settings are: table, count.",
    ),
    (
        DATA + '[[table]]\nname = "t"\n',
        "project.toml, line 3: [[table]] has neither file nor dims. Name a file of counts:"
        ' file = "counts.csv"; or the columns to count in the original: dims = ["sex", "age"].',
    ),
    (
        DATA + '[[table]]\nfile = "none.csv"\n',
        "project.toml, line 4: there is no file 'none.csv'. Paths start at the folder of the"
        " project file.",
    ),
    (
        DATA + '[[table]]\ndims = "sex"\n',
        "project.toml, line 4: dims of [[table]] must be a list of names of columns.",
    ),
    (
        DATA + '[[table]]\ndims = ["sex"]\nrounding = "conventional"\n',
        "project.toml, line 5: The scheme 'conventional' needs one whole number: write it as"
        " conventional:5.",
    ),
    (
        DATA + '[[table]]\ndims = ["sex"]\nn_max = -1\n',
        "project.toml, line 5: n_max is -1. It must be a whole number from 0 on: how many"
        " people an intruder may know.",
    ),
    (
        DATA + '[[table]]\ndims = ["sex"]\nroundings = "up:5"\n',
        "project.toml, line 5: [[table]] has no setting 'roundings'. Did you mean"
        " 'rounding'? Its settings are: name, file, dims, count, layout, total_label,"
        " weights, sample, blank, levels, rounding, total, margins, constraints, structural,"
        " nested, known, depth, given, n_max, published, seed, nodes, seconds,"
        " record_keys.",
    ),
    (
        DATA + '[[table]]\ndims = ["sex"]\ntotal = 1\n',
        "project.toml, line 5: total is 1. Write true or false, without quotes.",
    ),
    (
        DATA + '[[table]]\nname = "t"\ndims = ["sex"]\n[[table]]\nname = "t"\ndims = ["age"]\n',
        "project.toml, line 7: two tables are called 't'. Give each its own name.",
    ),
    (
        DATA + '[[finding]]\nkind = "median"\n',
        "project.toml, line 3: Published result 1 has the kind 'median'. Did you mean 'mean'? It"
        " must be one of: prevalence, mean, table, regression.",
    ),
    (
        DATA + '[[finding]]\nkind = "mean"\n',
        "project.toml, line 3: Published result 1 has no column. Write one, such as column ="
        ' "income".',
    ),
    (
        DATA + '[[finding]]\nkind = "mean"\ncolumn = "age"\nlevel = 2\n',
        "project.toml, line 3: Published result 1 has the key 'level', which a mean does not"
        " have. Its keys are: name, kind, where, column.",
    ),
    (
        DATA
        + (
            '[[finding]]\nname = "a"\nkind = "mean"\ncolumn = "age"\n[[finding]]\nname = "a"\n'
            'kind = "mean"\ncolumn = "sex"\n'
        ),
        "project.toml, line 7: Two published results are called 'a'. Give each its own name.",
    ),
    (
        DATA + '[synthesis]\nmin_leaf = "five"\n',
        "project.toml, line 4: synthesis: min_leaf is 'five'. It must"
        " be a whole number from 1 to 100,000,000.",
    ),
    (
        DATA + 'synthesis.method = "cort"\n',
        "project.toml, line 3: [data] has no setting 'synthesis'. Did you mean 'synthetic'?"
        " Its settings are: original, synthetic, control, special_codes, missing_values,"
        " types, labels, sampling_fraction, utility_sample.",
    ),
    (
        DATA + '[[protect.step]]\ndo = "top_cod"\n',
        "project.toml, line 4: Step 1: do is 'top_cod'. Did you mean 'top_code'? It must be"
        " one of: drop, band, top_code, bottom_code, merge_rare, merge, round, coarsen_date,"
        " drop_outliers, perturb_outliers, synthesise, distance_filter,"
        " remove_replicated_uniques, smooth, add_noise.",
    ),
    (
        DATA
        + '[[protect.step]]\ndo = "synthesise"\n[[protect.step]]\ndo = "drop"\ncolumn = "sex"\n',
        "project.toml, line 5: Step 2 (drop): recodings are done to the original, before it"
        " is synthesised. Put it before the step synthesise, which is step 1.",
    ),
    (
        DATA + "[protect]\nseed = 3\n",
        "project.toml, line 4: [protect] has no setting 'seed'. Its settings are: step.",
    ),
    (
        "protect = 5\n" + DATA,
        "project.toml, line 1: Begin each step with [[protect.step]], then state what to do: do ="
        ' "synthesise".',
    ),
]


@pytest.mark.parametrize(("text", "sentence"), FAULTS)
def test_a_fault_is_told_with_its_line_and_what_to_do(folder, text, sentence):
    assert refused(folder, text) == sentence


def test_the_faults_of_the_table_are_many_and_all_different():
    sentences = [sentence.partition(": ")[2] for _, sentence in FAULTS]
    assert len(set(sentences)) >= 100


# The parser's own words differ between versions of Python; the place and the help do not.
SYNTAX = [
    (DATA + "[limits\n", "line 3", "A table begins with [name], one of several with [[name]]."),
    (DATA + 'original = "b.csv"\n', "line 3", "Each name may occur only once in its table."),
    (
        DATA + "[data]\n",
        "line 3",
        "Each table may begin only once; begin several of a kind with [[ and",
    ),
    (
        '[data]\noriginal = "C:\\users\\x.csv"\n',
        "line 2",
        "In double quotes a backslash is written twice; paths may have / instead.",
    ),
    (DATA + "[context]\naudience = open\n", "line 4", "Put text in double quotes; write true"),
]


@pytest.mark.parametrize(("text", "place", "help_"), SYNTAX)
def test_what_is_no_toml_is_told_with_its_place_and_help(folder, text, place, help_):
    told = refused(folder, text)
    assert told.startswith("The file 'project.toml' is not valid TOML: ")
    assert place in told
    assert help_ in told


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe[data]", "The file 'project.toml' is not UTF-8 text."),
        (b"#" * 1_000_001, "The file 'project.toml' is too large for a project file."),
    ],
)
def test_what_is_no_text_is_refused(folder, content, sentence):
    assert refused(folder, content) == sentence


MANY = """schema = 1
titel = "a"
[data]
original = "peple.csv"
synthetic = ["copy.csv", "copy.csv"]
[context]
audience = "opn"
four_eyes = 1
[context.other_sources]
answer = "none"
[roles]
key = ["sex"]
target = ["sex"]
[[scenario]]
name = "neighbour"
keys = []
[[scenario]]
name = "neighbour"
keys = [
  "sex",  # known
  "sex",
]
bands = {age = 0}
[[exclude]]
target = "income"
level = "-8"
scenario = "colleague"
[limits]
DiSCO = [10, 5]
disclosure = [5, 10]
[[ruling]]
finding = "income"
accept = true
reason = "known"
by = "Ann"
[[published]]
table = "none.csv"
[[table]]
n_max = 3
[[finding]]
kind = "mean"
[synthesis]
min_leaf = 0
[[protect.step]]
do = "sythesise"
"""


def test_all_faults_of_a_file_are_told_at_once_in_the_order_of_their_lines(folder):
    told = refused(folder, MANY).split("\n")
    lines = [int(one.partition(":")[0].removeprefix("project.toml, line ")) for one in told]
    assert lines == [
        *(2, 4, 5, 7, 8, 9, 13, 16, 18, 19, 23, 24, 24, 27, 29, 30, 32, 37, 38, 40, 43, 45),
    ]
    assert lines == sorted(lines)


def test_a_later_schema_is_told_alone_for_its_other_faults_may_be_none(folder):
    told = refused(folder, "schema = 7\n[data]\nfiles = 3\n[plans]\n")
    assert told == "project.toml, line 1: schema is 7. This version reads schema 1."


WHOLE = """schema = 1
title = "The survey"
[data]
original = "people.csv"
synthetic = ["copy.csv"]
control = "book.xlsx#excluded"
missing_values = ["NA"]
special_codes = {income = [-8]}
types = {age = "integer"}
[context]
audience = "registered"
four_eyes = true
analyst = "Ann, analyst"
[context.other_sources]
answer = "None that we know of."
by = "Ann, analyst"
on = 2026-11-16
[roles]
identifier = ["id"]
key = ["sex", "age"]
target = ["income", "health"]
weight = "w"
[[scenario]]
name = "neighbour"
template = "neighbour"
keys = ["sex", "age"]
targets = "all"
bands = {age = 5}
radii = {income = 100, age = 2}
tolerance = {income = 50}
measures = ["disclosure", "cap", "disclosure"]
[[scenario]]
name = "colleague"
keys = ["sex", "age", "region"]
targets = ["income"]
[[exclude]]
scenario = "neighbour"
target = "income"
level = -8
key = "age"
key_level = 16
reason = "children earn nothing"
by = "Ann, analyst"
on = "2026-11-15"
[[exclude]]
rule = "max-denominator=1"
reason = "trusted people"
by = "Ann, analyst"
[limits]
DiSCO = [5, 10]
S_pMSE = [3, 10.5]
accepted_by = "Bob, head"
accepted = "MARK"
on = 2026-11-16
[[ruling]]
finding = "neighbour/health=poor@age=16"
accept = false
reason = "not known"
by = "Bob, head"
[[ruling]]
finding = "colleague/income two-way"
accept = true
reason = "published"
by = "Bob, head"
[[published]]
table = "census.csv"
count = "n"
[synthesis]
min_leaf = 20
[[protect.step]]
do = "synthesise"
[[finding]]
kind = "mean"
column = "income"
[[table]]
name = "by sex"
dims = ["sex", "health"]
rounding = "conventional:5"
""".replace("MARK", limits_mark({"DiSCO": (5, 10), "S_pMSE": (3, 10.5)}, "Bob, head"))


def test_a_whole_file_is_read_as_it_says(folder):
    found = read_project(project(folder, WHOLE))
    assert (found.title, found.folder, found.text) == ("The survey", folder, WHOLE)
    assert found.data.original == "people.csv"
    assert found.data.synthetic == ("copy.csv",)
    assert found.data.control == "book.xlsx#excluded"
    assert found.data.missing_values == ("NA",)
    assert found.data.special_codes == {"income": [-8]}
    assert found.data.types == {"age": "integer"}
    assert (found.context.audience, found.context.four_eyes) == ("registered", True)
    assert found.context.analyst == "Ann, analyst"
    answer = Answer("None that we know of.", "Ann, analyst", "2026-11-16")
    assert found.context.factors == {"other_sources": answer}
    assert found.roles.identifier == ("id",)
    assert found.roles.weight == "w"
    neighbour, colleague = found.scenarios
    assert neighbour.targets is None
    assert neighbour.radii == {"income": 100, "age": 2}
    assert (neighbour.tolerance, colleague.tolerance) == ({"income": 50}, None)
    assert neighbour.measures == ("disclosure", "cap")
    assert (colleague.targets, colleague.measures) == (("income",), None)
    first, second = found.excludes
    assert first.exclusion.text == "income=-8@age=16"
    assert (first.scenario, first.on) == ("neighbour", "2026-11-15")
    assert second.exclusion == Exclusion(rule="max-denominator", limit=1)
    assert found.limits.values == {"DiSCO": (5, 10), "S_pMSE": (3, 10.5)}
    assert (found.limits.accepted_by, found.limits.on) == ("Bob, head", "2026-11-16")
    assert [ruling.accept for ruling in found.rulings] == [False, True]
    assert found.published == (PublishedEntry("census.csv", "n"),)
    assert found.synthesis == {"min_leaf": 20}
    assert found.steps == ({"do": "synthesise"},)
    assert found.findings == ({"kind": "mean", "column": "income"},)
    assert found.tables[0]["rounding"] == "conventional:5"


def test_the_shortest_file_has_the_name_of_its_folder_as_title(folder):
    found = read_project(project(folder, DATA))
    assert found.title == folder.name
    assert found.scenarios == ()


def test_the_text_is_kept_to_the_byte(folder):
    text = "\ufeff" + DATA.replace("\n", "\r\n") + "# no line end"
    assert read_project(project(folder, text)).text == text
    told = refused(folder, text + "\r\n[context]\r\nfour_eyes = 1")
    assert told.startswith("project.toml, line 5: four_eyes is 1.")


def test_a_project_is_found_by_its_file_its_folder_or_the_working_folder(folder, monkeypatch):
    path = project(folder, DATA)
    monkeypatch.chdir(folder)
    assert find_project(path) == path
    assert find_project(folder) == path
    assert find_project() == Path("project.toml")


def test_what_is_no_project_is_answered_with_how_to_begin_one(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for given, sentence in (
        (
            None,
            "There is no project.toml here. Make one: unveil init survey.csv; or name the folder of"
            " your project.",
        ),
        (
            "nowhere",
            "There is no file or folder 'nowhere'. Make a project: unveil init survey.csv; or name"
            " the folder of yours.",
        ),
        (
            "people.csv",
            "'people.csv' is not a project file: it does not end in .toml. Make a project of it:"
            " unveil init people.csv.",
        ),
    ):
        with pytest.raises(ReadError) as refusal:
            find_project(given)
        assert str(refusal.value) == sentence
    (folder / "empty").mkdir()
    with pytest.raises(ReadError, match=r"no project\.toml in the folder 'empty'"):
        find_project("empty")
    for odd in ("a" * 5000, "a\0b"):
        with pytest.raises(ReadError, match=r"cannot be read|There is no file or folder"):
            find_project(odd)


def test_files_need_not_be_there_to_look_at_an_old_run(folder):
    path = project(folder, WHOLE)
    for name in ("people.csv", "copy.csv", "census.csv", "book.xlsx"):
        (folder / name).unlink()
    with pytest.raises(SettingsError, match=r"line 4: there is no file 'people.csv'"):
        read_project(path)
    assert read_project(path, needs_files=False).title == "The survey"


def test_columns_that_the_files_lack_are_told_together_with_their_lines(folder):
    found = read_project(project(folder, WHOLE))
    original, copy = "The original (people.csv)", "The synthetic dataset (copy.csv)"
    check_data_faults(found, {original: COLUMNS, copy: COLUMNS})
    less = [name for name in COLUMNS if name not in ("income", "age", "id")]
    with pytest.raises(RolesError) as refusal:
        check_data_faults(found, {original: less, copy: ["sex", "age", "region", "income"]})
    told = [one.partition(": ")[::2] for one in str(refusal.value).split("\n")]
    lines = [int(place.removeprefix("project.toml, line ")) for place, _ in told]
    assert lines == [8, 9, 19, 20, 21, 26, 29, 30, 34, 35, 36, 36, 56, 61, 72]
    assert told[0][1] == (
        "The original (people.csv) has no column 'income'. Its columns are: sex, region, health, w."
    )


def test_keys_and_named_targets_must_be_in_every_copy_and_the_rest_in_the_original(folder):
    found = read_project(project(folder, WHOLE))
    original, copy = "The original (people.csv)", "Synthetic dataset 2 (copy.csv)"
    with pytest.raises(RolesError) as refusal:
        check_data_faults(found, {original: COLUMNS, copy: ["sex", "age", "regin"]})
    assert str(refusal.value).split("\n") == [
        "project.toml, line 34: Synthetic dataset 2 (copy.csv) has no column 'region'. Did you mean"
        " 'regin'? Its columns are: sex, age, regin.",
        "project.toml, line 35: Synthetic dataset 2 (copy.csv) has no column 'income'. Its columns"
        " are: sex, age, regin.",
    ]


PAGE = Path(__file__).parents[2] / "docs" / "project_file.md"


def test_every_section_setting_and_template_has_its_place_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    settings = (
        *(*DATA_SETTINGS, *TYPES, *CONTEXT, *ROLES, *SCENARIO_SETTINGS, *MEASURES, *EXCLUDE),
        *(
            *RULING,
            *EXCEPTION,
            "sensitive",
            *TABLE,
            *TEMPLATE_NAMES,
            "schema",
            "title",
            "accepted_by",
            "accepted",
        ),
    )
    assert [name for name in settings if f"`{name}`" not in page] == []
    named = [name for name in SECTIONS[2:] if f"`[{name}]`" not in page]
    assert [name for name in named if f"`[[{name}" not in page] == []
    assert {*TEMPLATES} == {*TEMPLATE_NAMES}


def test_the_file_on_the_page_is_read_without_a_fault(tmp_path):
    text = PAGE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    found = project_from(tmp_path / "project.toml", text, needs_files=False)
    assert found.title == "The survey of 2026"
    assert [ruling.finding for ruling in found.rulings] == ["neighbour/income=0@age=16"]

"""Codes and what they mean, in files that describe themselves and beside those that do not."""

import polars as pl
import pytest

import unveil
from unveil.data.codebook import Data, Variable, codebook_table, read_codebook

SEX = Variable(label="Sex of the person", labels={"1": "male", "2": "female"})
INCOME = Variable(labels={"-8": "refused"}, missing=((-9.0, -1.0),))
CODES = pl.DataFrame({"sex": [1, 2, 2, 1], "income": [100, 250, -8, 300]})
TEXTS = pl.DataFrame({"sex": ["male", "male", "female", "female"], "income": [100, 250, 300, -8]})


def study(original=None, synthetic=TEXTS, **about):
    original = Data(CODES, {"sex": SEX, "income": INCOME}) if original is None else original
    return unveil.Study(original, synthetic, keys="sex", targets="income", **about)


def test_a_label_is_its_code():
    column = study().column("sex")
    assert (column.written, column.texts) == (["1", "2"], ["male", "female"])
    assert column.counts.tolist() == [[2, 2], [2, 2]]
    assert [column.code(text) for text in ("1", "male", "2.0", "other")] == [0, 0, 1, None]


def test_a_label_that_is_another_code_is_what_its_file_is():
    ages = unveil.Variable(labels={"1": "0", "2": "1", "3": "2", "4": "3 or more"})
    codes = pl.DataFrame({"sex": [1, 2, 3, 4], "income": [1, 2, 3, 4]})
    texts = codes.with_columns(sex=pl.Series(["0", "1", "2", "3 or more"]))
    coded = codes.with_columns(pl.col("sex").cast(pl.String))
    for other in (texts, coded, codes):
        column = study(Data(codes, {"sex": ages}), other).column("sex")
        assert column.texts == ["0", "1", "2", "3 or more"]
        assert column.counts.tolist() == [[1, 1, 1, 1], [1, 1, 1, 1]]
    letters = Data(coded.with_columns(sex=pl.Series([".a", "2", "3", "4"])), {"sex": ages})
    assert study(letters, letters).column("sex").n_levels == 4


def test_a_label_of_two_codes_is_compared_by_label():
    twice = unveil.Variable(labels={"1": "other", "2": "woman", "3": "other"})
    codes = Data(pl.DataFrame({"sex": [1, 2, 3, 3], "income": [1, 2, 3, 4]}), {"sex": twice})
    labels = pl.DataFrame({"sex": ["other", "woman", "other", "woman"], "income": [1, 2, 3, 4]})
    column = study(codes, labels).column("sex")
    assert (column.texts, column.counts.tolist()) == (["other", "woman"], [[3, 1], [2, 2]])
    assert study(codes, codes).column("sex").n_levels == 3


def test_what_is_named_missing_is_so_by_code_and_by_label():
    about = unveil.Variable(labels={"1": "man", "2": "woman", "9": "refused"})
    codes = Data(pl.DataFrame({"sex": [1, 2, 9, 9], "income": [1, 2, 3, 4]}), {"sex": about})
    texts = TEXTS.with_columns(sex=pl.Series(["man", "woman", "refused", "man"]))
    column = study(codes, texts, missing=("refused",)).column("sex")
    assert (column.texts, column.counts.tolist()) == (
        ["man", "woman", None],
        [[1, 1, 2], [2, 1, 1]],
    )


def test_where_a_file_has_more_than_the_labels_all_are_texts():
    texts = TEXTS.with_columns(sex=pl.Series(["male", "not known", "female", "female"]))
    assert study(synthetic=texts).column("sex").texts == ["female", "male", "not known"]


def test_numbers_with_a_labelled_code_stay_numbers():
    column = study().column("income")
    assert column.texts == ["-8", "100", "250", "300"]
    assert column.code("refused") == 0


def test_a_code_for_a_missing_answer_is_a_level_of_its_own_in_bands():
    columns = {"income": unveil.Column(bands=(200,))}
    assert study(columns=columns).column("income").texts == ["under 200", "200 or more", "-8"]


def test_a_code_of_two_meanings_is_refused():
    other = Data(CODES, {"sex": Variable(labels={"1": "female", "2": "male"})})
    with pytest.raises(unveil.InputError, match="'sex' have other labels in synthetic file 1"):
        study(synthetic=other)
    given = codebook_table({"sex": SEX})
    assert study(synthetic=other, codebook=given).column("sex").texts == ["male", "female"]


def test_a_codebook_is_the_same_from_its_table(tmp_path):
    ranges = ((-9.0, -9.0), (-8.0, -8.0), (97.5, 1e300), ("x", "x"))
    codebook = {"sex": SEX, "income": Variable(labels={"-8": "refused"}, missing=ranges[1:])}
    codebook["born"] = Variable("Born in", missing=ranges)
    codebook_table(codebook).write_csv(tmp_path / "codebook.csv")
    data = unveil.read(CODES, codebook=tmp_path / "codebook.csv")
    assert data.codebook == codebook
    assert read_codebook(codebook_table(codebook)) == codebook


def test_words_for_missing_are_known_or_refused():
    table = pl.DataFrame({"column": ["a"] * 3, "code": ["1.0", "8", "9"], "label": ["x", "y", "z"]})
    read = read_codebook(table.with_columns(missing=pl.Series(["", "YES", "Ja"])))["a"]
    assert (read.labels, read.missing) == ({"1": "x", "8": "y", "9": "z"}, ((8, 8), (9, 9)))
    with pytest.raises(unveil.InputError, match="1 entries for 'missing'"):
        read_codebook(table.with_columns(missing=pl.Series(["", "perhaps", ""])))


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ({"column": ["a"], "code": ["1"]}, "'column', 'code' and 'label'"),
        ({"column": ["a", "a"], "code": ["1", "1"], "label": ["x", "y"]}, "code '1' of 'a' twice"),
    ],
)
def test_a_codebook_that_makes_no_sense_is_refused(table, match):
    with pytest.raises(unveil.InputError, match=match):
        unveil.read(CODES, codebook=pl.DataFrame(table))


def test_exclusions_take_codes_and_labels():
    result = unveil.disclosure(study(), expected=False)
    by_code, by_label = (result.what_if(f"income={text}") for text in ("-8", "refused"))
    assert by_code.attribute == by_label.attribute != result.attribute

"""However two files code their answers, the figures are those of the answers in plain words."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from profiles import examples
from unveil.records.codebook import Codebook, Level, Variable

WORDS = ("Apple", "Pear", "Plum", "Quince", "Medlar")
ANSWERS = st.lists(st.sampled_from((*WORDS, None)), min_size=3, max_size=12)
CODINGS = st.permutations(range(-2, 8)).map(lambda codes: dict(zip(WORDS, codes, strict=False)))
FORMS = st.sampled_from(("words", "shouted", "codes", "own codes", "text codes"))


def frame(answers):
    people = [f"k{i % 3}" for i in range(len(answers))]
    return pl.DataFrame({"x": pl.Series(answers, dtype=pl.String), "k": people})


def labelled(plain, coding, *, as_text=False):
    """The answers as codes, with what they stand for."""
    held = {word: f"c{code}" if as_text else code for word, code in coding.items()}
    dtype = pl.String() if as_text else pl.Int64()
    codes = plain.with_columns(pl.col("x").replace_strict(held, return_dtype=dtype))
    levels = tuple(Level(code=code, label=word) for word, code in held.items())
    variable = Variable(name="x", kind="text" if as_text else "number", levels=levels)
    return unveil.Labelled(codes, Codebook(source="x", format="spss", variables=(variable,)))


def written(plain, form, coding, own):
    """A copy as people bring them, for an original in a coding."""
    if form == "codes":
        return labelled(plain, coding).frame
    if form == "own codes":
        return labelled(plain, own)
    if form == "text codes":
        return labelled(plain, own, as_text=True)
    loud = pl.col("x").str.to_uppercase() + " "
    return plain.with_columns(loud) if form == "shouted" else plain


def figures(original, copy):
    record = unveil.disclosure(original, copy, keys=["k"], targets=["x"]).to_dict()
    return record["identity"], record["attribute"]


@pytest.mark.slow
@examples(150)
@given(original=ANSWERS, copy=ANSWERS, form=FORMS, coding=CODINGS, own=CODINGS)
def test_figures_do_not_depend_on_how_answers_are_coded(original, copy, form, coding, own):
    people, synthetic = frame(original), frame(copy)
    expected = figures(people, synthetic)
    assert figures(labelled(people, coding), written(synthetic, form, coding, own)) == expected


@pytest.mark.slow
@examples(100)
@given(original=ANSWERS, copy=ANSWERS, form=FORMS, coding=CODINGS, own=CODINGS)
def test_nor_on_which_of_the_two_files_has_the_labels(original, copy, form, coding, own):
    people, synthetic = frame(original), frame(copy)
    expected = figures(people, synthetic)
    assert figures(written(people, form, coding, own), labelled(synthetic, coding)) == expected

"""Files that hold something beside their table: honest code lists, and records of people.

An original of answers in words, of codes and of fine numbers; each honest file carries what
statistical programs carry, each other one a record of the original in a place of its own.
"""

import base64
import random

import polars as pl

from foreign_files import write_dta, write_sav
from unveil.examples import survey, survey_synthetic

ORIGINAL = (
    survey()
    .head(1500)
    .with_columns(
        area=pl.Series([f"{(7 * i) % 260:03d}" for i in range(1500)]),
        spending=pl.Series([round(random.Random(i).lognormvariate(6, 1), 2) for i in range(1500)]),
    )
)
SYNTHETIC = (
    survey_synthetic()
    .head(1500)
    .with_columns(
        area=pl.Series([f"{(11 * i) % 240:03d}" for i in range(1500)]),
        spending=pl.Series(
            [round(random.Random(-i - 1).lognormvariate(6, 1), 2) for i in range(1500)]
        ),
    )
)
_SYLLABLES = {
    "english": ["north", "green", "wood", "field", "bridge", "hill", "upper", "lake", "stone"],
    "polish": ["Nowa", "Wieś", "Górna", "Łąka", "Ząb", "Śląska", "Dolna", "Żary", "Świętej"],
    "arabic": ["مدينة", "قرية", "الشمال", "الجبل", "النهر", "الوادي", "الكبيرة"],
    "chinese": ["北京", "市", "南", "山", "河", "新", "大"],
}


def place_names(n, language="english"):
    """So many different names of areas."""
    dice, found = random.Random(language), {}
    while len(found) < n:
        found[" ".join(dice.choices(_SYLLABLES[language], k=3))] = None
    return list(found)


def codes_of(n, language="english", start=0):
    """Labels of areas, by their codes."""
    return {f"{start + i:03d}": name for i, name in enumerate(place_names(n, language))}


def record(place):
    """The values of a person."""
    return ["" if one is None else str(one) for one in ORIGINAL.row(place, named=True).values()]


def _sav(**settings):
    return "x.sav", lambda path: write_sav(SYNTHETIC, path, **settings)


def _dta(**settings):
    return "x.dta", lambda path: write_dta(SYNTHETIC, path, **settings)


def _parquet(metadata=None, **columns):
    frame = SYNTHETIC.with_columns(**columns)
    return "x.parquet", lambda path: frame.write_parquet(path, metadata=metadata)


def _pandas(column=None, categories=(), attrs=None, **settings):
    def write(path):
        import pandas

        frame = pandas.DataFrame(SYNTHETIC.to_dict(as_series=False))
        if column:
            held = SYNTHETIC[column].unique().drop_nulls().to_list()
            frame[column] = pandas.Categorical(frame[column], [*held, *categories])
        frame.attrs = attrs or {}
        frame.to_parquet(path, **settings)

    return "x.parquet", write


_QUESTION = (
    "Now think of the last 12 months. How often, on a scale from 0 (never) to 10 (every day), did"
    " you or 1 of the other 2 or 3 people of your household feel that the income of 1,700 to 2,000"
    " a month was not enough to live well? (show card 45)"
)
_DOES = {
    "en": ["man", "woman", "other", "does not say"],
    "de": ["Mann", "Frau", "divers", "keine Angabe"],
}

HONEST = {
    "areas of 260 codes": _sav(variable_value_labels={"area": codes_of(260)}),
    "areas of 400 codes": _sav(variable_value_labels={"area": codes_of(400)}),
    "areas of 400 codes in Polish": _sav(variable_value_labels={"area": codes_of(330, "polish")}),
    "areas in Arabic": _sav(variable_value_labels={"area": codes_of(300, "arabic")}),
    "areas in Chinese": _sav(variable_value_labels={"area": codes_of(300, "chinese")}),
    "occupations of another column": _sav(
        variable_value_labels={"household": {float(i): t for i, t in enumerate(place_names(60))}}
    ),
    "missing codes": _sav(
        variable_value_labels={
            "satisfaction": {-9.0: "refused", -8.0: "does not know", -7.0: "not applicable"},
            "household": {1.0: "one person", 2.0: "two people", 99.0: "no answer"},
        }
    ),
    "a scale of ten": _dta(
        variable_value_labels={"satisfaction": {i: f"{i} of 10" for i in range(11)}}
    ),
    "question texts": _sav(
        column_labels={name: f"{_QUESTION[:200]} ({name})" for name in SYNTHETIC.columns}
    ),
    "labels of columns in German": _sav(
        column_labels={"sex": "Geschlecht", "age": "Alter in Jahren", "income": "Einkommen, Euro"}
    ),
    "a file label and notes": _sav(
        file_label="Synthetic survey 2024, version 1.2.3",
        note=["Made on 2024-01-31 with synthpop 1.8-0.", "Weights: none. See the report, page 45."],
    ),
    "Stata labels": _dta(
        variable_value_labels={"household": {1: "1 person", 2: "2 people", 9: "9 or more"}},
        column_labels={"age": "Age at 31 December 2023", "income": "Net income a month (EUR)"},
    ),
    "bands of income": _parquet(
        band=(pl.col("income") // 250 * 250)
        .cast(pl.String)
        .cast(pl.Enum([str(250 * i) for i in range(-4, 60)]))
    ),
    "categories of areas": _parquet(
        area=pl.col("area").cast(pl.Enum([f"{i:03d}" for i in range(255)]))
    ),
    "levels that the synthetic data do not have": _parquet(
        region=pl.col("region").cast(
            pl.Enum([*ORIGINAL["region"].unique().drop_nulls(), "Abroad", "Unknown"])
        )
    ),
    "metadata of a program": _parquet({"writer": "parquet-mr 1.13.1", "made": "2024-01-31T10:20"}),
    "a description": _parquet({"title": "Synthetic survey", "licence": "CC BY 4.0", "n": "1500"}),
    "a frame of pandas": _pandas(),
    "unused categories of pandas": _pandas("region", ["Abroad", "At sea", "Unknown"]),
    "many unused categories of pandas": _pandas("area", [f"{i:03d}" for i in range(240, 258)]),
    "attributes of pandas": _pandas(attrs={"source": "synthetic survey", "wave": 7, "year": 2024}),
    "answers in two languages": _sav(
        variable_value_labels={"household": {100.0 + i: t for i, t in enumerate(_DOES["de"])}}
    ),
}
"""What holds no record."""

_ROWS = [" ".join(record(i)) for i in range(40)]
_B64 = [base64.b64encode(row.encode()).decode() for row in _ROWS]

DISCLOSING = {
    "one record as a label": _sav(variable_value_labels={"household": {101.0: _ROWS[5][:120]}}),
    "one record as the label of a code in use": _sav(
        variable_value_labels={"household": {1.0: _ROWS[6][:120]}}
    ),
    "a value in each label": _sav(
        variable_value_labels={"household": {100.0 + i: t for i, t in enumerate(record(7))}}
    ),
    "a record as the label of a column": _sav(column_labels={"age": _ROWS[8]}),
    "a record as a note": _sav(note=[";".join(record(9))[:80]]),
    "a record as the label of the file": _sav(file_label=_ROWS[10][:64]),
    "a record in a label of Stata": _dta(column_labels={"age": ",".join(record(12))[:80]}),
    "a record in metadata": _parquet({"v": _ROWS[11]}),
    "a record in metadata, encoded": _parquet({"v": _B64[11][:190]}),
    "a record as a name": _parquet(**{"_".join(record(20)): pl.lit(1)}),
    "a record as names": _parquet(
        **{one: pl.lit(i) for i, one in enumerate(dict.fromkeys(record(21))) if one}
    ),
    "a record as a category": _parquet(
        region=pl.col("region").cast(
            pl.Enum([*ORIGINAL["region"].unique().drop_nulls(), _ROWS[13]])
        )
    ),
    "a record as a category of pandas": _pandas("region", [_ROWS[14]]),
    "a record as a category of pandas, gzip": _pandas("region", [_ROWS[14]], compression="gzip"),
    "a category of pandas packed otherwise": _pandas("region", [_ROWS[14]], compression="zstd"),
    "a record in attributes of pandas": _pandas(attrs={"x": _ROWS[15]}),
    "records in a question": _sav(column_labels={"age": f"How old are you? {_ROWS[16]}"}),
    "the key and the amount of one person": _parquet(
        {"made": "{} {} {}".format(*(record(17)[i] for i in (0, 1, 13)))}
    ),
    "amounts of three people": _sav(
        variable_value_labels={"household": {100.0 + i: record(i)[13] for i in range(3)}}
    ),
}
"""What holds at least one record, or values that one person has."""

"""Generated inputs, most of them wrong: nothing may come out but a result or an error of ours.

    python tests/fuzzing.py --cases 100000 [--seed N] [--only exclusions] [--minutes 20]

Texts are drawn from the words of each language and then damaged: exclusions, rules, project files,
settings of columns, files of data and what they hold beside them, tables, plans; names of columns
that are hostile.
A case fails on any exception that is not an `UnveilError` (or is an `InternalError`), on an error
that quotes a value of the data, on more than ten seconds, and on a file left behind.
"""

import argparse
import contextlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
CANARY = "Zq7canary"
SECONDS = 10
# Patterns, commands, paths, tags, formulas, separators, words of the languages themselves.
WORDS = r"""
* .* [a-z]+ ^a$ (?P<x> a|b \ {0} %s ${HOME} $(id) `id` --keys -k @file ../../etc/passwd ~
<script>alert(1)</script> &lt; ]]> <!-- {{7*7}} =1+1 +1 @SUM(A1) a,b a"b a'b a=b a@b a;b
missing-targets missing-keys max-denominator target keys nan inf None true 1 -1 1e999 0x10
data __class__ copy index count len literal col('x')
"""
ODD = "|; rm -rf x|&& id|\0|<img src=x onerror=alert(1)>|a\nb|a\tb|a\r\nb| |\uff12|\u017f|\u0130"
HOSTILE = (*WORDS.split(), *ODD.split("|"), "\u202e", "\ufeff", "e\u0301", "\U0001f600", "n" * 300)
EXCLUSIONS = (
    *("t=p", "t=", "t=p@k=a", "t=p@k=a@n=1", "missing-targets", "missing-keys", "missing-keys=k,n"),
    *("max-denominator=1", "max-denominator-syn=3", '"t"="p, q"', "t=p@n=2.0", "u=x@k="),
)
RULES = (
    *("age < 16 => marital = single", "income = 0 if job = none", "n > 1 and k = a => t = p"),
    *("if age < 16 then marital = single", "not (a = b or c in (1, 2)) => d = missing"),
    *("round(income / 12, 2)", "min(a, b) + max(c, 1)", "date < 2020-01-31", "a = 'it''s'"),
)
SETTINGS = (
    "age=5",
    "age=equal:5",
    "age=0,18,65",
    "income=-8,-9",
    "income=50",
    "x=",
    "=1",
    "age=quantile:4",
)
CSV = (
    f"k,n,t\na,1,{CANARY}\nb,2,q\na,,p\n",
    f"k;n;t\na;1,5;{CANARY}\nb;2;\n",
    f'"k","n","t"\n"a, b",1,"{CANARY}\n2"\nb,2,q\n',
    f"k\tn\tt\na\t1\t{CANARY}\n",
)
TABLES = (
    "sex,area,count\nm,N,3\nm,S,0\nf,N,2\nf,S,7\n",
    ",N,S,Total\nm,3,0,3\nf,2,7,9\nTotal,5,7,12\n",
    "area;count\nN;1\nS;12\nTotal;13\n",
)
VALUES = (
    *(
        "1",
        "-1",
        "1.5",
        "true",
        '""',
        '"x"',
        "[]",
        "[1]",
        '["a"]',
        '["a", "a"]',
        "{}",
        "{a = 1}",
        "nan",
    ),
    *("inf", "2020-01-01", "12:30:00", "[[1]]", "[{}]", "9223372036854775807", "[1, 'a', true]"),
)
PLAN = """\
[[table]]
by = ["sex", "area"]
publish = "suppress:4"
margins = "all"

[[table]]
by = ["sex"]
publish = "conventional:3"
"""


def project_text() -> str:
    from project_cases import PROJECT

    more = """
[limits]
DiSCO = 10
repU = 5

[[exclude]]
scenario = "neighbour"
rule = "abroad=NO"
reason = "common knowledge"
by = "A. Jones, analyst"

[data.bands]
age = 5

[[protect.step]]
do = "synthesise"

[[table]]
name = "t"
by = ["sex", "age"]

[[finding]]
name = "f"
kind = "prevalence"
column = "ill"
level = "yes"
"""
    return PROJECT + more


class Cases:
    """The generated inputs of one run; the same seed draws the same."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.dice = random.Random(seed)
        self.folder = folder
        self.project = project_text()
        people = {"k": list("aabbc"), "n": [1, 2, 2, 3, None], "t": ["p", "q", "p", CANARY, None]}
        self.frame = pl.DataFrame(people | {"u": ["x"] * 5})

    def damage(self, text: str, most: int = 4) -> str:
        """The text with a few pieces changed, doubled, taken out or put in."""
        for _ in range(self.dice.randrange(most + 1)):
            start = self.dice.randrange(len(text) + 1)
            end = min(len(text), start + self.dice.choice((0, 1, 1, 2, 5, 20)))
            new = self.dice.choice(
                (*HOSTILE, text[start:end] * 2, "", "", self.dice.choice("=@,\"'()[]{}#.\n"))
            )
            text = text[:start] + new + text[end:]
        return text

    def revalued(self, text: str) -> str:
        """TOML in which a few values are others, so that it can still be read as TOML."""
        lines = text.splitlines()
        for _ in range(self.dice.randrange(1, 4)):
            place = self.dice.choice([n for n, line in enumerate(lines) if " = " in line])
            value = self.dice.choice(
                (*VALUES, json.dumps(self.dice.choice(HOSTILE)), lines[place - 1])
            )
            lines[place] = f"{lines[place].partition(' = ')[0]} = {value}"
        return "\n".join(lines)

    def joined(self, texts: tuple[str, ...]) -> str:
        return self.damage(
            self.dice.choice(("", " ", ";", " and ", "\n")).join(
                self.dice.choices(texts, k=self.dice.choice((1, 1, 2)))
            )
        )

    def exclusions(self) -> Callable[[], object]:
        from unveil.study.exclusion_rules import parse_exclusions

        text = self.joined(EXCLUSIONS)
        if self.dice.random() < 0.02:  # counted, too
            import unveil

            return lambda: unveil.disclosure(
                self.frame, self.frame, keys=["k", "n"], targets=["t", "u"], exclude=text
            )
        return lambda: parse_exclusions(text)

    def rules(self) -> Callable[[], object]:
        from unveil.expressions.parse import parse_condition, parse_formula, parse_rule

        text = self.joined(RULES)
        parser = self.dice.choice(
            (
                parse_rule,
                lambda given: parse_formula(given, "The formula"),
                lambda given: parse_condition(given, "The condition"),
            )
        )
        return lambda: parser(text)

    def settings(self) -> Callable[[], object]:
        import unveil

        name, _, text = self.damage(self.dice.choice(SETTINGS), 2).partition("=")
        column = self.dice.choice((name, "n", "k"))
        given = self.dice.choice(
            (
                {column: text},
                {column: text.split(",")},
                {column: self.dice.choice((0, -1, 2, 1e9, True, None))},
            )
        )
        setting = self.dice.choice(("bands", "special_codes", "tolerance"))
        return lambda: unveil.disclosure(
            self.frame, self.frame, keys=["k", "n"], targets="t", **{setting: given}
        )

    def projects(self) -> Callable[[], object]:
        from unveil.project.read_project import project_from

        text = self.dice.choice((self.revalued(self.project), self.damage(self.project, 6)))
        return lambda: project_from(self.folder / "project.toml", text, needs_files=False)

    def plans(self) -> Callable[[], object]:
        import tomllib

        from unveil.measure.tables.plan.plan_file import parse_plan

        text = self.dice.choice((self.revalued(PLAN), self.damage(PLAN, 4)))
        try:
            document = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, ValueError, RecursionError):
            document = {
                "table": self.dice.choice(
                    (1, [], [1], [{}], {"by": 1}, [{"by": list(HOSTILE[:3])}])
                )
            }
        return lambda: parse_plan(document)

    def files(self) -> Callable[[], object]:
        import unveil

        content = self.damage(self.dice.choice(CSV), 5).encode("utf-8", "surrogatepass")
        if self.dice.random() < 0.2:
            content = (
                self.dice.choice(
                    (b"\xff\xfe", b"\xef\xbb\xbf", b"\x00", b"PK\x03\x04", b"\x1f\x8b")
                )
                + content
            )
        path = self.folder / self.dice.choice(("f.csv", "f.tsv", "f.txt"))
        path.write_bytes(content)
        return lambda: unveil.read_file(path)

    def binaries(self) -> Callable[[], object]:
        import unveil
        from foreign_files import FRAME, WRITERS, mutant

        ending = self.dice.choice(list(WRITERS))
        path = self.folder / f"f{ending}"
        WRITERS[ending](FRAME, path)
        path.write_bytes(mutant(path.read_bytes(), self.dice))
        return lambda: unveil.read_file(path)

    def beside(self) -> Callable[[], object]:
        """What Parquet and R hold beside the records, read by code of ours."""
        from foreign_files import mutant
        from r_files import HEAD, a_list, numbers, texts, whole_numbers, with_attributes
        from unveil.io.rds_attributes import read_beside
        from unveil.io.read_parquet import unused_values

        column = pl.Series("t", ["a", "b", "a", CANARY], dtype=pl.Enum(["a", "b", CANARY, "none"]))
        if self.dice.random() < 0.5:
            path, packing = self.folder / "f.parquet", self.dice.choice(("snappy", "gzip", "lz4"))
            column.to_frame().write_parquet(path, compression=packing)
            path.write_bytes(mutant(path.read_bytes(), self.dice))
            return lambda: unused_values(path, lambda _: column)
        factor = with_attributes(
            whole_numbers(13, 2, 1, 2), levels=texts(b"u", b"v"), x=numbers(1.5), y=numbers(2.5)
        )
        frame = a_list(factor, texts(CANARY.encode()), names=[b"f", b"t"], comment=[b"two"])
        path = self.folder / "f.rds"
        path.write_bytes(HEAD + mutant(frame, self.dice))
        return lambda: read_beside(path)

    def tables(self) -> Callable[[], object]:
        import unveil

        path = self.folder / "counts.csv"
        path.write_bytes(self.damage(self.dice.choice(TABLES), 3).encode("utf-8", "surrogatepass"))
        return lambda: unveil.PublishedTable.from_file(path)

    def names(self) -> Callable[[], object]:
        names = self.dice.sample(HOSTILE, 3)
        return lambda: self.measure_named(names)

    def measure_named(self, names: list[str]) -> None:
        """Hostile names are shown as text: no tag of theirs in a page, no control character."""
        import unveil

        frame = pl.DataFrame(
            {name: self.frame[old] for name, old in zip(names, "knt", strict=True)}
        )
        found = unveil.disclosure(frame, frame, keys=names[:2], targets=names[2])
        page = found._repr_html_()
        assert not any(tag in page for tag in ("<script>", "<img", "<!--", "]]>")), (
            "a tag of a name in the page"
        )
        shown = str(found) + repr(found)
        assert not any(ord(letter) < 32 and letter not in "\n" for letter in shown), (
            "a control character"
        )
        assert found.to_dict()["keys"] == tuple(names[:2])


WEIGHTS = {
    "exclusions": 30,
    "rules": 30,
    "projects": 16,
    "plans": 10,
    "files": 7,
    "tables": 4,
    "beside": 4,
    "settings": 2,
    "names": 1,
    "binaries": 0.03,
}


class TookTooLong(Exception):
    """A case that does not end."""


def stop(*_: object) -> None:
    raise TookTooLong


def fault_of(case: Callable[[], object]) -> str | None:
    """What is wrong with a case, or nothing."""
    from unveil.errors import InternalError, UnveilError

    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as out:
            warnings.simplefilter("error")
            case()
    except InternalError:
        return traceback.format_exc()
    except UnveilError as error:
        if CANARY in str(error):
            return f"a value is quoted: {error}"
        return None if error.__cause__ is None else f"the error of another library shows: {error}"
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
    return f"printed: {out.getvalue()}" if out.getvalue() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30, help="end with an error beyond these")
    parser.add_argument("--only", choices=WEIGHTS, help="one kind of input")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, stop)
    started = time.monotonic()
    done, faults = Counter[str](), []
    with tempfile.TemporaryDirectory() as place:
        folder, temporary = Path(place) / "here", Path(place) / "tmp"
        folder.mkdir()
        temporary.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        os.chdir(folder)
        cases = Cases(asked.seed, folder)
        kinds = [asked.only] if asked.only else list(WEIGHTS)
        weights = [1] if asked.only else list(WEIGHTS.values())
        inputs = {"f.csv", "f.tsv", "f.txt", "counts.csv"}
        for number in range(asked.cases):
            kind = cases.dice.choices(kinds, weights)[0]
            fault = fault_of(getattr(cases, kind)())
            done[kind] += 1
            if fault:
                faults.append(f"case {number} of seed {asked.seed}, {kind}:\n{fault}")
            if time.monotonic() - started > 60 * asked.minutes:
                faults.append(f"only {number + 1:,} cases in {asked.minutes:g} minutes")
                break
        left = [
            p.name for p in folder.iterdir() if p.name not in inputs and not p.name.startswith("f.")
        ]
        left += [p.name for p in temporary.iterdir()]
        os.chdir(ROOT)
    if left:
        faults.append(f"left behind: {', '.join(left)}")
    seconds = time.monotonic() - started
    print(f"{sum(done.values()):,} inputs in {seconds:,.0f} s, {len(faults)} faults: {dict(done)}")
    alike: dict[str, list[str]] = {}
    for fault in faults:  # each place once
        places = [line for line in fault.splitlines() if "/unveil/" in line]
        alike.setdefault("".join(places[-1:]) + fault.splitlines()[-1], []).append(fault)
    for same in alike.values():
        print(f"\n{len(same)} times, first {same[0]}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

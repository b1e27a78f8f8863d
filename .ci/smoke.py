"""Does an installed unveil do its main work? Each command once, on the embedded example.

Run by the Python in which unveil is installed, from any folder; prints what ran.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = shutil.which("unveil", path=str(Path(sys.executable).parent)) or "unveil"
FILES = ["e/survey.csv", "e/survey_synthetic.csv"]
KEYS = ["--keys", "sex,age,region"]
BY = ["--by", "Ann Lee, analyst"]
COMMANDS = (
    ["demo", "--files", "e"],
    ["demo"],
    ["doctor"],
    ["convert", FILES[1], "--like", FILES[0], "--format", "sav", "--out", "c"],
    ["convert", FILES[1], "--like", FILES[0], "--format", "parquet", "--out", "c"],
    ["disclosure", *FILES, *KEYS, "--targets", "health", "--chart", "c.svg"],
    ["disclosure", FILES[0], "c/FAKE_survey_synthetic.sav", *KEYS, "--targets", "health", "--json"],
    ["cap", *FILES, *KEYS, "--target", "health"],
    ["gtcap", *FILES, *KEYS, "--target", "health", "--radius", "age=5"],
    ["uniques", FILES[0], *KEYS],
    ["attack", *FILES, "--inference", *KEYS, "--secrets", "health", "--n", "50"],
    ["utility", *FILES],
    ["synthesise", FILES[0], "--out", "made"],
    ["init", FILES[0], "--synthetic", FILES[1], "--folder", "p", *BY],
    ["run", "p", *BY],
    ["report", "p"],
)
FINE = {0, 3, 4}  # done; a limit is exceeded, or a decision is outstanding


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for words in COMMANDS:
            ended = subprocess.run(
                [PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False
            )
            if ended.returncode not in FINE:
                sys.exit(f"unveil {' '.join(words)}: {ended.returncode}\n{ended.stderr[-1500:]}")
    versions = subprocess.run(
        [PROGRAM, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    print(f"{versions}, Python {sys.version.split()[0]}: {len(COMMANDS)} commands ran")


if __name__ == "__main__":
    os.environ["PYTHONWARNINGS"] = "error::DeprecationWarning:unveil"
    main()

"""Files that disclose must not pass, and honest ones must: the cases of wrong_greens.json.

    python tests/wrong_greens.py [ID ...]

The files are made by make.py of the reference data, whose place UNVEIL_REFERENCE names. Ends with 1
if a case has another exit code than expected, or no alert that names the column that is at fault.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import unveil
from unveil.cli.commands import ALL

SUITE = json.loads(Path(__file__).with_suffix(".json").read_text())
STOPS = (2, 3, 4)


def run(words: list[str]) -> tuple[int, dict]:
    """The exit code of a command, and its document."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        try:
            command = ALL[words[0]]()
            code = command.main([*words[1:], "--json"], standalone_mode=False)
        except unveil.UnveilError as refusal:
            return refusal.exit_code, {"refusal": str(refusal)}
    return code, json.loads(printed.getvalue())


def fault_of(expect: dict, code: int, document: dict) -> str:
    """What is wrong with an answer; nothing if it is right."""
    if code not in (0, *STOPS):
        return f"ended with {code}"
    if "exit" in expect and code not in expect["exit"]:
        return f"ended with {code}, not {expect['exit']}: {document.get('headline', '')}"
    alerts = document.get("tables", {}).get("alerts", [])
    named = {c for a in alerts if a["status"] != "review" for c in a["columns"]}
    refused = document.get("refusal", "")
    names = expect.get("names", [])
    if names and not any(name in named or repr(name) in refused for name in names):
        return f"names {sorted(named)}, not {' or '.join(names)}"
    return ""


def main(wanted: list[str]) -> int:
    reference = Path(os.environ["UNVEIL_REFERENCE"])
    n_faults = 0
    with tempfile.TemporaryDirectory() as folder:
        make = [sys.executable, str(reference / "wrong_greens" / "make.py"), folder]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        for case in SUITE["cases"]:
            if wanted and not any(word in case["id"] for word in wanted):
                continue
            os.chdir(Path(folder, case["id"]))
            for words in case["steps"]:
                place = str(reference / "synthpop")
                words = [word.replace("{synthpop}", place) for word in words]
                code, document = run(words)
                fault = fault_of(case["expect"], code, document)
                n_faults += bool(fault)
                print(
                    f"{'FAIL' if fault else 'ok  '} {case['id']:<28} exit {code} {fault}",
                    flush=True,
                )
            os.chdir("/")
    for entry in SUITE["not_tested"]:
        print(f"not tested: {entry['id']}, {entry['reason']}")
    print(f"{n_faults} wrong")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

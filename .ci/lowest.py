"""The lowest versions that pyproject.toml allows of each dependency, one `name==version` a line."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
for wanted in project["dependencies"]:
    name, lowest = re.fullmatch(r"([\w.-]+)>=([\d.]+)", wanted).groups()
    print(f"{name}=={lowest}")

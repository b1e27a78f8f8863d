"""Hooks of the documentation site: the reference from docstrings, the notebook as a page."""

import inspect
import json
import re
from pathlib import Path


def reference() -> str:
    """Every public name with its signature and docstring."""
    import unveil

    parts = ["# Reference\n\nEvery public name, from its docstring.\n"]
    for name in sorted(unveil.__all__, key=str.casefold):
        thing = getattr(unveil, name)
        try:
            signature = str(inspect.signature(thing))
        except (TypeError, ValueError):
            signature = ""
        signature = re.sub(r"collections\.abc\.|typing\.|unveil\.[\w.]*\.", "", signature)
        text = inspect.getdoc(thing) or ""
        parts.append(f"## {name}\n\n```text\nunveil.{name}{signature}\n\n{text}\n```\n")
    return "\n".join(parts)


def notebook(place: Path) -> str:
    """The cells of the notebook, each with what it shows."""
    parts = []
    for cell in json.loads(place.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for shown in cell.get("outputs", ()):
            lines = shown.get("text") or shown["data"]["text/plain"]
            parts.append(f"```text\n{''.join(lines).rstrip()}\n```")
    return "\n\n".join([*parts, f"[This page as a notebook]({place.name})"])


def on_files(files, config):
    from mkdocs.structure.files import File

    made = notebook(Path(config["docs_dir"]) / "notebook.ipynb")
    files.append(File.generated(config, "notebook.md", content=made))
    files.append(File.generated(config, "reference.md", content=reference()))
    return files

"""A hook of the documentation site: the reference, made from docstrings."""

import inspect
import re


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


def on_files(files, config):
    from mkdocs.structure.files import File

    files.append(File.generated(config, "reference.md", content=reference()))
    return files

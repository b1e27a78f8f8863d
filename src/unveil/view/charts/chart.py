"""A chart as a thing to hold: look at it in a notebook, save it, or take what it says as data.

A notebook gets Vega-Lite, in which figures are shown under the pointer, and the still picture
beside it. Notebooks store what they show, so a chart holds aggregates only.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.atomic import write_private
from unveil.errors import SettingsError
from unveil.view.charts.render_svg import Spec, apply_theme, render_svg
from unveil.view.format import visible

VEGA_LITE = "application/vnd.vegalite.v5+json"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # its name: nobody fetches it


@dataclass(frozen=True, repr=False)
class Chart:
    """One picture: what it shows in Vega-Lite, its title, and the same said in words."""

    spec: Spec
    title: str
    description: str

    def svg(self) -> str:
        """The still picture: one SVG document, with its title and description as text."""
        return render_svg(self.spec, title=self.title, description=self.description)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the still picture to a new file (`.svg`) that only its owner may read.

        Raises
        ------
        SettingsError
            If the name of the file does not end in `.svg`.
        WriteError
            If the file is there already, or cannot be written.
        """
        place = Path(path)
        if place.suffix.lower() != ".svg":
            raise SettingsError(
                f"Charts are saved as SVG, and {str(place)!r} does not end in .svg. Name a file"
                " like 'chart.svg'."
            )
        write_private(place, self.svg().encode())
        return place

    def to_dict(self) -> dict[str, Any]:
        """The whole specification in Vega-Lite, with its figures under the pointer."""
        told = apply_theme(self.spec, title=self.title)
        marks = {"tooltip": True, **told["config"].get("mark", {})}
        return {
            "$schema": _SCHEMA,
            "description": visible(self.description),
            **told,
            "config": {**told["config"], "mark": marks},
        }

    def __repr__(self) -> str:
        """The title, and what the picture shows."""
        return f"{visible(self.title)}\n{visible(self.description)}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: interactive where they can, the still picture where not."""
        return {
            VEGA_LITE: self.to_dict(),
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }

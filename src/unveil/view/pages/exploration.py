"""Synthesis settings compared on one page: the map of risk and utility, sentences and table."""

from unveil.records.exploration import Exploration
from unveil.view.blocks import Figure
from unveil.view.charts.scatter import risk_utility
from unveil.view.exploration import TITLE, exploration_blocks
from unveil.view.render_page import illustrate, render_page

CAPTION = "Each point is a setting{copies}. The grey line joins the settings that no other betters."
COPIES = ", the mean of its copies; thin lines are one standard deviation over copies"


def exploration_page(record: Exploration) -> str:
    """The whole page."""
    caption = CAPTION.format(copies=COPIES if record.n_copies > 1 else "")
    key = "exploration/ends" if record.frontier else "exploration/frontier"
    charts = {key: lambda text: Figure(text, risk_utility(record), caption)}
    return render_page(TITLE, illustrate(exploration_blocks(record), charts))

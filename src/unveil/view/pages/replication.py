"""Published results as one page: sentences, the chart of intervals, and all tables."""

from unveil.records.replication import Replication
from unveil.view.blocks import Figure
from unveil.view.charts.intervals import overlap
from unveil.view.render_page import illustrate, render_page
from unveil.view.replication import TITLE, replication_blocks

CAPTION = "Estimates and confidence intervals: the original above, the synthetic data below it."


def replication_page(record: Replication) -> str:
    """The whole page."""
    charts = {"replication/means": lambda text: Figure(text, overlap(record), CAPTION)}
    return render_page(TITLE, illustrate(replication_blocks(record), charts))

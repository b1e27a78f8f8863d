"""Original and copies on the original's two main axes, filtered and retained units marked."""

from unveil.records.comparison import Cloud
from unveil.records.utility import Projection
from unveil.view.charts.chart import render_svg
from unveil.view.charts.scatter import points_spec, thin_points, thinned_words
from unveil.view.format import percent


def projection_chart(record: Projection, cloud: Cloud) -> str:
    """Chapelle and Falissard (2023), Figures 12 and 13: at most 2,000 points of single records."""
    rows = [
        {"side": side, "x": x, "y": y}
        for side, x, y in zip(cloud.side, cloud.x, cloud.y, strict=True)
    ]
    points = list(thin_points(rows))
    axes = [
        f"axis {one.number} ({percent(100 * one.explained)} of the spread)"
        for one in record.components
    ]
    return render_svg(
        points_spec(points, *axes),
        title="Original and copies on the original's main axes",
        description=thinned_words(cloud, len(points)),
    )

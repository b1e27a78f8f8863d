import re
from html import escape
from xml.dom import minidom

import pytest

from unveil.view.charts.chart import render_svg
from unveil.view.format import visible
from unveil.view.projection import MOST_POINTS, thin_points


def spec(*names, **more):
    return {
        "data": {"values": [{"name": name, "value": place} for place, name in enumerate(names)]},
        "mark": "bar",
        "encoding": {
            "y": {"field": "name", "type": "nominal"},
            "x": {"field": "value", "type": "quantitative"},
        },
        **more,
    }


def test_a_chart_is_one_image_with_a_name_and_a_description_and_its_text_is_text():
    picture = render_svg(spec("age", "income"), title="Two bars", description="One is longer.")
    root = minidom.parseString(picture).documentElement
    assert root.getAttribute("role") == "img"
    assert [node.tagName for node in root.childNodes[:2]] == ["title", "desc"]
    assert ">income<" in picture
    assert "<script" not in picture


SHADED = {"color": {"field": "value", "type": "quantitative"}}
CLIPPED = {"mark": {"type": "point", "clip": True}}


@pytest.mark.parametrize("more", [{}, CLIPPED, {"encoding": SHADED, "mark": "rect"}])
def test_the_same_chart_has_the_same_bytes(more):
    first = render_svg(spec("a", **more), title="t", description="d")
    assert first == render_svg(spec("a", **more), title="t", description="d")


def test_two_charts_on_one_page_have_no_id_in_common():
    pictures = [
        render_svg(spec(*names, encoding=SHADED, mark="rect"), title="t", description="d")
        for names in ("ab", "abc")
    ]
    first, second = (set(re.findall(r'id="([^"]+)"', picture)) for picture in pictures)
    assert first
    assert second
    assert not first & second
    assert all(f"url(#{found})" in pictures[0] for found in first)


@pytest.mark.parametrize("title", [r"x \u001b", "it's", 'a "b"', "back\\slash", "\x1b[0m"])
def test_the_title_of_an_axis_is_text(title):
    asked = spec("a")
    asked["encoding"]["x"]["title"] = title
    picture = render_svg(asked, title="t", description="d")
    minidom.parseString(picture)
    assert escape(visible(title), quote=False) in picture


@pytest.mark.parametrize(
    "label", ["\x1b[31mred", "\x00", "\ufffe", "\ud800", "\u202e", "<script>x</script>", "a\\1&\"'"]
)
def test_no_label_ends_the_program_or_becomes_markup(label):
    picture = render_svg(spec(label, "b"), title=label, description=label)
    minidom.parseString(picture.encode())
    assert "<script" not in picture
    assert "\x1b" not in picture


def test_nothing_is_fetched_from_an_address_in_a_specification(tmp_path):
    data = tmp_path / "data.json"
    data.write_text('[{"name": "canary-8812", "value": 1}]')
    asked = spec("a", data={"url": data.as_uri()})
    try:
        picture = render_svg(asked, title="t", description="d")
    except Exception as fault:
        picture = str(fault)
    assert "canary-8812" not in picture


def test_many_points_are_thinned_the_same_way_each_time_and_by_no_pattern():
    kept = thin_points(range(10 * MOST_POINTS))
    assert len(kept) == MOST_POINTS
    assert kept == thin_points(range(10 * MOST_POINTS)) == sorted(set(kept))
    assert 150 < sum(place % 10 == 0 for place in kept) < 250
    assert thin_points([1, 2]) == [1, 2]

"""Does the gate stop releases that disclose, and leave honest ones alone?"""

import pytest

import unveil
from gate import known_releases
from gate.blind_releases import CASES as BLIND
from gate.blind_releases import honest_files


def worst(original, synthetic, control=None):
    alerts = unveil.assess(original, synthetic, control=control).alerts
    found = {alert.status for alert in alerts}
    return next((one for one in ("block", "decide", "review") if one in found), "none"), alerts


@pytest.mark.slow
@pytest.mark.parametrize("name", known_releases.CASES)
def test_a_release_made_to_dodge_a_rule_is_stopped_and_its_twin_is_not(name):
    status, alerts = worst(*known_releases.release(name, honest=False))
    assert status == "block", alerts
    status, alerts = worst(*known_releases.release(name, honest=True))
    assert status == "none", alerts


@pytest.mark.slow
@pytest.mark.parametrize("name", BLIND)
def test_a_release_written_without_knowledge_of_the_detector(name):
    _, build = BLIND[name]
    for case in build():
        status, alerts = worst(case.original, list(case.synthetic), case.control)
        wanted = {
            "stop": ("block", "decide"),
            "review": ("review", "decide", "block"),
            "silent": ("none", "review"),
        }
        assert status in wanted[case.should], (case.name, alerts)


@pytest.mark.slow
def test_honest_files_are_not_stopped_and_seldom_reviewed():
    found = {
        one.name: worst(one.original, list(one.synthetic), one.control) for one in honest_files()
    }
    assert len(found) == 40
    assert not {name: alerts for name, (s, alerts) in found.items() if s in ("block", "decide")}
    assert sum(status == "review" for status, _ in found.values()) <= 2

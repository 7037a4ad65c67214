"""Chances and results are counted by tenths and drawn as a diagram that reads as XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from benchmarks.analysis.calibrate import bins_of, diagram_of, estimates_of


def test_chances_are_counted_by_tenths() -> None:
    bins = bins_of([(0.31, True), (0.35, False), (0.39, False), (1.0, True)])
    assert [(each.place, each.decisions, each.lost) for each in bins] == [(3, 3, 1), (9, 1, 1)]
    assert abs(bins[0].mean - 0.35) < 1e-9
    assert bins[1].share == 1.0


def test_the_diagram_has_a_point_for_each_tenth() -> None:
    given = estimates_of("podkidnoy-24", 2, 2, seed=1)
    assert given
    assert all(0 <= chance <= 1 for chance, _ in given)
    bins = bins_of(given)
    root = ET.fromstring(diagram_of(bins))
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == len(bins)

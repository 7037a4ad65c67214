"""Compute and draw the receiver operating characteristic: false accusations against faults announced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ACCUSING_FROM = (0.05, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
"""Thresholds of the receiver operating characteristic."""

WIDTH, HEIGHT, MARGIN = 640, 420, 60


def at_threshold(
    suspected: Iterable[tuple[float, bool]], threshold: float, games: int, faults: int
) -> tuple[float, float]:
    """
    Return false accusations per 100 games and the share of faults found if each threshold were used.

    ``suspected``: plays with the probability that they broke a rule, and whether they did.

    >>> at_threshold([(0.99, True), (0.6, False)], 0.5, games=10, faults=2)
    (10.0, 0.5)
    """
    accused = [is_guilty for probability, is_guilty in suspected if probability >= threshold]
    return 100 * accused.count(False) / max(1, games), accused.count(True) / max(1, faults)


def drawn(
    points: Sequence[tuple[float, float, float]], title: str, operating: float | None = None, of: str = "games"
) -> str:
    """
    Return an SVG. ``points``: (threshold, false accusations per 100 games, share of faults found), in any order;
    ``operating``: the threshold in use, marked; ``of``: the unit that is counted in hundreds.

    >>> picture = drawn([(0.5, 3.0, 0.9), (0.9, 1.0, 0.8)], "level 1", operating=0.9)
    >>> picture.count("<circle"), "0.9, in use" in picture
    (2, True)
    """
    most = max(1.0, *(false for _, false, _ in points))

    def x(false: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * false / most

    def y(called: float) -> float:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * called

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    parts.append(f'<text x="{WIDTH / 2}" y="28" text-anchor="middle" font-size="16">{title}</text>')
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<path d="M{MARGIN} {y(share):.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>')
        parts.append(_text(MARGIN - 6, y(share) + 4, f"{share:.0%}", "end"))
        parts.append(_text(x(share * most), HEIGHT - MARGIN + 18, f"{share * most:.3g}", "middle"))
    parts.append(_text(WIDTH / 2, HEIGHT - 14, f"false accusations a 100 {of}", "middle"))
    parts.append(_text(MARGIN, MARGIN - 12, "faults called", "middle"))
    placed = " ".join(f"{x(false):.1f},{y(called):.1f}" for _, false, called in sorted(points))
    parts.append(f'<polyline points="{placed}" fill="none" stroke="#06c" stroke-width="2"/>')
    for number, (threshold, false, called) in enumerate(sorted(points)):
        radius, colour, use = (7, "#c30", ", in use") if threshold == operating else (4, "#06c", "")
        parts.append(f'<circle cx="{x(false):.1f}" cy="{y(called):.1f}" r="{radius}" fill="{colour}"/>')
        # Alternate below and above, since the points are close together.
        dx, dy, anchor = (9, 16, "start") if number % 2 or use else (-4, -10, "middle")
        parts.append(_text(x(false) + dx, y(called) + dy, f"{threshold:g}{use}", anchor))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12">{words}</text>'

"""Courts and backs of invented decks: figures of simple shapes, the lower half the upper one turned round."""

from __future__ import annotations

import cv2
import numpy as np


def _paint(rng: np.random.Generator) -> str:
    """Draw a printer's colour at random."""
    hsv = np.array([[[rng.uniform(0, 180), rng.uniform(80, 255), rng.uniform(50, 255)]]]).astype(np.uint8)
    r, g, b = (int(v) for v in cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0])
    return f"#{r:02x}{g:02x}{b:02x}"


def _stripes(rng: np.random.Generator, w: float, h: float, colours: list[str]) -> str:
    """Draw bands across a cloth of w x h about the origin."""
    lean, step = rng.uniform(-60, 60), rng.uniform(2, 7)
    count = int(2 * (w + h) / step)
    reach = w + h
    bands = "".join(
        f'<rect x="{-reach:.1f}" y="{-reach + i * step:.1f}" width="{2 * reach:.1f}" '
        f'height="{step * rng.uniform(0.3, 0.8):.1f}" fill="{colours[i % len(colours)]}"/>'
        for i in range(min(count, 60))
    )
    return f'<g transform="rotate({lean:.1f})">{bands}</g>'


def _half(rng: np.random.Generator, w: float, h: float, colours: list[str]) -> str:
    """Draw the upper half of a figure in a box w x h: the waist at the bottom, the head at the top; origin top left."""
    middle, head = w / 2 + rng.uniform(-0.06, 0.06) * w, rng.uniform(0.12, 0.2) * w
    head_y = h * rng.uniform(0.3, 0.42)
    skin = f"#{int(rng.integers(190, 250)):02x}{int(rng.integers(150, 205)):02x}{int(rng.integers(110, 180)):02x}"
    shoulder, waist = rng.uniform(0.28, 0.48) * w, rng.uniform(0.2, 0.48) * w
    neck = head_y + head * 0.9
    mark = f"c{int(rng.integers(1 << 40)):x}"
    arm = neck + h * 0.14
    cloth = f"M{middle - head * 0.6:.1f},{neck:.1f} L{middle - shoulder:.1f},{arm:.1f} L{middle - waist:.1f},{h} "
    cloth += f"L{middle + waist:.1f},{h} L{middle + shoulder:.1f},{arm:.1f} L{middle + head * 0.6:.1f},{neck:.1f} Z"
    parts = [
        f'<clipPath id="{mark}"><path d="{cloth}"/></clipPath>',
        f'<path d="{cloth}" fill="{colours[0]}" stroke="#222" stroke-width=".4"/>',
        f'<g clip-path="url(#{mark})"><g transform="translate({middle:.1f} {h * 0.8:.1f})">',
        f"{_stripes(rng, w, h, colours[1:])}</g></g>",
    ]
    if rng.random() < 0.7:  # hair behind the head
        parts.append(
            f'<ellipse cx="{middle:.1f}" cy="{head_y + head * 0.3:.1f}" rx="{head * rng.uniform(1.2, 1.6):.1f}" '
            f'ry="{head * rng.uniform(1.2, 1.8):.1f}" fill="{colours[2]}"/>'
        )
    parts.append(f'<ellipse cx="{middle:.1f}" cy="{head_y:.1f}" rx="{head:.1f}" ry="{head * 1.25:.1f}" fill="{skin}"/>')
    for side in (-0.35, 0.35):
        parts.append(
            f'<circle cx="{middle + side * head:.1f}" cy="{head_y - head / 10:.1f}" r="{head / 8:.2f}" fill="#222"/>'
        )
    if rng.random() < 0.5:
        parts.append(
            f'<path d="M{middle - head:.1f},{head_y + head * 0.4:.1f} Q{middle:.1f},{head_y + head * 2.6:.1f} '
            f'{middle + head:.1f},{head_y + head * 0.4:.1f} Z" fill="{colours[1]}"/>'
        )
    points, top = int(rng.integers(1, 6)), head_y - head
    crown = f"M{middle - head * 1.1:.1f},{top:.1f} "
    for i in range(points):
        x = middle - head * 1.1 + (i + 0.5) * 2.2 * head / points
        crown += (
            f"L{x:.1f},{top - head * rng.uniform(0.6, 1.2):.1f} L{x + 1.1 * head / points:.1f},{top - head * 0.2:.1f} "
        )
    parts.append(
        f'<path d="{crown}L{middle + head * 1.1:.1f},{top:.1f} Z" fill="{colours[3]}" stroke="#222" stroke-width=".3"/>'
    )
    if rng.random() < 0.7:
        x = middle + rng.choice([-1, 1]) * w * rng.uniform(0.3, 0.42)
        parts.append(
            f'<path d="M{x:.1f},{h * 0.15:.1f} L{x:.1f},{h}" stroke="{colours[3]}" '
            f'stroke-width="{rng.uniform(0.8, 2.5):.1f}"/>'
        )
        parts.append(f'<circle cx="{x:.1f}" cy="{h * 0.15:.1f}" r="{rng.uniform(1, 4):.1f}" fill="{colours[1]}"/>')
    return "".join(parts)


def court(rng: np.random.Generator, box: tuple[float, float, float, float], paper: str, framed: bool) -> str:
    """Draw a random figure in ``box`` (x, y, width, height)."""
    x, y, w, h = box
    colours = [_paint(rng) for _ in range(5)]
    mark = f"b{int(rng.integers(1 << 40)):x}"
    kind = rng.random()
    if kind < 0.12:  # nothing but a rosette
        inside = "".join(
            f'<ellipse cx="{w / 2:.1f}" cy="{h / 2:.1f}" rx="{w * 0.08:.1f}" ry="{h * rng.uniform(0.2, 0.4):.1f}" '
            f'fill="{colours[i % 5]}" transform="rotate({i * 30} {w / 2:.1f} {h / 2:.1f})" opacity=".8"/>'
            for i in range(6)
        )
    else:
        half = _half(rng, w, h / 2, colours)
        inside = f'{half}<g transform="rotate(180 {w / 2:.2f} {h / 2:.2f})">{half}</g>'
    ground = _paint(rng) if rng.random() < 0.2 else paper
    rim = f'<rect width="{w:.2f}" height="{h:.2f}" fill="none" stroke="#333" stroke-width=".5"/>' if framed else ""
    return (
        f'<g transform="translate({x:.2f} {y:.2f})">'
        f'<clipPath id="{mark}"><rect width="{w:.2f}" height="{h:.2f}"/></clipPath>'
        f'<g clip-path="url(#{mark})"><rect width="{w:.2f}" height="{h:.2f}" fill="{ground}"/>{inside}</g>{rim}</g>'
    )


def back(rng: np.random.Generator, w: float, h: float, paper: str) -> str:
    """Draw a random back: lattice, scales, stripes or a plain ground, with or without a rim and an emblem."""
    first, second = _paint(rng), _paint(rng) if rng.random() < 0.4 else "#f4f4f0"
    rim = float(rng.uniform(2, 6)) if rng.random() < 0.7 else 0.0
    step, line = float(rng.uniform(2, 10)), float(rng.uniform(0.3, 2))
    half = step / 2
    kind = rng.choice(["lattice", "dots", "stripes", "plain", "rings"])
    pattern = {
        "lattice": f'<path d="M0,0 L{step},{step} M{step},0 L0,{step}" stroke="{second}" stroke-width="{line}"/>',
        "dots": f'<circle cx="{half}" cy="{half}" r="{min(line, step / 3)}" fill="{second}"/>',
        "stripes": f'<rect width="{step / 2}" height="{step}" fill="{second}"/>',
        "plain": "",
        "rings": (
            f'<circle cx="{half}" cy="{half}" r="{step * 0.4}" fill="none" stroke="{second}" stroke-width="{line}"/>'
        ),
    }[str(kind)]
    mark = f"p{int(rng.integers(1 << 40)):x}"
    field = f'x="{rim:.2f}" y="{rim:.2f}" width="{w - 2 * rim:.2f}" height="{h - 2 * rim:.2f}" rx="{min(rim, 2):.1f}"'
    emblem = ""
    if rng.random() < 0.5:
        r = w * rng.uniform(0.1, 0.3)
        for share in (1.0, 0.8, 0.5, 0.2):
            emblem += f'<circle cx="{w / 2:.1f}" cy="{h / 2:.1f}" r="{r * share:.1f}" fill="{_paint(rng)}"/>'
    turn = rng.choice([0, 0, 45, 30])
    return (
        f'<defs><pattern id="{mark}" width="{step}" height="{step}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate({turn})">{pattern}</pattern></defs>'
        f'<rect width="{w:.2f}" height="{h}" fill="{paper}"/>'
        f'<rect {field} fill="{first}"/><rect {field} fill="url(#{mark})"/>{emblem}'
    )

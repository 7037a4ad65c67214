"""
Draw the project's own deck: 52 faces with Russian indices (Т В Д К) and a back, as SVG without fonts or ids.

``python -m datasets.decks.own_deck`` writes them into ``webapp/web/static/cards``: the dashboard shows them, the
recording is played with them and the classifier is trained on them. The sixteen whose English index (A J Q K) is
another lie in ``en`` there, those with French ones (A V D R) in ``fr``, for the dashboard alone. A card measures 63 x
88 mm; one unit is a tenth of a millimetre.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from datasets.decks.own_courts import FRAME, GOLD, LINE, LIVERIES, MIDDLE, court
from datasets.decks.own_glyphs import ENGLISH_GLYPHS, FRENCH_GLYPHS, GLYPHS, INKS, glyph, number, pip, shape
from referee.cards import Card, pack

WIDTH, HEIGHT = 630, 880
CORNER = 34
PAPER = "#fffdf8"
OUT = Path(__file__).resolve().parents[2] / "webapp" / "web" / "static" / "cards"

COLUMNS = (205, 315, 425)
ROWS = {"top": 152, "bottom": 728}


def _spread(count: int) -> tuple[float, ...]:
    """Return the heights of ``count`` pips evenly from the top row to the bottom row."""
    step = (ROWS["bottom"] - ROWS["top"]) / (count - 1)
    return tuple(ROWS["top"] + step * i for i in range(count))


def pip_places(count: int) -> tuple[tuple[float, float], ...]:
    """
    Return where the pips of a number card lie, as on every French-suited pack.

    >>> [len(pip_places(n)) for n in range(2, 11)]
    [2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    left, middle, right = COLUMNS
    two, three, four = _spread(2), _spread(3), _spread(4)
    centre = three[1]
    high, low = (three[0] + three[1]) / 2, (three[1] + three[2]) / 2

    def sides(rows: tuple[float, ...]) -> list[tuple[float, float]]:
        return [(x, y) for y in rows for x in (left, right)]

    places: dict[int, list[tuple[float, float]]] = {
        2: [(middle, y) for y in two],
        3: [(middle, y) for y in three],
        4: sides(two),
        5: [*sides(two), (middle, centre)],
        6: sides(three),
        7: [*sides(three), (middle, high)],
        8: [*sides(three), (middle, high), (middle, low)],
        9: [*sides(four), (middle, centre)],
        10: [*sides(four), (middle, (four[0] + four[1]) / 2), (middle, (four[2] + four[3]) / 2)],
    }
    return tuple(places[count])


def _twice(content: str) -> str:
    """Return the content, and the content turned about the card's middle."""
    return f'{content}<g transform="rotate(180 {MIDDLE[0]} {MIDDLE[1]})">{content}</g>'


def _index(card: Card, glyphs: Mapping[str, str]) -> str:
    suit = card.suit.value
    return glyph(glyphs[card.rank], 74, 46, 104, INKS[suit]) + pip(suit, 74, 208, 76)


def _number_card(card: Card) -> str:
    count = 10 if card.rank == "T" else int(card.rank)
    return "".join(pip(card.suit.value, x, y, 112, turned=y > HEIGHT / 2 + 1) for x, y in pip_places(count))


def _ace(card: Card) -> str:
    """Draw one large pip; a laurel round it, and an eight-pointed star besides on the ace of spades."""
    suit = card.suit.value
    ink = INKS[suit]
    leaf = "M0-14C9-8 9 8 0 14C-9 8-9-8 0-14Z"
    leaves = []
    for i in range(36):
        angle = i * 10
        if angle % 90 == 0:
            leaves.append(
                f'<path transform="rotate({angle} 315 440) translate(315 258)" d="M0-20L14 0L0 20L-14 0Z" '
                f'fill="{LIVERIES[suit].robe}"/>'
            )
        else:
            lean = 35 if i % 2 else -35
            leaves.append(
                f'<path transform="rotate({angle} 315 440) translate(315 258) rotate({90 + lean})" d="{leaf}" '
                f'fill="{ink}"/>'
            )
    ring = f'<circle cx="315" cy="440" r="152" fill="none" stroke="{ink}" stroke-width="3"/>'
    star = ""
    if suit == "s":
        points = "".join(
            f'<path transform="rotate({a} 315 440)" d="M315 318L325 440L315 562L305 440Z" fill="#dcd2b8"/>'
            for a in (0, 45, 90, 135)
        )
        star = points
    return "".join(leaves) + ring + star + pip(suit, 315, 440, 190)


def _court_card(card: Card) -> str:
    suit = card.suit.value
    left, top, right, bottom = FRAME
    w, h = right - left, bottom - top
    ink = INKS[suit]
    paper = f'<rect x="{left}" y="{top}" width="{w}" height="{h}" rx="12" fill="{LIVERIES[suit].paper}"/>'
    half = (
        f'<g stroke="{LINE}" stroke-width="4" stroke-linejoin="round" stroke-linecap="round">'
        f"{court(card.rank, suit)}</g>" + pip(suit, 172, 116, 78)
    )
    rhombs = "".join(f"M{x} 432l12 8-12 8-12-8Z" for x in range(left + 25, right, 48))
    band = shape(f"M{left} 430H{right}V450H{left}Z", LIVERIES[suit].cloak) + shape(rhombs, GOLD)
    frame = (
        f'<rect x="{left}" y="{top}" width="{w}" height="{h}" rx="12" fill="none" stroke="{ink}" stroke-width="5"/>'
        f'<rect x="{left + 8}" y="{top + 8}" width="{w - 16}" height="{h - 16}" rx="7" fill="none" stroke="{ink}" '
        f'stroke-width="1.5"/>'
    )
    return paper + _twice(half) + band + frame


def _card(content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="63mm" height="88mm" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="{CORNER}" fill="{PAPER}" stroke="#b9b4a6" '
        f'stroke-width="2"/>{content}</svg>\n'
    )


def face_svg(card: Card, glyphs: Mapping[str, str] = GLYPHS) -> str:
    """
    Draw one face as SVG text. ``glyphs``: how each rank's index is written.

    >>> face_svg(Card.parse("Td")).count("<path")
    14
    """
    if card.rank == "A":
        middle = _ace(card)
    elif card.rank in "JQK":
        middle = _court_card(card)
    else:
        middle = _number_card(card)
    return _card(middle + _twice(_index(card, glyphs)))


def back_svg() -> str:
    """Draw the back: a lattice of stars on blue, the same either way up."""
    blue, pale, gold = "#1d3c7c", "#e9e4d4", "#d8b45c"
    margin = 36
    x0, y0, x1, y1 = margin, margin, WIDTH - margin, HEIGHT - margin
    cell_x, cell_y = (x1 - x0) / 9, (y1 - y0) / 13
    lattice = []
    for i in range(-13, 10):
        for direction in (1, -1):
            points = []
            for j in (0, 13):
                points.append((i + j, j) if direction > 0 else (9 - i - j, j))
            (ax, ay), (bx, by) = points
            lo, hi = sorted(((0 - ax) / (bx - ax), (9 - ax) / (bx - ax)))
            lo, hi = max(lo, 0.0), min(hi, 1.0)
            if lo < hi:
                ends = [(ax + (bx - ax) * t, ay + (by - ay) * t) for t in (lo, hi)]
                (px, py), (qx, qy) = [(x0 + cell_x * u, y0 + cell_y * v) for u, v in ends]
                lattice.append(f"M{number(px)} {number(py)}L{number(qx)} {number(qy)}")
    stars = []
    for row in range(13):
        for column in range(9):
            if (row + column) % 2:
                cx, cy = x0 + cell_x * (column + 0.5), y0 + cell_y * (row + 0.5)
                stars.append(f"M{number(cx)} {number(cy - 14)}l4 10 10 4-10 4-4 10-4-10-10-4 10-4Z")
    medallion = (
        f'<circle cx="315" cy="440" r="128" fill="{blue}" stroke="{gold}" stroke-width="10"/>'
        f'<circle cx="315" cy="440" r="108" fill="none" stroke="{pale}" stroke-width="3"/>'
        + "".join(
            f'<path transform="rotate({a} 315 440)" d="M315 340L334 440L315 540L296 440Z" '
            f'fill="{gold if a % 90 else pale}" stroke="{blue}" stroke-width="3"/>'
            for a in (45, 135, 0, 90)
        )
        + f'<circle cx="315" cy="440" r="26" fill="{blue}" stroke="{gold}" stroke-width="6"/>'
    )
    content = (
        f'<rect x="{x0}" y="{y0}" width="{x1 - x0}" height="{y1 - y0}" rx="18" fill="{blue}"/>'
        f'<path d="{"".join(lattice)}" fill="none" stroke="{pale}" stroke-width="3.5"/>'
        f'<path d="{"".join(stars)}" fill="{gold}"/>'
        f'<rect x="{x0}" y="{y0}" width="{x1 - x0}" height="{y1 - y0}" rx="18" fill="none" stroke="{gold}" '
        f'stroke-width="8"/>' + medallion
    )
    return _card(content)


def drawings() -> dict[str, str]:
    """Return file name -> SVG text of the whole deck: ``2s.svg`` ... ``Ac.svg`` and ``back.svg``."""
    faces = {f"{card}.svg": face_svg(card) for card in pack(52)}
    return {**faces, "back.svg": back_svg()}


def english_drawings() -> dict[str, str]:
    """Return file name -> SVG text of the faces with another index in English: ``en/Js.svg`` ... ``en/As.svg``."""
    return _lettered("en", ENGLISH_GLYPHS)


def french_drawings() -> dict[str, str]:
    """Return file name -> SVG text of the faces with a French index: ``fr/Js.svg`` ... ``fr/As.svg``."""
    return _lettered("fr", FRENCH_GLYPHS)


def _lettered(folder: str, glyphs: Mapping[str, str]) -> dict[str, str]:
    return {f"{folder}/{card}.svg": face_svg(card, glyphs) for card in pack(52) if card.rank in glyphs}


def main() -> None:
    """Write the deck."""
    parser = argparse.ArgumentParser(
        prog="python -m datasets.decks.own_deck", description="Draw the project's own deck."
    )
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the SVG files (default: %(default)s)")
    out: Path = parser.parse_args().out
    files = drawings() | english_drawings() | french_drawings()
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    print(f"{len(files)} cards in {out}, the largest {max(len(t.encode()) for t in files.values())} bytes")


if __name__ == "__main__":
    main()

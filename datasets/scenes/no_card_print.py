"""
Printed things on which no card lies, though they bear ranks, boxes and suit signs: felt, bank notes, phones, tickets.

Each is one drawing, (h, w, 3) uint8 BGR, from a seed; ``datasets.scenes.no_cards`` lays them on tables.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

import cv2
import numpy as np

from datasets.decks.deck_art import draw_text
from datasets.decks.invented_faces import colour
from datasets.decks.lettering import SUIT_SHAPES, fonts

FELT_WORDS = (
    *("PLAYER", "BANKER", "TIE", "DEALER", "INSURANCE", "PAYS 2 TO 1", "BLACKJACK", "ANTE", "BET", "RAISE", "FOLD"),
    *("POKER", "JACKPOT", "BONUS", "PAIR", "DRAGON", "BIG", "SMALL", "ODD", "EVEN", "RED", "BLACK", "PASS LINE"),
    *("FIELD", "COME", "POT", "BLINDS", "8 TO 1", "KINGS CASINO", "ROYAL", "QUEEN", "JACK", "ACE", "HIT", "STAND"),
)
FELT_SIGNS = (*"0123456789", "00", "10", "12", "19", "21", "26", "32", "36", "A", "J", "Q", "K", "D", "X")
ICONS = 24


def _ink(rng: np.random.Generator, bright: bool) -> str:
    value = (0.75, 1.0) if bright else (0.0, 0.4)
    return colour(rng.uniform(0, 180), rng.uniform(0, 0.9), rng.uniform(*value))


def _drawn(width: float, height: float, parts: list[str]) -> np.ndarray:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">{"".join(parts)}</svg>'
    return cv2.cvtColor(draw_text(svg), cv2.COLOR_RGBA2BGR)


def _text(rng: np.random.Generator, text: str, x: float, y: float, size: float, ink: str, turn: float = 0) -> str:
    families = fonts(False, every=True) or ("sans-serif",)
    family, weight = escape(str(rng.choice(families))), int(rng.choice([400, 700, 700]))
    return (
        f'<text transform="translate({x:.0f} {y:.0f}) rotate({turn:.0f})" text-anchor="middle" fill="{ink}" '
        f'font-family="{family}" font-size="{size:.0f}" font-weight="{weight}">{escape(text)}</text>'
    )


def _suit(rng: np.random.Generator, x: float, y: float, size: float, ink: str) -> str:
    path = SUIT_SHAPES[str(rng.choice(list("shdc")))](rng)
    return f'<path transform="translate({x:.0f} {y:.0f}) scale({size / 100:.3f})" d="{path}" fill="{ink}"/>'


def felt_print(rng: np.random.Generator) -> np.ndarray:
    """Draw a gaming cloth: words, numbers, boxes as large as cards, arcs, now and then a suit sign by itself."""
    width, height = 960, 640
    cloth = colour(rng.choice([rng.uniform(50, 85), rng.uniform(100, 125), rng.uniform(-8, 8)]), 0.8, 0.35)
    ink, other = _ink(rng, True), _ink(rng, True)
    parts = [f'<rect width="{width}" height="{height}" fill="{cloth}"/>']
    for _ in range(int(rng.integers(1, 4))):
        radius = rng.uniform(200, 700)
        parts.append(
            f'<circle cx="{width / 2}" cy="{rng.uniform(-300, 0):.0f}" r="{radius:.0f}" fill="none" stroke="{ink}" '
            f'stroke-width="{rng.uniform(2, 8):.0f}"/>'
        )
    tall = float(rng.uniform(60, 190))
    step_x, step_y = tall * float(rng.uniform(0.75, 1.5)), tall * float(rng.uniform(1.1, 1.7))
    boxed, turn = rng.random() < 0.8, float(rng.choice([0, 0, 180, 90, 270]))
    for y in np.arange(step_y * 0.6, height, step_y):
        for x in np.arange(step_x * 0.6, width, step_x):
            if rng.random() < 0.35:
                continue
            if boxed:
                parts.append(
                    f'<rect x="{x - tall * 0.35:.0f}" y="{y - tall / 2:.0f}" width="{tall * 0.7:.0f}" '
                    f'height="{tall:.0f}" rx="{rng.uniform(0, 12):.0f}" fill="none" stroke="{other}" '
                    f'stroke-width="{rng.uniform(1, 5):.1f}"/>'
                )
            if rng.random() < 0.12:
                parts.append(_suit(rng, x, y, tall * float(rng.uniform(0.2, 0.6)), ink))
                continue
            is_word = rng.random() < 0.5
            text = str(rng.choice(FELT_WORDS if is_word else FELT_SIGNS))
            size = tall * float(rng.uniform(0.1, 0.24) if is_word else rng.uniform(0.2, 0.7))
            parts.append(_text(rng, text, x, y + size * 0.35, size, ink if rng.random() < 0.6 else other, turn))
    for _ in range(int(rng.integers(1, 4))):
        at = rng.uniform(0.1, 0.9, 2) * (width, height)
        size = float(rng.uniform(30, 130))
        word, turned = str(rng.choice(FELT_WORDS)), float(rng.choice([0, 15, -15, 180]))
        parts.append(_text(rng, word, float(at[0]), float(at[1]), size, other, turned))
    felt = _drawn(width, height, parts).astype(np.float32)
    felt += rng.normal(0, rng.uniform(1, 12), (height, width, 1)).astype(np.float32)
    return np.clip(felt, 0, 255).astype(np.uint8)


def bank_note(rng: np.random.Generator) -> np.ndarray:
    """Draw a bank note: its value in the corners, a portrait or a building, fine lines, small print."""
    width, height = 480, float(rng.uniform(210, 290))
    hue = rng.uniform(0, 180)
    paper, ink = colour(hue, rng.uniform(0.05, 0.4), 0.92), colour(hue, rng.uniform(0.3, 0.9), rng.uniform(0.15, 0.5))
    parts = [f'<rect width="{width}" height="{height:.0f}" fill="{paper}"/>']
    for number in range(int(rng.integers(10, 40))):
        y = height * number / 30
        parts.append(
            f'<path d="M0,{y:.0f} C{width * 0.3:.0f},{y + rng.uniform(-60, 60):.0f} {width * 0.6:.0f},'
            f'{y + rng.uniform(-60, 60):.0f} {width},{y:.0f}" fill="none" stroke="{ink}" opacity=".5"/>'
        )
    x = width * float(rng.choice([0.5, 0.3, 0.7]))
    parts.append(
        f'<ellipse cx="{x:.0f}" cy="{height / 2:.0f}" rx="{height * 0.26:.0f}" ry="{height * 0.36:.0f}" '
        f'fill="{colour(hue, 0.3, 0.75)}" stroke="{ink}" stroke-width="3"/>'
        f'<circle cx="{x:.0f}" cy="{height * 0.42:.0f}" r="{height * 0.12:.0f}" fill="{ink}" opacity=".6"/>'
    )
    value = str(rng.choice(["1", "2", "5", "10", "20", "50", "100", "200", "500"]))
    for along, down in ((0.1, 0.24), (0.9, 0.24), (0.1, 0.94), (0.9, 0.94)):
        if rng.random() < 0.8:
            parts.append(_text(rng, value, width * along, height * down, float(rng.uniform(25, 60)), ink))
    words = ("EURO", "ONE DOLLAR", "FIVE", "BANK", "TEN", "РУБЛЕЙ", "ГРИВЕНЬ", "SPECIMEN")
    parts.append(_text(rng, str(rng.choice(words)), width / 2, height * 0.95, 24, ink))
    return _drawn(width, height, parts)


def phone_screen(rng: np.random.Generator) -> np.ndarray:
    """Draw a phone, face up: rows of icons, a keypad, a clock, or a dark screen."""
    width, height = 240, 500
    body, screen = _ink(rng, False), _ink(rng, bool(rng.random() < 0.6))
    ink = _ink(rng, bool(rng.random() < 0.5))
    parts = [
        f'<rect width="{width}" height="{height}" fill="{body}"/>',
        f'<rect x="10" y="18" width="{width - 20}" height="{height - 36}" rx="14" fill="{screen}"/>',
    ]
    kind = int(rng.integers(4))
    if kind == 0:
        for place in range(ICONS):
            x, y = 25 + place % 4 * 52, 60 + place // 4 * 62
            parts.append(f'<rect x="{x}" y="{y}" width="38" height="38" rx="9" fill="{_ink(rng, True)}"/>')
            if rng.random() < 0.4:
                parts.append(_text(rng, str(rng.choice(list("AJQKDBfxm9752"))), x + 19, y + 30, 28, ink))
    elif kind == 1:
        for place, sign in enumerate("123456789*0#"):
            parts.append(_text(rng, sign, 55 + place % 3 * 65, 210 + place // 3 * 62, 44, ink))
    elif kind == 2:
        text = f"{int(rng.integers(0, 24)):02d}:{int(rng.integers(0, 60)):02d}"
        parts.append(_text(rng, text, width / 2, 130, 62, ink))
    return _drawn(width, height, parts)


def ticket(rng: np.random.Generator) -> np.ndarray:
    """
    Draw a ticket, a label, a price tag or a business card: a card's shape with a number, a letter or a sign on it.
    """
    width, height = float(rng.uniform(150, 260)), 300.0
    paper, ink = _ink(rng, True), _ink(rng, False)
    parts = [f'<rect width="{width:.0f}" height="{height:.0f}" fill="{paper}"/>']
    size = float(rng.uniform(40, 170))
    signs = (*"BCEFGHLMNPRSUWXYZ", "&", "?", "%", "€", "11", "15", "25", "42", "99", "No 7", "B2", "€ 5", "OK", "SALE")
    text = str(rng.choice(signs))
    parts.append(_text(rng, text, width / 2, height / 2 + size * 0.3, min(size, 1.6 * width / len(text)), ink))
    for line in range(int(rng.integers(0, 6))):
        parts.append(_text(rng, str(rng.choice(FELT_WORDS)).lower(), width / 2, 200 + line * 17, 13, ink))
    if rng.random() < 0.4:
        bars = "".join(
            f'<rect x="{20 + x * (width - 40) / 50:.1f}" y="15" width="{rng.uniform(0.6, 3.5):.1f}" height="40" '
            f'fill="{ink}"/>'
            for x in range(50)
        )
        parts.append(bars)
    if rng.random() < 0.25:
        parts.append(_suit(rng, width * 0.5, 90, 50, _ink(rng, False)))
    return _drawn(width, height, parts)

"""
Draw the vision pipeline's results over a picture for people: outlines, names, pairs, zones and hands.

Anti-aliased at any size; every name is drawn on a plate, so that it is legible on any table. There are no words, so the
overlay serves all five languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.cards import Card, Suit
from vision.capture.sources import Image
from vision.geometry.quads import SUBPIXEL_BITS, Array, centre
from vision.view.pipeline_view import PipelineView, SeenCard

Colour = tuple[int, int, int]

SHADE: Colour = (30, 26, 24)
"""BGR; drawn under light lines, so that they show on white cloth too."""


@dataclass(frozen=True, slots=True)
class OverlayColours:
    """Colours, BGR: cool for cards at rest, warm for cards that need attention."""

    attack: Colour = (255, 200, 90)
    defence: Colour = (140, 225, 130)
    turnup: Colour = (80, 205, 250)
    pile: Colour = (205, 195, 185)
    unsure: Colour = (70, 130, 250)
    hand: Colour = (235, 160, 235)
    plate: Colour = (38, 32, 28)
    black: Colour = (245, 245, 245)
    red: Colour = (105, 105, 250)


@dataclass(frozen=True, slots=True)
class OverlayWidths:
    """Widths of lines and sizes of marks in pixels of a picture ``DRAWN_WIDTH_PX`` wide. Set by hand, 2026-11."""

    face: float = 2.2
    """Outline of a face-up card."""
    pile: float = 1.2
    """Outline of a back."""
    rim: float = 1.4
    """Rim of a plate."""
    shade: float = 1.0
    """Shade to either side of a line."""
    pair: float = 2.0
    """Line from an attack card to the card that beats it."""
    pair_end: float = 4.0
    """Radius of that line's end on the attack card."""
    hand: float = 2.0
    """Ring round a hand's tip."""
    hand_ring: float = 9.0
    """Radius of that ring."""
    blind: float = 8.0
    """Frame of a picture on which nothing can be detected."""


WIDTHS = OverlayWidths()


UNSURE = 0.9
"""Confidence below which a reading is drawn in the colour of uncertainty, with its share. Set by hand, 2026-11."""

DRAWN_WIDTH_PX = 1280
"""Picture width in pixels for which the line widths and letters below are given; they scale with the picture."""
LEAST_SCALE = 0.5
"""Smallest scale of lines and letters: smaller ones are illegible. Set by hand, 2026-11."""


def draw(image_bgr: Image, view: PipelineView, colours: OverlayColours = OverlayColours()) -> Image:
    """Return a new picture of the same size with the view drawn over ``image_bgr`` (height, width, 3) uint8."""
    picture = np.array(image_bgr, copy=True)
    scale = max(LEAST_SCALE, picture.shape[1] / DRAWN_WIDTH_PX)
    piles = [card for card in view.cards if card.card is None]
    faces = [card for card in view.cards if card.card is not None]
    _draw_zones(picture, view, colours)
    for card in piles:
        outline(picture, _quad(card), colours.pile, WIDTHS.pile * scale)
    for card in faces:
        outline(picture, _quad(card), _colour(card, colours), WIDTHS.face * scale)
    _draw_pairs(picture, faces, scale, colours)
    for card in faces:
        _name(picture, card, scale, colours)
    for hand in view.hands:
        _draw_hand(picture, hand.tip_px, hand.seat, scale, colours)
    if view.blind:
        corner = (picture.shape[1] - 1, picture.shape[0] - 1)
        cv2.rectangle(picture, (0, 0), corner, colours.unsure, max(2, round(2 * WIDTHS.blind * scale)))
    return picture


def _quad(card: SeenCard) -> Array:
    return np.array(card.corners_px, np.float32)


def _colour(card: SeenCard, colours: OverlayColours) -> Colour:
    if not card.is_confirmed or card.confidence < UNSURE:
        return colours.unsure
    if card.zone == "turnup":
        return colours.turnup
    return colours.attack if card.on_key is None else colours.defence


def _fixed(points: Array) -> np.ndarray:
    return np.round(points * (1 << SUBPIXEL_BITS)).astype(np.int32)


def outline(picture: Image, quad: Array, colour: Colour, width: float) -> None:
    """Draw a card's outline with a dark line under it, so that it shows on white cloth too."""
    points = [_fixed(quad)]
    cv2.polylines(picture, points, True, SHADE, max(1, round(width + 2 * WIDTHS.shade)), cv2.LINE_AA, SUBPIXEL_BITS)
    cv2.polylines(picture, points, True, colour, max(1, round(width)), cv2.LINE_AA, SUBPIXEL_BITS)


def _draw_zones(picture: Image, view: PipelineView, colours: OverlayColours) -> None:
    """Tint talon and discard pile."""
    for name, pile in (("talon", view.layout.talon_px), ("heap", view.layout.heap_px)):
        if pile is None or not any(card.zone in (name, "turnup") for card in view.cards):
            continue
        middle = pile.mean(axis=0)
        grown = middle + (pile - middle) * 1.12
        veil = picture.copy()
        cv2.fillPoly(veil, [_fixed(grown)], colours.pile, cv2.LINE_AA, SUBPIXEL_BITS)
        cv2.addWeighted(veil, 0.16, picture, 0.84, 0, dst=picture)


def _draw_pairs(picture: Image, faces: Sequence[SeenCard], scale: float, colours: OverlayColours) -> None:
    """Draw a line from each attack card to the card that beats it."""
    by_key = {card.key: card for card in faces}
    for card in faces:
        attack = by_key.get(card.on_key) if card.on_key is not None else None
        if attack is None:
            continue
        start, end = centre(_quad(attack)), centre(_quad(card))
        ends = _fixed(np.stack([start, end]))
        for colour, width in (
            (SHADE, (WIDTHS.pair + 2 * WIDTHS.shade) * scale),
            (colours.defence, WIDTHS.pair * scale),
        ):
            cv2.line(
                picture, ends[0].tolist(), ends[1].tolist(), colour, max(1, round(width)), cv2.LINE_AA, SUBPIXEL_BITS
            )
        cv2.circle(
            picture,
            ends[0].tolist(),
            round(WIDTHS.pair_end * scale * (1 << SUBPIXEL_BITS)),
            colours.attack,
            -1,
            cv2.LINE_AA,
            SUBPIXEL_BITS,
        )


def _name(picture: Image, card: SeenCard, scale: float, colours: OverlayColours) -> None:
    """Draw rank and suit on a plate at the card's far edge, with the share if it is uncertain."""
    assert card.card is not None
    quad = _quad(card)
    top = quad[np.argsort(quad[:, 1])[:2]].mean(axis=0)
    share = "" if card.is_confirmed and card.confidence >= UNSURE else f" {card.confidence:.0%}"
    rank = "10" if card.card.rank == "T" else card.card.rank
    text_scale = 0.62 * scale
    (wide, tall), _ = cv2.getTextSize(rank + share, cv2.FONT_HERSHEY_DUPLEX, text_scale, max(1, round(scale)))
    pip = tall * 1.25
    width, height = wide + pip + 16 * scale, tall + 12 * scale
    x, y = float(top[0]) - width / 2, float(top[1]) - height * 0.75
    x = min(max(x, 2.0), picture.shape[1] - width - 2)
    y = min(max(y, 2.0), picture.shape[0] - height - 2)
    _rounded(picture, (x, y, width, height), colours.plate, _colour(card, colours), scale)
    ink = colours.red if card.card.suit in (Suit.HEARTS, Suit.DIAMONDS) else colours.black
    base = y + (height + tall) / 2
    _text(picture, rank, (x + 6 * scale, base), text_scale, ink, scale)
    (rank_wide, _), _ = cv2.getTextSize(rank, cv2.FONT_HERSHEY_DUPLEX, text_scale, max(1, round(scale)))
    _pip(picture, card.card, x + 8 * scale + rank_wide + pip / 2, y + height / 2, pip / 2, ink)
    if share:
        _text(picture, share.strip(), (x + 10 * scale + rank_wide + pip, base), text_scale * 0.85, ink, scale)


def _pip(picture: Image, card: Card, x: float, y: float, radius: float, colour: Colour) -> None:
    """Draw the suit's sign; the built-in fonts have none."""
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    round_ = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    at = np.array([x, y])
    parts: list[np.ndarray]
    stem = np.array([[-0.06, 0.1], [0.06, 0.1], [0.28, 0.95], [-0.28, 0.95]])
    match card.suit:
        case Suit.DIAMONDS:
            parts = [np.array([[0, -1], [0.72, 0], [0, 1], [-0.72, 0]])]
        case Suit.HEARTS:
            parts = [_heart(turns)]
        case Suit.SPADES:
            parts = [_heart(turns) * (1, -0.85) - (0, 0.15), stem]
        case _:
            lobes = ((0, -0.5), (-0.5, 0.2), (0.5, 0.2))
            parts = [*(round_ * 0.45 + np.array(lobe) for lobe in lobes), stem]
    for part in parts:
        cv2.fillPoly(picture, [_fixed((part * radius + at).astype(np.float32))], colour, cv2.LINE_AA, SUBPIXEL_BITS)


def _heart(turns: np.ndarray) -> np.ndarray:
    across = 16 * np.sin(turns) ** 3
    up = 13 * np.cos(turns) - 5 * np.cos(2 * turns) - 2 * np.cos(3 * turns) - np.cos(4 * turns)
    return np.stack([across / 17, -up / 17], axis=1)


def _rounded(picture: Image, box: tuple[float, float, float, float], fill: Colour, rim: Colour, scale: float) -> None:
    """Fill a rounded rectangle, ``box``: x, y, width, height in px, and draw its rim."""
    x, y, width, height = box
    radius = min(height / 2, 7 * scale)
    corners = [(x + width - radius, y + radius), (x + width - radius, y + height - radius)]
    corners += [(x + radius, y + height - radius), (x + radius, y + radius)]
    points = [
        (cx + radius * np.cos(turn), cy + radius * np.sin(turn))
        for k, (cx, cy) in enumerate(corners)
        for turn in np.linspace(-np.pi / 2 + k * np.pi / 2, k * np.pi / 2, 6)
    ]
    shape = [_fixed(np.array(points, np.float32))]
    cv2.fillPoly(picture, shape, fill, cv2.LINE_AA, SUBPIXEL_BITS)
    cv2.polylines(picture, shape, True, rim, max(1, round(WIDTHS.rim * scale)), cv2.LINE_AA, SUBPIXEL_BITS)


def _text(picture: Image, text: str, at: tuple[float, float], size: float, colour: Colour, scale: float) -> None:
    where = (round(at[0]), round(at[1]))
    cv2.putText(picture, text, where, cv2.FONT_HERSHEY_DUPLEX, size, colour, max(1, round(scale)), cv2.LINE_AA)


def plate(
    picture: Image, at: tuple[float, float], text: str, scale: float, rim: Colour, colours: OverlayColours
) -> None:
    """Draw a line of text on a plate, its centre at ``at``, kept inside the picture."""
    size = 0.55 * scale
    (wide, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, size, max(1, round(scale)))
    width, height = wide + 16 * scale, tall + 10 * scale
    x = min(max(at[0] - width / 2, 2.0), picture.shape[1] - width - 2)
    y = min(max(at[1] - height / 2, 2.0), picture.shape[0] - height - 2)
    _rounded(picture, (x, y, width, height), colours.plate, rim, scale)
    _text(picture, text, (x + 8 * scale, y + (height + tall) / 2), size, colours.black, scale)


def _draw_hand(
    picture: Image, tip: tuple[float, float], seat: str | None, scale: float, colours: OverlayColours
) -> None:
    where = _fixed(np.array(tip, np.float32)).tolist()
    cv2.circle(
        picture,
        where,
        round(WIDTHS.hand_ring * scale * (1 << SUBPIXEL_BITS)),
        colours.hand,
        max(1, round(WIDTHS.hand * scale)),
        cv2.LINE_AA,
        SUBPIXEL_BITS,
    )
    if seat is not None and seat.isascii():  # the built-in font knows no other letters
        plate(picture, (tip[0], tip[1] - 24 * scale), seat, scale * 0.85, colours.hand, colours)

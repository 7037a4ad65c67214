"""Write a page of the worst read pictures: what was there (green), what was read (red where wrong), and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

import cv2
import numpy as np

from datasets.photos.labels import LabelledPicture
from models.evaluation.scoring import CardReading, PictureScore
from models.evaluation.targets import TargetResult

THERE, RIGHT, WRONG, HELD_BACK = (60, 200, 60), (230, 160, 40), (40, 40, 235), (160, 160, 160)
Entry = tuple[LabelledPicture, np.ndarray, list[CardReading], PictureScore]


def annotated(picture: LabelledPicture, image_bgr: np.ndarray, readings: Sequence[CardReading]) -> np.ndarray:
    """Return the picture with labels and readings drawn in."""
    scale = 960 / max(image_bgr.shape[:2])
    canvas = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    names = {card.card for card in picture.cards} | {card.card[0] for card in picture.cards if card.card[1:] == "?"}
    for card in picture.cards:
        ink = THERE if card.asked else HELD_BACK
        for x0, y0, x1, y1 in card.boxes:
            corner, opposite = (round(x0 * scale), round(y0 * scale)), (round(x1 * scale), round(y1 * scale))
            if card.corners_px is None:
                cv2.rectangle(canvas, corner, opposite, ink, 1)
            else:
                outline = np.round(np.array(card.corners_px) * scale).astype(np.int32)
                cv2.polylines(canvas, [outline], True, ink, 1, cv2.LINE_AA)
            _write(canvas, card.card, (corner[0], opposite[1] - 4), ink)
    for reading in readings:
        is_right = reading.card in names or reading.card[0] in names
        colour = (RIGHT if is_right else WRONG) if reading.reported else HELD_BACK
        quad = np.round(reading.corners_px * scale).astype(np.int32)
        cv2.polylines(canvas, [quad], True, colour, 2 if reading.reported else 1, cv2.LINE_AA)
        x, y = quad.mean(axis=0)
        _write(canvas, f"{reading.card} {reading.confidence:.2f}", (int(x) - 30, int(y)), colour)
    return canvas


def _write(canvas: np.ndarray, text: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 4, cv2.LINE_AA)
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 1, cv2.LINE_AA)


def write_page(folder: Path, title: str, worst: Sequence[Entry]) -> Path:
    """Write ``index.html`` and a picture for each entry into ``folder``; returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, (picture, image, readings, score) in enumerate(worst):
        file = f"{number:03d}-{picture.path.stem}.jpg"
        cv2.imwrite(str(folder / file), annotated(picture, image, readings))
        causes = ", ".join(f"{cause} {count}" for cause, count in Counter(score.causes).most_common()) or "wrong pairs"
        there = " ".join(card.card for card in picture.cards)
        read = " ".join(f"{r.card} ({r.confidence:.2f})" for r in readings if r.reported)
        rows.append(
            f'<figure><img src="{escape(file)}" loading="lazy"><figcaption><b>{escape(picture.path.name)}</b><br>'
            f"there: {escape(there)}<br>read: {escape(read)}<br>causes: {escape(causes)}</figcaption></figure>"
        )
    total = Counter(cause for entry in worst for cause in entry[3].causes)
    summary = ", ".join(f"{cause} {count}" for cause, count in total.most_common())
    page = folder / "index.html"
    page.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        "<style>body{font:15px sans-serif;margin:1em;background:#222;color:#eee}img{max-width:100%}"
        "figure{display:inline-block;width:46%;vertical-align:top;margin:1%}</style>"
        f"<h1>{escape(title)}: the worst {len(worst)}</h1><p>{escape(summary)}</p>{''.join(rows)}</html>",
        "utf-8",
    )
    return page


def write_overview(folder: Path, pages: Sequence[tuple[TargetResult, Path, str]]) -> Path:
    """Write ``folder/index.html``: each set's figures as the command prints them, with a link to its worst pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        f'<h2><a href="{escape(page.relative_to(folder).as_posix())}">{escape(result.name)}</a></h2>'
        f"<pre>{escape(figures_text)}</pre>"
        for result, page, figures_text in pages
    ]
    overview = folder / "index.html"
    overview.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>How well pictures are read</title>'
        "<style>body{font:15px sans-serif;margin:1em;background:#222;color:#eee}a{color:#8cf}"
        "pre{white-space:pre-wrap}</style><h1>How well pictures are read</h1>" + "".join(parts) + "</html>",
        "utf-8",
    )
    return overview

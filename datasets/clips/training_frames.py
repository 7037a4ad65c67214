"""
Make training pictures of frames of synthesized clips: hands, motion and piles as in a game.

    python -m datasets.clips film runs/clips/two.mp4 --seats 2 --seed 4 --tracks
    python -m datasets.clips.training_frames runs/clips/*.mp4 --out runs/frames

Takes every ``--step``-th frame and the corners that stand beside the clip in ``NAME.tracks.jsonl``. The shipped
recording is never among them: it is what the program is tested on.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np

from datasets.photos.corners import Photo, write_photos

LEAST_VISIBLE = 0.15
"""Cards of which less is in view are not labelled, as in the scenes."""
SHIPPED = "demo"


def frames_of(clip: Path, out: Path, step: int) -> list[Photo]:
    """Store every ``step``-th frame of a clip as JPEG and return them with their corners."""
    capture = cv2.VideoCapture(str(clip))
    photos = []
    with clip.with_suffix(".tracks.jsonl").open(encoding="utf-8") as tracks:
        for number, line in enumerate(tracks):
            good, image = capture.read()
            if not good:
                break
            if number % step:
                continue
            cards = [card for card in json.loads(line)["cards"] if 1 - card["covered"] >= LEAST_VISIBLE]
            if not cards:
                continue
            path = out / f"{clip.stem}-{number:05d}.jpg"
            cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, 95])
            corners = np.array([card["corners_px"] for card in cards], np.float32)
            photos.append(Photo(path.resolve(), corners, tuple(card["card"] for card in cards), True))
    capture.release()
    return photos


def main() -> None:
    """Take the frames."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--step", type=int, default=8)
    parser.add_argument("--out", type=Path, default=Path("runs/frames"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    photos: list[Photo] = []
    for clip in args.clips:
        if clip.stem == SHIPPED:
            parser.error(f"expected clips other than the shipped recording, got {clip}")
        photos += frames_of(clip, args.out, args.step)
    write_photos(args.out / "frames.jsonl", photos)
    print(f"{len(photos)} frames, {sum(len(photo.names) for photo in photos)} cards", file=sys.stderr)


if __name__ == "__main__":
    main()

"""
Read cards: frames in, table events out; or one picture, without a game.

>>> import cv2
>>> from vision import read_picture
>>> film = cv2.VideoCapture("webapp/recordings/demo.mp4")
>>> _ = film.set(cv2.CAP_PROP_POS_FRAMES, 600)
>>> read_picture(film.read()[1]).named_pairs()
(('9c', None), ('Jc', '9d'), ('Js', 'Ks'))

The package knows pixels and millimetres, not the rules. Films and cameras: ``vision.pipeline``.
"""

import logging
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from features.stills.reading import read_picture

__all__ = ["read_picture"]

# FFmpeg reads this once, when cv2 is first imported: its own output would stand beside our one sentence.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
# onnxruntime from 1.29 on sends every session to its maker unless it finds this when it is imported; Ultralytics asks
# the network at its import, and installs what it misses. Their modules are imported by ``vision``, ``models`` and
# ``tests`` only, each of which imports this package first.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_AUTOINSTALL"] = "false"
# Silent until somebody listens: ``-v`` of the commands, or a program of its own.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    """Import ``read_picture`` when it is first used: it loads OpenCV and the networks' runtime."""
    if name != "read_picture":
        raise AttributeError(f"module 'vision' has no attribute {name!r}")
    from features.stills.reading import read_picture

    return read_picture

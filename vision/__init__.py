"""
Read cards: frames in, table events out (``vision.pipeline``). Single pictures: ``features.stills``.

The package knows pixels and millimetres, not the rules.
"""

import logging
import os
import warnings

# FFmpeg reads this once, when cv2 is first imported: its own output would stand beside our one sentence.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
# onnxruntime from 1.29 on sends every session to its maker unless it finds this when it is imported; Ultralytics asks
# the network at its import, and installs what it misses. Their modules are imported by ``vision``, ``models`` and
# ``tests`` only, each of which imports this package first.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_AUTOINSTALL"] = "false"
# What Pillow says of damaged metadata would stand beside our one sentence, or beside none: the picture is read.
warnings.filterwarnings("ignore", module=r"PIL\.")
# Silent until somebody listens: ``-v`` of the commands, or a program of its own.
logging.getLogger(__name__).addHandler(logging.NullHandler())

"""Sees the table: frames in, table events out. Knows pixels and millimetres, not rules."""

import os

# FFmpeg reads this once, when cv2 is first imported: its own chatter would stand beside our one clear sentence.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")

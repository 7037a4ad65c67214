"""Sees the table: frames in, table events out. Knows pixels and millimetres, not rules."""

import logging
import os

# FFmpeg reads this once, when cv2 is first imported: its own chatter would stand beside our one clear sentence.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
# A few kilobytes can claim to be a picture that fills the memory; 268 million pixels is more than any phone takes.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(2**28))
# Silent until somebody listens: ``-v`` of the commands, or a program of its own.
logging.getLogger(__name__).addHandler(logging.NullHandler())

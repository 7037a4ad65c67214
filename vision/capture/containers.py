"""
The kinds of film files and streams that are opened, by the names of FFmpeg's demuxers.

Some "films" are lists of other files and hosts (``ffconcat``, HLS, DASH): an uploaded one could cause a neighbouring
file to be read, and a stream could direct this machine to hosts that its owner never named. So only containers that
hold the pictures themselves are opened, whatever the file is called, and no stream is followed to another address.
"""

from __future__ import annotations

FILES = (
    *("mov", "matroska", "avi", "mpegts", "mpeg", "mpegvideo", "m4v", "h264", "hevc", "av1", "obu", "ivf", "asf"),
    *("flv", "ogg", "gif", "apng", "mjpeg", "mjpeg_2000", "mpjpeg", "jpeg_pipe", "mxf", "dv", "nut", "rm"),
    *("webp", "webp_pipe", "yuv4mpegpipe", "wtv", "3gp"),
)
"""Containers and raw picture streams of files."""
STREAMS = (*FILES, "rtsp", "rtp", "live_flv", "image2pipe")
"""Formats of network cameras."""
FILE_OPTIONS = {"format_whitelist": ",".join(FILES), "protocol_whitelist": "file"}
"""For PyAV."""
STREAM_OPTIONS = f"format_whitelist;{','.join(STREAMS)}|max_redirects;0|rtsp_flags;prefer_tcp"
"""For OpenCV, in the form of ``OPENCV_FFMPEG_CAPTURE_OPTIONS``; the last entry is its own default."""

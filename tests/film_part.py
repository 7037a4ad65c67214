"""The beginning of a film, cut without encoding it again: its frames are those of the film."""

from __future__ import annotations

from pathlib import Path

import av


def cut_film(film: Path, to: Path, seconds: float) -> None:
    """Write the first seconds of a film."""
    with av.open(str(film)) as whole, av.open(str(to), "w") as part:
        stream = part.add_stream_from_template(whole.streams.video[0])
        for packet in whole.demux(video=0):
            if packet.pts is not None and packet.pts * packet.time_base < seconds:
                packet.stream = stream
                part.mux(packet)

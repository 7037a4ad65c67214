"""The options of `kozyr trace`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webapp.commands.options import ReviewOptions, clip_time
from webapp.live.match_options import checked, flag


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """A moment of a recorded game, between two of its seconds, shown in the folder ``out``."""

    clip: str = flag(metavar="CLIP", help="a video")
    since_s: float = flag("--from", type=checked(clip_time), required=True, metavar="S", help="first second to show")
    until_s: float = flag("--to", type=checked(clip_time), required=True, metavar="S", help="last second to show")
    out: Path = flag("--out", type=Path, required=True, metavar="DIR", help="folder for index.html and trace.jsonl")
    review: ReviewOptions = ReviewOptions()

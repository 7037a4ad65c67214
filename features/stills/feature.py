"""Declare the reading of single pictures: `kozyr read`, and folders of pictures in place of a film."""

from __future__ import annotations

from features.stills.options import ReadOptions
from webapp.features import Command, Feature
from webapp.loadable import Loadable

FEATURE = Feature(
    "stills",
    commands=(
        Command(
            "read",
            "Say what lies on still pictures.",
            (ReadOptions,),
            Loadable("features.stills.command:run"),
            after="watch",
        ),
    ),
    opens_pictures=Loadable("features.stills.picture_log:open_pictures"),
)

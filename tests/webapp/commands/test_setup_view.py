"""What set-up sees in a camera's picture before a game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from vision.capture.sources import Frame, open_source
from webapp.commands import setup_view
from webapp.commands.match_header import DEMO_CLIP
from webapp.commands.setup_view import TableView
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup


def pictures(*, is_mirrored: bool) -> Iterator[Frame]:
    """Yield a frame every two seconds of the beginning of the shipped recording."""
    due_s = 0.0
    with open_source(str(DEMO_CLIP)) as recording:
        for frame in recording:
            if frame.at > 20.0:
                return
            if frame.at >= due_s:
                due_s = frame.at + 2.0
                image = frame.image_bgr[:, ::-1] if is_mirrored else frame.image_bgr
                yield Frame(np.ascontiguousarray(image), frame.number, frame.at)


@pytest.mark.thorough
@pytest.mark.parametrize("is_mirrored", [True, False])
def test_mirrored_camera_is_recognised_by_the_cards_that_it_shows(
    monkeypatch: pytest.MonkeyPatch, is_mirrored: bool
) -> None:
    monkeypatch.setattr(setup_view, "INTERVAL_S", -1.0)
    shared_setup = SharedSetup(GameSetup(source="0"), begins=False)
    view = TableView(shared_setup, None)
    for frame in pictures(is_mirrored=is_mirrored):
        view.feed(frame)
        if shared_setup.setup.mirrored:
            break
    assert shared_setup.setup.mirrored is is_mirrored
    assert shared_setup.setup.changed({"source": "1"}).mirrored is False, "another camera is another picture"

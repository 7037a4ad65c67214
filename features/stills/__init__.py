"""
Read a single picture: which cards lie there, and which covers which.

>>> import cv2
>>> from features.stills import read_picture
>>> film = cv2.VideoCapture("webapp/recordings/demo.mp4")
>>> _ = film.set(cv2.CAP_PROP_POS_FRAMES, 600)
>>> read_picture(film.read()[1]).named_pairs()
(('9c', None), ('Jc', '9d'), ('Js', 'Ks'))

In: one picture. Out: a reading (``kozyr read``). It takes more time than an inference of the vision pipeline, since no
earlier picture shows what lies beneath a card. The package knows nothing of tracks, hands or the game.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from features.stills.reading import read_picture

__all__ = ["read_picture"]


def __getattr__(name: str) -> object:
    """Import ``read_picture`` when it is first used: it loads OpenCV and the networks' runtime."""
    if name != "read_picture":
        raise AttributeError(f"module 'features.stills' has no attribute {name!r}")
    from features.stills.reading import read_picture

    return read_picture

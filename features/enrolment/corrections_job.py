"""Learn from corrected cards in a process of its own, as the page of matches asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from features.enrolment.corrected_cards import learn
from vision.detection.card_detector import load_card_detector
from webapp.live.background_jobs import JobTools
from webapp.store.labelled_pictures import LabelledPictures


def learn_corrections(tools: JobTools, deck: str, folder: object) -> Mapping[str, Any]:
    """Let the deck learn from the pictures in this folder."""
    assert isinstance(folder, str), "the route names the folder"
    return learn(deck, LabelledPictures(Path(folder)), load_card_detector(tools.detector.weights), tools.report)

"""The transitions between the states of a card (:class:`~vision.table.track.CardState` has their table)."""

from __future__ import annotations

from vision.table.cards_in_view import CardSight
from vision.table.filter_model import FilterSettings
from vision.table.track import INFERENCES_TO_GO, STILL_INFERENCES, CardState, Track


def next_state(track: Track, sight: CardSight, model: FilterSettings) -> CardState:
    """
    Return the state of a card after an inference, by its odds and by how it was seen. The function is pure.

    A turn-up becomes ``DRAWN`` elsewhere, before detections are paired: pairing depends on it.
    """
    misses = track.misses
    enough = model.after_in_hand if track.is_drawn else INFERENCES_TO_GO
    is_likely = track.is_confirmed and track.odds + misses.log_odds > model.gone_from
    if sight.is_missed and misses.count >= enough and not is_likely:
        return CardState.GONE
    if sight.is_held:
        return CardState.HELD
    if track.is_confirmed:
        return CardState.ON_TABLE if track.state is CardState.HELD else track.state
    is_at_rest = track.still >= STILL_INFERENCES
    # Found clearly and free of arms, once, with another over it now: it was laid.
    was_laid = sight.is_covered and sight.is_laid_over and track.open_inferences > 0
    if track.odds >= model.laid_from and (is_at_rest or was_laid):
        return CardState.ON_TABLE
    return CardState.GONE if is_at_rest and track.odds < model.new_unclear else track.state

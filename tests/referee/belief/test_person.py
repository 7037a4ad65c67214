"""Records by a person under the belief: contradictions, and hands with more cards than assumed."""

from __future__ import annotations

import pytest

from referee.belief import hypotheses, person_record
from referee.errors import InvariantError
from referee.events import TableEvent
from referee.game import GameState
from referee.rulings import Step
from tests.referee.refereed import faults, feed, placed, referee_of


def test_unresolvable_contradiction_stops_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
        raise InvariantError("expected 36 cards in all, got 37")

    referee = referee_of()
    for module in (hypotheses, person_record):
        monkeypatch.setattr(module, "apply_event", broken)
    with pytest.raises(InvariantError, match="got 37"):
        feed(referee, placed("8s", "A", confidence=0.75, alternatives=[["9s", 0.2]]))


def test_more_cards_than_the_assumed_hand_are_no_fault() -> None:
    """Lay more cards than the assumed hand holds after an uncertain sweep."""
    hands = {"A": 6, "B": 3, "C": 6}
    referee = referee_of(turnup=None, trump="h", talon=0, hands=hands, heap_count=21)
    feed(
        referee,
        *(placed("7d", "A", at=1.0), placed("8d", "B", "7d", at=2.0)),
        {"event": "swept", "to": "heap", "confidence": 0.6, "at": 3.0},
        *(placed("9d", "B", at=4.0), placed("Jd", "C", "9d", at=5.0)),
        {"event": "swept", "to": "heap", "at": 6.0},
        *(placed("Tc", "C", at=7.0), {"event": "swept", "to": "A", "at": 8.0}),
    )
    # B leads against C, who holds four by the ledger: six may be laid by the rules of the house.
    bout = referee.state.bout
    assert bout is not None
    held = referee.state.ledger.hands[bout.defender]
    assert held < 6
    cards = ["Qc", "Qd", "Qs", "Qh", "9s", "9c"]
    steps = feed(referee, *(placed(card, bout.attacker, at=10.0) for card in cards[: held + 1]))
    assert {str(each.verdict) for each in steps[-1].rulings if each.fault is not None} <= {"unclear"}


def test_guess_before_the_deal_is_no_evidence_for_a_sweep() -> None:
    referee = referee_of(attacker=None)
    steps = feed(referee, {"event": "swept", "to": "heap", "confidence": 0.5, "at": 1.0})
    assert (faults(steps[-1]), referee.readings) == ([], 1)


def test_cards_laid_together_are_of_one_seat() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A", at=1.0), placed("8c", at=1.0))
    assert referee.state.as_json()["table"] == [["8s", None], ["8c", None]]
    assert (referee.readings, referee.state.ledger.hands["A"]) == (1, 4)

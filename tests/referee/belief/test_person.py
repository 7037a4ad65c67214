"""Records by a person, judged by the belief: contradictions that stay, hands that may hold more than assumed."""

from __future__ import annotations

import pytest

from referee.belief import hypotheses, person_record
from referee.errors import InvariantError
from referee.events import TableEvent
from referee.game import GameState
from referee.messages import Step
from tests.referee.refereed import faults, feed, placed, referee_of


def test_books_that_no_reading_mends_stop_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
        raise InvariantError("expected 36 cards in all, got 37")

    referee = referee_of()
    for module in (hypotheses, person_record):
        monkeypatch.setattr(module, "apply_event", broken)
    with pytest.raises(InvariantError, match="got 37"):
        feed(referee, placed("8s", "A", confidence=0.75, alternatives=[["9s", 0.2]]))


def test_more_cards_than_a_hand_is_thought_to_hold_accuse_nobody() -> None:
    """After a sweep that nobody saw well a hand may hold more than the books say."""
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
    # B leads against C, who holds four by the books: six may be laid by the rules of the house.
    bout = referee.state.bout
    assert bout is not None
    held = referee.state.ledger.hands[bout.defender]
    assert held < 6
    cards = ["Qc", "Qd", "Qs", "Qh", "9s", "9c"]
    steps = feed(referee, *(placed(card, bout.attacker, at=10.0) for card in cards[: held + 1]))
    assert {str(each.verdict) for each in steps[-1].rulings if each.fault is not None} <= {"unclear"}


def test_a_guess_before_the_deal_is_no_evidence_of_where_a_sweep_went() -> None:
    referee = referee_of(attacker=None)
    steps = feed(referee, {"event": "swept", "to": "heap", "confidence": 0.5, "at": 1.0})
    assert (faults(steps[-1]), referee.readings) == ([], 1)


def test_a_card_laid_together_with_another_is_the_same_seats() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A", at=1.0), placed("8c", at=1.0))
    assert referee.state.as_json()["table"] == [["8s", None], ["8c", None]]
    assert (referee.readings, referee.state.ledger.hands["A"]) == (1, 4)

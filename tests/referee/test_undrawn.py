"""Uncertain lead before the draws: it may not exist, or the draws may be unseen."""

from __future__ import annotations

from referee.cards import Card
from referee.events import Drawn, Lifted, Placed, Swept, TableEvent
from referee.record import Header
from tests.referee.certain_referee import Referee


def laid(at: float, card: str, by: str, on: str | None = None, sure: float | None = None) -> Placed:
    return Placed(at=at, card=Card.parse(card), by=by, on=None if on is None else Card.parse(on), confidence=sure)


def after_a_doubtful_lead() -> Referee:
    """Return a referee with A and B owed a card each, and a doubtful lead that seems to be B's."""
    start = {"trump": "s", "turnup": "6s", "talon": 8, "hands": {"A": 6, "B": 6}, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": start}
    referee = Referee(Header.parse(header))
    for event in (laid(1, "7d", "A"), laid(2, "8d", "B", "7d"), Swept(at=3.0, to="heap")):
        referee.apply(event)
    assert referee.state.due == (("A", 1), ("B", 1))
    assert rulings(referee, laid(4, "9d", "B", sure=0.6)) == [("draw-pending", "unclear")]
    return referee


def rulings(referee: Referee, event: TableEvent) -> list[tuple[str, str]]:
    return [(str(ruling.fault), str(ruling.verdict)) for ruling in referee.apply(event).rulings]


def test_draw_after_the_lead_is_taken_back_is_no_fault() -> None:
    referee = after_a_doubtful_lead()
    referee.apply(Lifted(at=5.0, card=Card.parse("9d"), by="B"))
    for at, seat in ((6.0, "A"), (7.0, "B")):
        assert "illegal" not in dict(rulings(referee, Drawn(at=at, by=seat, count=1))).values()
    assert rulings(referee, laid(8, "9d", "B")) == [("None", "legal")]
    assert dict(referee.state.ledger.hands) == {"A": 6, "B": 5}


def test_seat_with_due_draws_may_draw_after_the_lead() -> None:
    referee = after_a_doubtful_lead()
    assert rulings(referee, Drawn(at=5.0, by="A", count=1)) == []
    # What one has drawn is no longer owed to him, neither now nor after the lead is taken back.
    referee.apply(Lifted(at=6.0, card=Card.parse("9d"), by="B"))
    assert referee.state.due == (("B", 1),)
    assert rulings(referee, Drawn(at=7.0, by="B", count=1)) == []
    assert dict(referee.state.ledger.hands) == {"A": 6, "B": 6}


def test_drawing_more_than_due_is_a_fault() -> None:
    referee = after_a_doubtful_lead()
    referee.apply(Drawn(at=5.0, by="A", count=1))
    assert rulings(referee, Drawn(at=6.0, by="A", count=1)) == [("draw-out-of-turn", "illegal")]


def test_lead_is_certain_once_all_have_drawn() -> None:
    referee = after_a_doubtful_lead()
    for at, seat in ((5.0, "A"), (6.0, "B")):
        referee.apply(Drawn(at=at, by=seat, count=1))
    referee.apply(Lifted(at=7.0, card=Card.parse("9d"), by="B"))
    assert referee.state.due == ()
    assert rulings(referee, laid(8, "9d", "B")) == [("None", "legal")]


def test_attacked_seat_has_drawn_unseen() -> None:
    start = {"trump": "s", "turnup": "6s", "talon": 4, "hands": {"A": 6, "B": 8}, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": start}
    referee = Referee(Header.parse(header))
    for event in (
        *(laid(1, "7d", "A"), laid(2, "8d", "B", "7d"), laid(3, "8c", "A"), laid(4, "9c", "B", "8c")),
        *(laid(5, "9h", "A"), laid(6, "Th", "B", "9h"), Swept(at=7.0, to="heap")),
    ):
        referee.apply(event)
    assert rulings(referee, laid(8, "Qd", "B", sure=0.6)) == [("draw-pending", "unclear")]
    # Had A not drawn he would hold three cards, and a fourth against them would be one too many.
    for at, card in ((9, "Qc"), (10, "Qh"), (11, "Qs")):
        assert rulings(referee, laid(at, card, "B")) == [("None", "legal")]

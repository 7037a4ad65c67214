"""Invariants of the position: each violation stops the referee with a message that names the invariant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from referee.belief import hypotheses
from referee.cards import Card, CardSet
from referee.effects.books import check_books
from referee.errors import InvariantError
from referee.events import TableEvent
from referee.game import GameState
from referee.record import Header, event_from_json
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.record_lines import HEADER, START
from tests.referee.refereed import feed, placed, referee_of

SEVEN, NINE, TURNUP = Card.parse("7s"), Card.parse("9s"), Card.parse("9h")


def known(state: GameState, seat: str, *cards: Card) -> GameState:
    return state.replace(ledger=state.ledger.replace(known={**state.ledger.known, seat: CardSet.of(cards)}))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s: s.replace(ledger=s.ledger.replace(talon=19)), "37 cards in all instead of 36"),
        (
            lambda s: s.replace(ledger=s.ledger.replace(hands={"A": 6, "B": 6, "C": 5}, talon=19)),
            "5 cards of C instead of at least 6 while the talon has some",
        ),
        (
            lambda s: known(s, "A", *(Card.parse(f"{rank}s") for rank in "6789TJQ")),
            "7 known cards in the hand of A, which holds 6",
        ),
        (
            lambda s: s.replace(ledger=s.ledger.replace(heap=CardSet.of({SEVEN}))),
            "1 known cards on the discard pile, which holds 0",
        ),
        (lambda s: s.replace(due=(("A", 10), ("B", 9))), "19 draws due from a talon of 18"),
        (lambda s: known(known(s, "A", SEVEN), "B", SEVEN), "7s in two places"),
        (lambda s: known(s, "A", TURNUP), "9h in two places"),
        (lambda s: known(s, "A", Card.parse("2s")), "2s outside the pack"),
        (
            lambda s: s.replace(ledger=s.ledger.replace(talon=17, heap_count=1)),
            "1 cards on the discard pile are no pairs besides 0 cards",
        ),
    ],
)
def test_violated_invariant_stops_the_referee(wrong: Callable[[GameState], GameState], message: str) -> None:
    state = referee_of().state
    check_books(state)
    with pytest.raises(InvariantError) as error:
        check_books(wrong(state))
    assert str(error.value).startswith(f"Internal error: {message}; talon ")
    assert str(error.value).endswith("please report it with the record, which shows the mistake again")


def test_card_on_the_table_is_in_no_hand() -> None:
    referee = referee_of()
    feed(referee, placed("7s", "A"), placed("9s", "B", "7s"))
    with pytest.raises(InvariantError, match="9s in two places"):
        check_books(known(referee.state, "C", NINE))


def test_hand_with_its_due_draws_is_full() -> None:
    referee = referee_of()
    sweep = {"event": "swept", "to": "heap"}
    feed(referee, placed("7s", "A"), placed("9s", "B", "7s"), {"event": "pressed", "button": "done"}, sweep)
    state = referee.state
    assert state.due == (("A", 1), ("B", 1))
    with pytest.raises(InvariantError, match="5 cards of B instead of at least 6 while the talon has some"):
        check_books(state.replace(due=(("A", 1),)))


def test_discard_pile_counts_pairs_and_single_cards() -> None:
    referee = referee_of()
    forgive = {"event": "pressed", "button": "forgive"}
    feed(
        referee,
        placed("7s", "A"),
        placed("9s", "B", "7s"),
        placed("Kd", "B", "7s"),
        forgive,
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
    )
    assert (referee.state.ledger.heap_count, referee.state.ledger.single) == (3, 1)


def test_omitted_draws_violate_no_invariant() -> None:
    referee = referee_of()
    feed(
        referee,
        placed("7s", "A"),
        placed("9s", "B", "7s"),
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
        placed("8d", "B"),
        {"event": "pressed", "button": "forgive"},
    )
    state = referee.state
    assert (state.phase.value, dict(state.ledger.hands), state.short) == (
        "attack",
        {"A": 5, "B": 4, "C": 6},
        {"A", "B", "C"},
    )
    with pytest.raises(InvariantError, match="cards of A instead of at least 6"):
        check_books(state.replace(short=frozenset()))


def test_open_card_swept_between_bouts_leaves_its_hand_short() -> None:
    referee = referee_of()
    feed(referee, placed("8d", "B"), {"event": "swept", "to": "heap"}, placed("7s", "A"))
    assert (referee.state.short, dict(referee.state.ledger.hands)) == ({"B"}, {"A": 5, "B": 5, "C": 6})
    assert referee.state.ledger.single == 1


def test_next_draws_fill_short_hands() -> None:
    start: dict[str, Any] = START | {"talon": 19, "hands": {"A": 6, "B": 6, "C": 5}}
    referee = Referee(Header.parse(HEADER | {"start": start}))
    assert referee.state.short == {"C"}
    feed(referee, placed("7s", "A"), {"event": "swept", "to": "B"})
    assert (referee.state.due, referee.state.short) == ((("A", 1), ("C", 1)), frozenset())


def test_hand_drawn_to_its_initial_size_stays_short() -> None:
    start: dict[str, Any] = START | {"talon": 19, "hands": {"A": 6, "B": 6, "C": 5}}
    referee = Referee(Header.parse(HEADER | {"start": start, "options": {"draw_to": "start_of_bout"}}))
    feed(referee, placed("7s", "A"), {"event": "swept", "to": "B"}, {"event": "drawn", "by": "A"})
    assert (referee.state.due, referee.state.short) == ((), {"C"})


def test_odd_discard_pile_at_the_start_is_accepted() -> None:
    start: dict[str, Any] = START | {"talon": 15, "heap_count": 3}
    referee = Referee(Header.parse(HEADER | {"start": start}))
    assert referee.state.ledger.single == 1
    referee.apply(event_from_json({"at": 1.0, "event": "tick"}))
    check_books(referee.state)


def test_internal_error_shows_the_table() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"))
    state = referee.state
    with pytest.raises(InvariantError, match=r"table \['8s'\], phase attack"):
        check_books(state.replace(ledger=state.ledger.replace(heap_count=state.ledger.heap_count + 1)))
    with pytest.raises(InvariantError, match=r"table \[\]"):
        check_books(state.replace(bout=None))


def test_reading_with_a_violated_invariant_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A", confidence=0.75, alternatives=[["9s", 0.2]]))
    before = referee.readings
    assert before > 1
    judge = hypotheses.apply

    def broken(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
        if state.bout is not None and Card.parse("9s") in state.bout.cards:
            raise InvariantError("37 cards in all instead of 36")
        return judge(state, event)

    monkeypatch.setattr(hypotheses, "apply", broken)
    feed(referee, {"event": "pressed", "button": "wait", "by": "C", "at": 2.0})
    assert referee.readings < before
    assert referee.state.as_json()["table"] == [["8s", None]]


def test_forgiven_unbeaten_cards_are_single_on_the_discard_pile() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), {"event": "swept", "to": "heap"}, {"event": "pressed", "button": "forgive"})
    assert (referee.state.ledger.heap_count % 2, referee.state.ledger.single) == (1, 1)

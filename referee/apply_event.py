"""
Judge one event: compute the position after it, its rulings and its announcements.

The functions are pure: the same state and event always give the same result. :mod:`referee.match_judge` keeps the
history of a match and its corrections.

After every event the invariants of the ledger are checked. A violation is a bug of ours and no player's fault, so it
raises. Plays that the players let stand are no bug: the state records forgone draws and cards that went to the discard
pile without a partner, and the checks allow for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from referee.announce import announcements
from referee.cards import Card
from referee.dealing import deal, draw, swap
from referee.errors import InvariantError
from referee.events import (
    HEAP,
    Blocked,
    Corrected,
    Dealt,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Reread,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    Tick,
    Unread,
)
from referee.game import GameState, Phase, Trust
from referee.ledger import Attack
from referee.rules.bout_end import still_attacking
from referee.rulings import Announcement, Results, Step
from referee.statements import correct_table, press, show
from referee.table_events import lay, lay_unread, let_all_stand, lift, sweep

NO_STEP = Step()

_JUDGES: dict[type[TableEvent], Callable[[GameState, Any, Results], GameState]] = {
    Placed: lay,
    Lifted: lift,
    Swept: sweep,
    Drawn: draw,
    Swapped: swap,
    Shown: show,
    Pressed: press,
    Dealt: deal,
    Unread: lay_unread,
    Corrected: correct_table,
}


def apply_event(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
    """Return the position after an event, with its rulings and announcements. The function is pure."""
    if isinstance(event, Tick | Blocked):
        return state, NO_STEP
    if state.phase is Phase.FREE:
        return _follow(state, event), NO_STEP
    results = Results()
    announced: tuple[Announcement, ...] = ()
    if isinstance(event, Dealt) and (unswept := last_sweep(state)) is not None:
        swept = sweep(state.but(laying=None), unswept, results)
        state, announced = swept, announcements(state, swept)
    is_seen = state.trust is not Trust.NOTHING
    # Any other event than a further card ends the play of the cards laid so far.
    laying = state.laying if isinstance(event, Placed) else None
    after: GameState = _JUDGES[type(event)](state.but(moment=state.moment + 1, laying=laying), event, results)
    if not is_seen:
        results.soften()
    if after.matters and after.session.silent:
        after = let_all_stand(after)
    check_books(after)
    return after, Step(tuple(results.rulings), (*results.notes, *announced, *announcements(state, after)))


def _follow(state: GameState, event: TableEvent) -> GameState:
    """
    Return the position after an event where no rules hold (rule set ``free``): other games, films of any cards.

    An event that does not fit the cards on the table changes nothing.
    """
    bout = state.the_bout
    pairs = [[attack.card, attack.defence] for attack in bout.attacks]
    match event:
        case Placed(card=card, on=on):
            under = next((pair for pair in pairs if pair == [on, None]), None)
            if under is None:
                pairs.append([card, None])
            else:
                under[1] = card
        case Reread(was=was):
            pairs = [[event.card if card == was else card for card in pair] for pair in pairs]
        case Lifted() | Swept():
            lying = {card for pair in pairs for card in pair if card is not None}
            gone = {event.card} & lying if isinstance(event, Lifted) else lying.difference(event.left)
            left = [[card for card in pair if card is not None and card not in gone] for pair in pairs]
            pairs = [[*pair, None][:2] for pair in left if pair]
            if isinstance(event, Swept) and event.to == HEAP:
                state = state.but(ledger=state.ledger.but(heap_count=state.ledger.heap_count + len(gone)))
    attacks = tuple(Attack(card, "", 0, defence=over) for card, over in pairs if card is not None)
    return state.but(bout=bout.but(attacks=attacks))


def last_sweep(state: GameState) -> Swept | None:
    """
    Return the sweep that ends the deal if no player can play on; players rarely sweep the last bout of a game.

    None: somebody can still attack or answer, a fault is open, or the deal goes on after the sweep.
    """
    bout = state.bout
    if bout is None or not bout.attacks or state.phase not in (Phase.ATTACK, Phase.TAKE) or state.matters:
        return None
    taken = state.phase is Phase.TAKE
    if state.ledger.talon or (bout.unbeaten and not taken) or still_attacking(state):
        return None
    event = Swept(at=0.0, to=bout.defender if taken else HEAP)
    return event if sweep(state.but(laying=None), event, Results()).phase is Phase.OVER else None


def renamed(event: TableEvent, was: Card, card: Card) -> TableEvent:
    """Return the event with the card ``was`` named ``card``, where it refers to a card on the table."""
    if isinstance(event, Lifted) and event.card == was:
        return replace(event, card=card)
    if isinstance(event, Placed | Unread) and event.on == was:
        return replace(event, on=card)
    if isinstance(event, Swept):
        return replace(event, left=tuple(card if each == was else each for each in event.left))
    return event


def check_books(state: GameState) -> None:
    """
    Raise :class:`InvariantError` with the counts where the ledger does not add up.

    Pack = talon + discard pile + hands + table. Each seen card is a card of the pack and lies in one place, and no
    place holds fewer cards than are known to be there. What is owed never exceeds the talon. The discard pile is even
    (docs/rules.md, 15), except for cards that went there without a partner. With cards in the talon every living hand
    begins a bout full (docs/rules.md, 7, *Theorem*): so it is full with the cards it has laid in the bout, or with its
    draws owed after it. Seats in ``short`` are exempt: they have forgone draws, or began the record so.
    """
    broken = next(_broken(state), None)
    if broken is not None:
        ledger, bout = state.ledger, state.bout
        table = [str(card) for card in bout.cards] if bout is not None else []
        counts = (
            f"talon {ledger.talon}, heap {ledger.heap_count}, hands {dict(ledger.hands)}, table {table}, "
            f"phase {state.phase}, due {list(state.due)}"
        )
        raise InvariantError(f"{broken}; {counts}; keep the record, replaying it shows the mistake again")


def _broken(state: GameState) -> Iterator[str]:
    """Yield what is violated, the plainest first."""
    ledger, bout, full = state.ledger, state.bout, state.rules.hand_size
    table = bout.cards if bout is not None else ()
    count = ledger.count + len(table) + (bout.untrusted if bout is not None else 0)
    if count != state.rules.pack:
        yield f"expected {state.rules.pack} cards in all, got {count}"
    for seat, held in ledger.hands.items():
        if held < len(ledger.known[seat]):
            yield f"expected at most {held} known cards in the hand of {seat}, got {len(ledger.known[seat])}"
    if ledger.heap_count < len(ledger.heap):
        yield f"expected at most {ledger.heap_count} known cards on the heap, got {len(ledger.heap)}"
    owed = sum([count for _, count in state.due])
    if owed > ledger.talon:
        yield f"expected at most {ledger.talon} draws to be due, got {owed}"
    known = ledger.known.values()
    seen = ledger.heap.union(table, *known)
    if len(seen) != len(ledger.heap) + len(table) + sum(map(len, known)) or ledger.turnup in seen:
        listed = [*ledger.heap, *table, ledger.turnup, *(card for cards in known for card in cards)]
        twice = sorted(str(card) for card in seen if listed.count(card) > 1)
        yield f"expected each card in one place, got {', '.join(twice)} in two"
    if not seen <= state.rules.cards():
        yield f"expected cards of the pack, got {', '.join(sorted(map(str, seen - state.rules.cards())))}"
    if (ledger.heap_count - ledger.single) % 2:
        yield f"expected pairs on the heap besides {ledger.single} cards, got {ledger.heap_count} cards"
    # A talon too short for all draws leaves hands short.
    is_short = bout is None or (bout.ended is not None and owed == ledger.talon)
    if not ledger.talon or bout is None or state.phase is Phase.OVER or is_short:
        return
    for seat, held in ledger.hands.items():
        if held < full and seat not in state.short and seat not in state.out:
            count = held + (dict(state.due).get(seat, 0) if bout.ended is not None else bout.laid_by(seat))
            if count < full:
                yield f"expected at least {full} cards of {seat} while the talon has some, got {count}"

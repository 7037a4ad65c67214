"""Check the invariants of the ledger after an event."""

from __future__ import annotations

from collections.abc import Iterator

from referee.cards import cards_of
from referee.errors import InvariantError
from referee.game import GameState, Phase


def check_books(state: GameState) -> None:
    """
    Raise :class:`InvariantError` with the counts where the ledger does not add up.

    Pack = talon + discard pile + hands + table. Each seen card is a card of the pack and lies in one place, and no
    place holds fewer cards than are known to be there. What is owed never exceeds the talon. The discard pile is even
    (docs/rules.md, 15), except for cards that went there without a partner. With cards in the talon every living hand
    begins a bout full (docs/rules.md, 7, *Theorem*): so it is full with the cards it has laid in the bout, or with its
    draws owed after it. Seats in ``short`` are exempt: they have forgone draws, or began the record so. Where no game
    is played there are no books.
    """
    broken = None if state.phase is Phase.FREE else next(_broken(state), None)
    if broken is not None:
        ledger, bout = state.ledger, state.bout
        table = [str(card) for card in bout.cards] if bout is not None else []
        counts = (
            f"talon {ledger.talon}, heap {ledger.heap_count}, hands {dict(ledger.hands)}, table {table}, "
            f"phase {state.phase}, due {list(state.due)}"
        )
        raise InvariantError(
            f"Internal error: {broken}; {counts}; please report it with the record, which shows the mistake again"
        )


def _broken(state: GameState) -> Iterator[str]:
    """Yield what is violated, the plainest first."""
    ledger, bout, full = state.ledger, state.bout, state.rules.hand_size
    hands = ledger.hands
    table = bout.cards if bout is not None else ()
    count = ledger.count + len(table) + (bout.untrusted if bout is not None else 0)
    if count != state.rules.pack:
        yield f"{count} cards in all instead of {state.rules.pack}"
    seen = twice = 0
    for seat, cards in ledger.known.items():
        known = cards.mask
        twice |= seen & known
        seen |= known
        if hands[seat] < known.bit_count():
            yield f"{len(cards)} known cards in the hand of {seat}, which holds {hands[seat]}"
    if ledger.heap_count < ledger.heap.mask.bit_count():
        yield f"{len(ledger.heap)} known cards on the discard pile, which holds {ledger.heap_count}"
    owed = sum([count for _, count in state.due]) if state.due else 0
    if owed > ledger.talon:
        yield f"{owed} draws due from a talon of {ledger.talon}"
    twice |= seen & ledger.heap.mask
    seen |= ledger.heap.mask
    for card in table if ledger.turnup is None else (*table, ledger.turnup):
        twice |= seen & card.bit
        seen |= card.bit
    if twice:
        yield f"{', '.join(sorted(map(str, cards_of(twice))))} in two places"
    if strange := seen & ~state.rules.cards().mask:
        yield f"{', '.join(sorted(map(str, cards_of(strange))))} outside the pack"
    if (ledger.heap_count - ledger.single) % 2:
        yield f"{ledger.heap_count} cards on the discard pile are no pairs besides {ledger.single} cards"
    # A talon too short for all draws leaves hands short.
    is_short = bout is None or (bout.ended is not None and owed == ledger.talon)
    if not ledger.talon or bout is None or state.phase is Phase.OVER or is_short:
        return
    for seat, held in hands.items():
        if held < full and seat not in state.short and seat not in state.out:
            count = held + (dict(state.due).get(seat, 0) if bout.ended is not None else bout.laid_by(seat))
            if count < full:
                yield f"{count} cards of {seat} instead of at least {full} while the talon has some"

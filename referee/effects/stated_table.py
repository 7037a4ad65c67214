"""The table as people state it, in place of what was believed."""

from __future__ import annotations

from dataclasses import replace

from msgspec import UNSET

from referee.cards import Card
from referee.effects.bout import begin_bout, next_bout
from referee.errors import RecordError
from referee.events import Corrected, TableFacts
from referee.game import NOTHING, GameState, Ledger, Phase
from referee.plays import Draw
from referee.rules.attack import bout_limit
from referee.rules.draw import draw_order, draws_due, takes_turnup
from referee.rules.sweep import next_turn
from referee.rulings import Results


def correct_table(state: GameState, event: Corrected, results: Results) -> GameState:
    """
    Return the position with the stated counts and cards; the discard pile, if not stated, makes up the pack.

    People don't count cards of an open matter as held in the hand; the ledger does. Raise ``RecordError`` where the
    counts don't add up, or the two players named don't play against each other.
    """
    facts = event.table
    assert facts is not None, "corrections of lines are applied where the record is kept"
    state = state.replace(ledger=_stated_ledger(state, facts))
    ledger = state.ledger
    if isinstance(facts.turnup, Card):
        state = state.replace(trump=facts.turnup.suit)
    if ledger.turnup is not None:
        state = state.replace(refill=replace(state.refill, turnup=None, holder=None))
    full = state.rules.hand_size
    state = state.replace(
        deals=max(state.deals, 1),
        out=tuple(seat for seat in state.out if not ledger.hands[seat]),
        short=frozenset(seat for seat, held in ledger.hands.items() if held < full),
        # A stated hand closes the open draws of its seat.
        matters=tuple(
            matter for matter in state.matters if not (isinstance(matter.play, Draw) and matter.play.by in facts.hands)
        ),
    )
    return _with_players(state, facts)


def _stated_ledger(state: GameState, facts: TableFacts) -> Ledger:
    ledger, rules, bout = state.ledger, state.rules, state.bout
    open_cards = {seat: ledger.hands[seat] - state.physical(seat) for seat in state.seating.seats}
    stated_cards = {seat: count + open_cards[seat] for seat, count in facts.hands.items()}
    hands = {**ledger.hands, **stated_cards}
    talon = ledger.talon if facts.talon is UNSET else facts.talon
    lying = len(bout.cards) + bout.untrusted if bout is not None else 0
    held = talon + sum(hands.values()) + lying
    heap_count = rules.pack - held if facts.heap_count is UNSET else facts.heap_count
    if heap_count < 0 or held + heap_count != rules.pack:
        raise RecordError(
            f'expected "table" with counts that make up the {rules.pack} cards of the pack with the {lying} in the '
            f"bout, got {held + max(0, heap_count)}; give hands, talon and heap_count together"
        )
    turnup = _turnup(state, facts, talon, bout.cards if bout is not None else ())
    gone = () if turnup is None else (turnup,)
    known = {seat: cards - gone for seat, cards in ledger.known.items()}
    heap = ledger.heap - gone
    single = ledger.single
    return ledger.replace(
        hands=hands,
        talon=talon,
        turnup=turnup,
        # More cards known than counted: the known cards were wrong.
        heap=heap if len(heap) <= heap_count else NOTHING,
        heap_count=heap_count,
        known={seat: cards if len(cards) <= hands[seat] else NOTHING for seat, cards in known.items()},
        single=single if single <= heap_count and (heap_count - single) % 2 == 0 else heap_count % 2,
    )


def _turnup(state: GameState, facts: TableFacts, talon: int, lying: tuple[Card, ...]) -> Card | None:
    rules, refill = state.rules, state.refill
    turnup = state.ledger.turnup if facts.turnup is UNSET else facts.turnup
    if facts.turnup is UNSET and refill.holder is not None and not takes_turnup(rules, talon):
        turnup = refill.turnup  # it is drawn last, so it was not drawn yet
    if not talon and not isinstance(facts.turnup, Card):
        return None
    if isinstance(facts.turnup, Card) and (not talon or turnup in lying or turnup not in rules.cards()):
        raise RecordError(
            f'expected "turnup" of the table to be a card of the pack under the talon, got {turnup}; '
            'give "turnup": null where none lies there'
        )
    return turnup


def _with_players(state: GameState, facts: TableFacts) -> GameState:
    bout, attacker, defender = state.bout, facts.attacker, facts.defender
    if attacker is None and defender is None:
        return _with_draws(state, facts)
    if bout is None or bout.ended is not None:
        # A stated attacker means that the draws are finished and that the deal is not over.
        session = state.session_before if state.result is not None else None
        state = state.replace(due=(), result=None, session=session or state.session)
    if attacker is None and bout is not None:
        leads, _ = state.named(next_turn(state.table, is_taken=bout.ended == "taken"))
        attacker = bout.attacker if bout.ended is None else leads
    if attacker is not None and defender is None:
        defender = state.seating.next_opponent(attacker, state.out)
    if attacker is None or defender is None or defender in state.seating.team(attacker):
        raise RecordError(
            f'expected "table" with an attacker and a defender who play against each other, got {attacker} and '
            f"{defender}; name both"
        )
    if bout is None or bout.ended is not None:
        return begin_bout(state, attacker, defender, 1 if bout is None else bout.number + 1)
    if (attacker, defender) == (bout.attacker, bout.defender):
        return state
    return state.replace(bout=bout.replace(attacker=attacker, defender=defender))


def _with_draws(state: GameState, facts: TableFacts) -> GameState:
    """
    Return the state with the draws that are owed by the stated counts, if no card was laid since the last bout.

    They may be more than were owed before: a draw that was counted as too large may have ended the draws too soon. A
    seat that was passed over in the draws stays passed over.
    """
    after, bout = state.refill.after, state.bout
    counts_stated = bool(facts.hands) or facts.talon is not UNSET
    if bout is None or not counts_stated or state.result is not None:
        return state
    if bout.ended is None and (bout.attacks or bout.strays or bout.faceless):
        return state
    due: tuple[tuple[str, int], ...] = ()
    if after is not None:
        table, seats, last = state.replace(bout=after).table, state.seating.seats, state.refill.last
        order = state.named(draw_order(table))
        passed_over = order[: order.index(last)] if last is not None else ()
        due = tuple((seats[seat], count) for seat, count in draws_due(table) if seats[seat] not in passed_over)
    if due:
        refill = replace(state.refill, partly=due[0][0] == state.refill.last)
        return state.replace(phase=Phase.DRAW, bout=after, due=due, refill=refill)
    if state.phase is Phase.DRAW:
        return next_bout(state.replace(due=()))
    limit = bout_limit(state.rules, bout.number, state.beaten_off, state.ledger.hands[bout.defender])
    return state.replace(bout=bout.replace(limit=limit, began=state.ledger.hands))

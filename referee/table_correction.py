"""Replace the position by the one that a person states."""

from __future__ import annotations

from msgspec import UNSET

from referee.cards import Card
from referee.errors import RecordError
from referee.events import Corrected
from referee.game import GameState, Phase, Trust
from referee.ledger import NOTHING, Ledger
from referee.messages import Results
from referee.plays import Draw
from referee.rulebook import Rulebook
from referee.rules.bout_end import next_turn
from referee.table_facts import TableFacts
from referee.turns import begin_bout, next_bout


def correct_table(state: GameState, event: Corrected, results: Results) -> GameState:
    """
    Return the position with the stated counts and cards; the discard pile, if not stated, makes up the pack.

    People don't count cards of an open matter as held in the hand; the ledger does. Raise ``RecordError`` where the
    counts don't add up, or the two players named don't play against each other.
    """
    facts = event.table
    assert facts is not None, "corrections of lines are applied where the record is kept"
    talon_before = state.ledger.talon
    state = state.but(ledger=_stated_ledger(state, facts), trust=Trust.ALL)
    ledger = state.ledger
    if isinstance(facts.turnup, Card):
        state = state.but(trump=facts.turnup.suit)
    full = state.rules.hand_size
    state = state.but(
        dealt=True,
        out=tuple(seat for seat in state.out if not ledger.hands[seat]),
        short=frozenset(seat for seat, held in ledger.hands.items() if held < full),
        # A stated hand closes the open draws of its seat.
        matters=tuple(
            each for each in state.matters if not (isinstance(each.play, Draw) and each.play.by in facts.hands)
        ),
    )
    if ledger.talon != talon_before:
        results.say("talon", count=ledger.talon)
    return _with_players(state, facts, results)


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
    turnup = _turnup(ledger, facts, rules, talon, bout.cards if bout is not None else ())
    gone = NOTHING if turnup is None else frozenset({turnup})
    known = {seat: cards - gone for seat, cards in ledger.known.items()}
    heap = ledger.heap - gone
    single = ledger.single
    return ledger.but(
        hands=hands,
        talon=talon,
        turnup=turnup,
        # More cards known than counted: the known cards were wrong.
        heap=heap if len(heap) <= heap_count else NOTHING,
        heap_count=heap_count,
        known={seat: cards if len(cards) <= hands[seat] else NOTHING for seat, cards in known.items()},
        single=single if single <= heap_count and (heap_count - single) % 2 == 0 else heap_count % 2,
    )


def _turnup(ledger: Ledger, facts: TableFacts, rules: Rulebook, talon: int, lying: tuple[Card, ...]) -> Card | None:
    turnup = ledger.turnup if facts.turnup is UNSET else facts.turnup
    if not talon and not isinstance(facts.turnup, Card):
        return None
    if isinstance(facts.turnup, Card) and (not talon or turnup in lying or turnup not in rules.cards()):
        raise RecordError(
            f'expected "turnup" of the table to be a card of the pack under the talon, got {turnup}; '
            'give "turnup": null where none lies there'
        )
    return turnup


def _with_players(state: GameState, facts: TableFacts, results: Results) -> GameState:
    """Return the state with the stated attacker and defender, and the draws that remain."""
    bout, attacker, defender = state.bout, facts.attacker, facts.defender
    if attacker is None and defender is None:
        return _with_draws(state, results)
    if bout is None or bout.ended is not None:
        # A stated attacker means that the draws are finished and that the deal is not over.
        session = state.session_before if state.result is not None else None
        state = state.but(due=(), result=None, session=session or state.session)
    if attacker is None and bout is not None:
        attacker = bout.attacker if bout.ended is None else next_turn(state, bout, state.out)[0]
    if attacker is not None and defender is None:
        defender = state.seating.next_opponent(attacker, state.out)
    if attacker is None or defender is None or defender in state.seating.team(attacker):
        raise RecordError(
            f'expected "table" with an attacker and a defender who play against each other, got {attacker} and '
            f"{defender}; name both"
        )
    if bout is None or bout.ended is not None:
        return begin_bout(state, attacker, defender, 1 if bout is None else bout.number + 1, results)
    if (attacker, defender) == (bout.attacker, bout.defender):
        return state
    results.say("turn", attacker=attacker, defender=defender)
    return state.but(bout=bout.but(attacker=attacker, defender=defender))


def _with_draws(state: GameState, results: Results) -> GameState:
    """Limit the owed draws to the cards that the hands lack now."""
    if state.phase is not Phase.DRAW:
        return state
    full, left = state.rules.hand_size, state.ledger.talon
    due: list[tuple[str, int]] = []
    for seat, count in state.due:
        lacks = min(count, max(0, full - state.ledger.hands[seat]), left)
        due += [(seat, lacks)] if lacks else []
        left -= lacks
    state = state.but(due=tuple(due))
    return state if due else next_bout(state, results)

"""A match and its deals begin (docs/rules.md, 1 and 2)."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card, CardSet
from referee.effects.bout import begin_bout
from referee.errors import RecordError
from referee.events import Dealt
from referee.game import NOTHING, Bout, GameState, Ledger, Phase, Session
from referee.header import Header, Start
from referee.rulebook import FREE, Rulebook, rulebook
from referee.rules.lead import leaders_of
from referee.rulings import Results
from referee.seating import Seating


def open_match(header: Header) -> GameState:
    """
    Return the position after the header line.

    Raise ``RulebookError`` where the rules contradict each other, ``RecordError`` where the counts don't add up.
    """
    rules = rulebook(header.rules, header.options)
    rules.check_seats(len(header.seats))
    stated = header.start.teams if header.start is not None else ()
    seating = Seating.of(header.seats, rules.teams, _checked_teams(stated, rules, header.seats))
    nobody = dict.fromkeys(header.seats, NOTHING)
    state = GameState(
        rules=rules,
        seating=seating,
        session=Session(
            1,
            header.dealer,
            () if header.dealer is None else (header.dealer,),
            losses=dict.fromkeys(header.seats, 0),
            silent=header.tone == "silent",
        ),
        phase=Phase.LEAD,
        trump=None,
        ledger=Ledger(dict.fromkeys(header.seats, 0), rules.pack, None, NOTHING, 0, nobody, nobody),
    )
    if rules.name == FREE:
        return state.replace(phase=Phase.FREE, bout=Bout(1, "", "", None, state.ledger.hands))
    return state if header.start is None else _begin_at(state, header.start)


def _checked_teams(
    stated: tuple[tuple[str, ...], ...], rules: Rulebook, seats: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    if not stated:
        return ()
    if rules.teams == "none":
        if all(len(team) == 1 for team in stated):
            return ()
        raise RecordError('expected "teams" only where the rules are played in teams, got ' + _named(stated))
    sides = {frozenset(seats[0::2]), frozenset(seats[1::2])}
    if {frozenset(team) for team in stated} != sides:
        raise RecordError('expected "teams" to be every other seat, got ' + _named(stated))
    return tuple(tuple(seat for seat in seats if seat in team) for team in stated)


def _named(teams: tuple[tuple[str, ...], ...]) -> str:
    return " and ".join("+".join(team) for team in teams)


def _begin_at(state: GameState, start: Start) -> GameState:
    """Return the position that the header's ``start`` describes."""
    ledger = _ledger_at(start, state.rules, state.seating.seats)
    out = start.out
    if not ledger.talon:
        # At the beginning of a bout a seat with an empty hand is out, even if the header doesn't list it.
        out = (*out, *(seat for seat in state.seating.seats if not ledger.hands[seat] and seat not in out))
    for seat in out:
        if ledger.hands[seat]:
            raise RecordError(f'expected no cards in the hand of {seat}, who is "out", got {ledger.hands[seat]}')
    session = replace(state.session, deal=start.hand, fool=start.fool, winner=start.winner)
    state = state.replace(
        session=session,
        trump=start.trump,
        ledger=ledger,
        out=out,
        emptied=out,
        beaten_off=start.beaten_off or 0,
        deals=1,
        short=frozenset(seat for seat, held in ledger.hands.items() if held < state.rules.hand_size),
    )
    if start.attacker is None:
        if len(state.living) < 2:
            raise RecordError('expected at least two seats with cards in "hands"')
        return find_leader(state)
    attacker = start.attacker
    defender = start.defender or state.seating.next_opponent(attacker, out)
    for seat, role in ((attacker, "attacker"), (defender, "defender")):
        if seat in out:
            raise RecordError(f'expected the "{role}" to hold cards, got {seat} with none')
    if defender in state.seating.team(attacker):
        raise RecordError(f'expected an "attacker" and a "defender" who play against each other, got {attacker}')
    return begin_bout(state, attacker, defender, start.bout or 1)


def _ledger_at(start: Start, rules: Rulebook, seats: tuple[str, ...]) -> Ledger:
    pack = rules.cards()
    held = start.talon + sum(start.hands.values())
    heap_count = start.heap_count if start.heap_count is not None else rules.pack - held
    if held + heap_count != rules.pack or heap_count < len(start.heap):
        raise RecordError(
            f'expected "talon", "hands" and the heap to add up to the {rules.pack} cards of the pack, '
            f"got {held + heap_count if start.heap_count is not None else held}"
        )
    if start.turnup is not None and not start.talon:
        raise RecordError(f'expected "turnup" to be null with an empty "talon", got {start.turnup}')
    placed: set[Card] = set()
    places = [*start.known.values(), start.heap, (start.turnup,) if start.turnup is not None else ()]
    for cards in places:
        for card in cards:
            if card not in pack:
                raise RecordError(f"expected cards of the pack of {rules.pack}, got {card}")
            if card in placed:
                raise RecordError(f"expected each card in one place, got {card} in two")
            placed.add(card)
    for seat, cards in start.known.items():
        if len(cards) > start.hands[seat]:
            raise RecordError(
                f'expected at most {start.hands[seat]} "known" cards in the hand of {seat}, got {len(cards)}'
            )
    return Ledger(
        hands=dict(start.hands),
        talon=start.talon,
        turnup=start.turnup,
        heap=CardSet.of(start.heap),
        heap_count=heap_count,
        known={seat: CardSet.of(start.known.get(seat, ())) for seat in seats},
        picked={seat: CardSet.of(start.picked.get(seat, ())) for seat in seats},
        single=heap_count % 2,
    )


def deal(state: GameState, event: Dealt, results: Results) -> GameState:
    """Return the position after a deal: the first, the next one of the session, or the same one repeated."""
    session = state.session
    if state.result is not None:
        session = replace(session, deal=session.deal + 1)
    seats, rules = state.seating.seats, state.rules
    talon = rules.talon_after_deal(len(seats))
    hands = dict.fromkeys(seats, rules.hand_size)
    known = dict.fromkeys(seats, NOTHING)
    turnup = event.turnup
    if turnup is not None and turnup not in rules.cards():
        results.note("doubt", reason="turnup-not-in-pack", card=turnup)
        turnup = None
    under = turnup
    where = rules.turn_up if talon else rules.turn_up_no_talon
    if where != "under_talon":
        under = None
        if where == "dealers_last_card" and turnup is not None and session.dealer is not None:
            known[session.dealer] = CardSet.of((turnup,))
    is_ace = under is not None and under.rank == "A"
    is_redrawn = is_ace and talon > 1 and rules.ace_trump == "redrawn"
    if is_redrawn:
        turnup = under = None
    fresh = GameState(
        rules=rules,
        seating=state.seating,
        session=session,
        phase=Phase.LEAD,
        trump=turnup.suit if turnup is not None else None,
        ledger=Ledger(hands, talon, under, NOTHING, 0, known, dict.fromkeys(seats, NOTHING)),
        moment=state.moment,
        deals=state.deals + 1,
    )
    return void_deal(fresh, "ace-trump") if is_redrawn else find_leader(fresh)


def void_deal(state: GameState, reason: str) -> GameState:
    """End a deal without a lead: the cards are dealt again, or another card is turned up."""
    return state.replace(phase=Phase.LEAD, bout=None, lead=(None, reason), leaders=(), claims={})


def find_leader(state: GameState) -> GameState:
    """Find who leads, if that is known; else keep the phase ``lead`` with the seats that may still lead."""
    seats, reason = leaders_of(state)
    if reason is not None and len(seats) < 2:
        return take_lead(state, seats[0], reason) if seats else state.replace(lead=(None, reason), leaders=())
    return state.replace(leaders=seats)


def take_lead(state: GameState, seat: str, reason: str) -> GameState:
    seat = seat if seat not in state.out else state.seating.next_living(seat, state.out)
    return begin_bout(state.replace(lead=(seat, reason)), seat, state.seating.next_living(seat, state.out), 1)

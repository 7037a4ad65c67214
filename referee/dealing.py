"""
Begin a match and each of its deals, begin and end the bouts, draw, exchange the turn-up, and decide the deal.

docs/rules.md, 1, 2, 7 to 10. A bout that has been swept stays in the state with ``ended`` set while draws are owed.
With the last draw, or at once where none is due, empty hands drop out, the deal may be over, and the next bout begins.
"""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card, CardSet
from referee.errors import RecordError
from referee.events import Dealt, Drawn, Swapped
from referee.game import NOTHING, Bout, GameState, Ledger, Matter, Phase, Refill, Seating, Session
from referee.plays import Draw, Laid, Swap
from referee.record import Header, Start
from referee.rulebook import FREE, FaultId, Rulebook, rulebook
from referee.rules import (
    Result,
    bout_limit,
    cannot_be,
    check_duplicate,
    check_heap,
    check_other_hand,
    check_pack,
    deal_result,
    draws_due,
    empty_hands,
    fault_of,
    first_fault,
    leaders_of,
    losers_of,
    next_turn,
)
from referee.rulings import Fault, Results, Verdict


def begin_bout(state: GameState, attacker: str, defender: str, number: int) -> GameState:
    """Begin a new bout; its limit follows from the defender's hand at this moment."""
    held = state.ledger.hands[defender]
    limit = bout_limit(state.rules, number, state.beaten_off, held)
    bout = Bout(number, attacker, defender, limit, state.ledger.hands)
    return state.but(phase=Phase.ATTACK, bout=bout, leaders=())


def end_bout(state: GameState, how: str) -> GameState:
    """End the bout, whose cards are already entered in the ledger. ``how``: "beaten" or "taken"."""
    bout = state.the_bout
    ended = bout.but(attacks=(), strays=(), faceless=(), ended=how)
    due = draws_due(state, ended)
    state = state.but(
        phase=Phase.DRAW if due else state.phase,
        due=due,
        bout=ended,
        beaten_off=state.beaten_off + (how == "beaten"),
        refill=Refill(after=ended),
        short=frozenset() if state.rules.draw_to == "hand_size" else state.short,
    )
    return state if due else next_bout(state)


def next_bout(state: GameState) -> GameState:
    """Let seats drop out after the last draw; begin the next bout unless the deal is decided."""
    ended = state.bout
    assert ended is not None
    state = drop_out(state, ended.defender)
    if state.result is not None:
        return state
    attacker, defender = next_turn(state, ended, state.out)
    return begin_bout(state, attacker, defender, ended.number + 1)


def drop_out(state: GameState, defender: str) -> GameState:
    """Let seats with empty hands drop out, and decide the deal if that ends it."""
    gone = empty_hands(state)
    if not gone:
        return state
    state = state.but(out=(*state.out, *gone))
    result = deal_result(state, defender)
    return state if result is None else decide(state, result)


def at_once(state: GameState) -> GameState:
    """Let seats drop out during the bout where an empty hand counts at once (French, French house)."""
    bout = state.bout
    if state.rules.end_check != "immediate" or bout is None:
        return state
    return drop_out(state, bout.defender)


def decide(state: GameState, result: Result) -> GameState:
    """End the deal and count the losses."""
    before = state.session
    losers = losers_of(result, state)
    losses = {seat: before.losses[seat] + (seat in losers) for seat in state.seating.seats}
    fool = losers if result.kind in ("fool", "team-fool") or (losers and len(state.seating.seats) == 2) else before.fool
    winner = tuple(seat for seat in state.out if losers and seat not in (*losers, *state.resigned)) or before.winner
    # The losers deal; after a draw the fool before does, or else whoever dealt (docs/rules.md, 1).
    dealers = losers or before.fool or before.dealers
    session = replace(
        before,
        dealer=dealers[0] if len(dealers) == 1 else None,
        dealers=dealers,
        fool=fool,
        winner=winner,
        losses=losses,
    )
    return state.but(phase=Phase.OVER, result=result, session=session, session_before=before)


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
        return state.but(phase=Phase.FREE, bout=Bout(1, "", "", None, state.ledger.hands))
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
    state = state.but(
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
    return state.but(phase=Phase.LEAD, bout=None, lead=(None, reason), leaders=(), claims={})


def find_leader(state: GameState) -> GameState:
    """Find who leads, if that is known; else keep the phase ``lead`` with the seats that may still lead."""
    seats, reason = leaders_of(state)
    if reason is not None and len(seats) < 2:
        return take_lead(state, seats[0], reason) if seats else state.but(lead=(None, reason), leaders=())
    return state.but(leaders=seats)


def take_lead(state: GameState, seat: str, reason: str) -> GameState:
    seat = seat if seat not in state.out else state.seating.next_living(seat, state.out)
    return begin_bout(state.but(lead=(seat, reason)), seat, state.seating.next_living(seat, state.out), 1)


def draw(state: GameState, event: Drawn, results: Results) -> GameState:
    if not state.dealt or state.phase is Phase.OVER:
        return state
    by = event.by or (state.due[0][0] if state.due else None)
    if by is None:
        by = state.bout.attacker if state.bout is not None else state.living[0]
    state = absorb_open_draws(state, by)
    play = Draw(by, event.count)
    fault = fault_of(play, state)
    if fault is None:
        state = _without_draws_of(state, by)
        return drawn(state, play, _face_seen(state, play, event, results))
    if event.by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, event.by)
    return state.but(matters=(*state.matters, Matter(play, fault, fault.verdict, state.moment)))


def _face_seen(state: GameState, play: Draw, event: Drawn, results: Results) -> Card | None:
    """Return the face of the drawn card; None: not seen, or misread since that card can't lie in the talon."""
    card = event.card
    if card is None:
        return None
    ledger, of_nobody = state.ledger, Laid("", (card,))
    fault = first_fault((check_pack, check_heap, check_other_hand, check_duplicate), of_nobody, state)
    if fault is None and card == ledger.turnup and ledger.talon - play.count > (state.rules.second_trump != "none"):
        fault = Fault.of(FaultId.CARD_IN_TALON, card=card)
    if fault is not None:
        results.fault(fault, play.name, play.by, (card,))
        return None
    # A single drawn card that must be the turn-up has no other face.
    takes_turnup = ledger.turnup is not None and ledger.talon - play.count <= (state.rules.second_trump != "none")
    return None if takes_turnup and play.count == 1 else card


def drawn(state: GameState, play: Draw, seen: Card | None) -> GameState:
    """Enter the draw in talon and hand, with the turn-up if it was drawn; begin the next bout after the last draw."""
    ledger, refill = state.ledger, state.refill
    talon = ledger.talon - play.count
    cards = [seen] if seen is not None else []
    turnup, went, holder = ledger.turnup, refill.turnup, refill.holder
    lies_last = 1 if state.rules.second_trump != "none" else 0
    if turnup is not None and talon <= lies_last:
        cards.append(turnup)
        went, holder = turnup, play.by
        turnup = None
    ledger = ledger.drawn(play.by, play.count, cards, turnup)
    due, rest = [], talon
    for seat, count in state.due:
        left = min(count - play.count if seat == play.by else count, rest)
        if left > 0:
            due.append((seat, left))
            rest -= left
    in_turn = bool(state.due) and state.due[0][0] == play.by
    partly = bool(due) and due[0][0] == play.by if in_turn else refill.partly
    refill = replace(refill, drew=refill.drew | {play.by}, last=play.by, turnup=went, holder=holder, partly=partly)
    last = play.by if not talon and lies_last else state.last_card_by
    state = state.but(
        ledger=ledger,
        due=tuple(due),
        refill=refill,
        last_card_by=last,
        drawn_since_deal=state.drawn_since_deal | {play.by},
        emptied=tuple(seat for seat in state.emptied if seat != play.by),
    )
    if last is not None and seen is not None and seen != refill.turnup:
        state = new_trump(state, last, seen)
    if due:
        return state
    if state.phase is Phase.DRAW:
        return next_bout(state)
    return at_once(state)


def new_trump(state: GameState, seat: str, card: Card) -> GameState:
    """Make the suit of the talon's last card, which was shown, trump for the rest of the deal (Severnyi; pagat)."""
    state = state.but(ledger=state.ledger.knowing(seat, card), last_card_by=None)
    if card.suit is state.trump:
        return state
    # Claims about the old trump are void.
    return state.but(trump=card.suit, new_trump=(card, seat), claims={})


def _without_draws_of(state: GameState, seat: str) -> GameState:
    """Close the wrong draws of this seat, which a due draw puts right."""
    return state.without(*(each for each in state.matters if isinstance(each.play, Draw) and each.play.by == seat))


def absorb_open_draws(state: GameState, by: str | None) -> GameState:
    """
    Let draws stand that were too early or too large, once their turn has come and the game has gone on.

    So a player who has already drawn is not accused of owing a draw.
    """
    while state.due and state.due[0][0] != by:
        seat, count = state.due[0]
        made = sum(
            matter.play.count for matter in state.matters if isinstance(matter.play, Draw) and matter.play.by == seat
        )
        if made < count:
            return state
        state = drawn(_without_draws_of(state, seat), Draw(seat, count), None)
    return state


def swap(state: GameState, event: Swapped, results: Results) -> GameState:
    if not state.dealt or state.phase is Phase.OVER:
        return state
    by = event.by or state.ledger.holder(event.card)
    for matter in state.matters:
        # The player has undone a wrong exchange: turn-up and card are back in their places.
        if isinstance(matter.play, Swap) and by in (None, matter.play.by) and event.card == state.ledger.turnup:
            return state.without(matter)
    play = Swap(by or state.living[0], event.card)
    fault = fault_of(play, state)
    if fault is None:
        results.legal(play, by)
        return swapped(state, play, attributed=by is not None)
    if fault.verdict is Verdict.ILLEGAL and by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, by, (event.card,))
    sure = cannot_be(Laid(play.by, (event.card,)), state) is None
    return state.but(matters=(*state.matters, Matter(play, fault, fault.verdict, state.moment, sure=sure)))


def swapped(state: GameState, play: Swap, attributed: bool = True) -> GameState:
    """Enter the exchange in the ledger. Hand sizes and the talon's count don't change."""
    ledger, went, turnup = state.ledger, state.refill.turnup, state.ledger.turnup
    gets = play.by
    gives = next((seat for seat, cards in ledger.known.items() if seat != gets and went in cards), None)
    if turnup is not None:
        ledger = ledger.but(turnup=play.card)
        if attributed:
            rest = ledger.known[gets] - {play.card}
            ledger = ledger.but(known={**ledger.known, gets: rest}).knowing(gets, turnup)
    elif gives is not None:
        # After the refill that emptied the talon, whoever drew the turn-up hands it over.
        assert went is not None
        known = {**ledger.known, gives: ledger.known[gives] - {went}, gets: ledger.known[gets] - {play.card}}
        ledger = ledger.but(known=known).knowing(gives, play.card).knowing(gets, went)
    return state.but(ledger=ledger)

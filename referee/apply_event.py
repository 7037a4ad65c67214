"""
The position at the beginning of a match, and after an event, with its rulings and announcements.

The functions are pure: the same state and event always give the same result. :mod:`referee.match_judge` keeps the
history of a match and its corrections.

After every event the invariants of the ledger are checked. A violation is a bug of ours and no player's fault, so it
raises. Plays that the players let stand are no bug: the state records forgone draws and cards that went to the discard
pile without a partner, and the checks allow for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import UNSET, structs

from referee.cards import Card, CardSet, cards_of
from referee.errors import InvariantError, RecordError
from referee.events import (
    HEAP,
    Blocked,
    Corrected,
    Dealt,
    Drawn,
    Lifted,
    Named,
    Placed,
    Pressed,
    Reread,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    TableFacts,
    Tick,
    Unread,
)
from referee.game import (
    NOTHING,
    Attack,
    Bout,
    Claim,
    Faceless,
    GameState,
    Laying,
    Ledger,
    Matter,
    Phase,
    Refill,
    Seating,
    Session,
    Stray,
)
from referee.header import Header, Start
from referee.plays import Beat, Done, Draw, Laid, Lead, Pass, Swap, Sweep, Take, ThrowIn, Transfer, read_laid
from referee.rulebook import FREE, FaultId, Rulebook, rulebook
from referee.rules import (
    Result,
    asks_for_leave,
    bout_limit,
    cannot_be,
    check_before_beating,
    check_duplicate,
    check_heap,
    check_heap_alone,
    check_opening_shape,
    check_other_hand,
    check_pack,
    check_single_rank,
    check_target,
    check_touch,
    check_transfer_allowed,
    check_transfer_bout,
    deal_result,
    draw_order,
    draws_due,
    empty_hands,
    fault_of,
    first_fault,
    later_leaders,
    leaders_of,
    losers_of,
    next_turn,
    redealt_suit,
    still_attacking,
    transfer_target,
)
from referee.rulings import MANNERS, Announcement, Fault, Results, Ruling, Step, Verdict

# a match and its deals begin (docs/rules.md, 1 and 2)


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


# bouts begin and end; a bout that was swept stays, with ``ended`` set, while draws are owed (docs/rules.md, 7, 9, 10)


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


# cards on the table


def lay(state: GameState, event: Placed, results: Results) -> GameState:
    """Judge a card laid on the table, its seat known."""
    back = _put_back(state, event, results)
    if back is not None:
        return back
    if state.phase is Phase.DRAW:
        state = absorb_open_draws(state, None)
    state = _read_at_last(state, event)
    base = state
    before: tuple[Card, ...] = ()
    laying = state.laying
    if laying is not None and event.on is None and laying.by == event.by and laying.at == event.at:
        base, before = laying.base.but(moment=state.moment), laying.cards
    cards = (*before, event.card)
    assert event.by is not None, "the caller names a seat (referee.belief)"
    play = read_laid(cards, event.by, event.on, base)
    fault = fault_of(play, base)
    # The trump is not known while the card that decides it (Severnyi) was drawn unseen.
    if fault is not None and fault.id is FaultId.DOES_NOT_BEAT and base.last_card_by is not None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    after = rule_on(play, fault, base, results)
    if event.on is not None:
        return after if after.laying is None else after.but(laying=None)
    base = base if base.laying is None else base.but(laying=None)
    return after.but(laying=Laying(event.by, event.at, cards, base))


def rule_on(play: Laid, fault: Fault | None, state: GameState, results: Results) -> GameState:
    """Add the ruling; make the play if it is legal or only unclear, else keep it as an open matter."""
    if fault is None:
        results.legal(play, play.by)
        return made(play, state)
    unclear = fault.verdict is Verdict.UNCLEAR
    results.fault(fault, play.name, play.by, play.cards, _question(fault, play, state) if unclear else None)
    if unclear and can_be_made(play, state) and cannot_be(play, state) is None:
        return made(play, state)
    on = play.over if isinstance(play, Beat) else None
    matter = Matter(play, fault, fault.verdict, state.moment, play.cards, on, sure=cannot_be(play, state) is None)
    return state.but(matters=(*state.matters, matter))


def _question(fault: Fault, play: Laid, state: GameState) -> Mapping[str, Any] | None:
    """Return the question that resolves it: the card, or whether leave was given; None where the house doesn't ask."""
    before = fault.facts.get("before")
    if before is None:
        return {"ask": "card", "card": play.cards[-1]}
    is_asked = fault.id not in MANNERS or asks_for_leave(state, (before,))
    return {"ask": "leave", "seat": before} if is_asked else None


def may_become_legal(state: GameState, rulings: Sequence[Ruling]) -> bool:
    """Check whether an opening of pairs and one extra card, laid one by one, may still get its missing card."""
    return (
        state.rules.opening == "pairs_plus_one"
        and state.laying is not None
        and len(rulings) == 1
        and rulings[0].fault is FaultId.OPENING_SHAPE
    )


def can_be_made(play: Laid, state: GameState) -> bool:
    """Check whether the play can be made in this position if the players let it stand."""
    bout = state.bout
    if state.phase is Phase.OVER or len(play.cards) > state.ledger.hands[play.by]:
        return False
    if bout is None or bout.ended is not None:
        return isinstance(play, Lead)
    if isinstance(play, Beat):
        attack = bout.find(play.over)
        return attack is not None and attack.defence is None
    if isinstance(play, Transfer):
        return play.by == bout.defender and bool(bout.unbeaten)
    return True


def made(play: Laid, state: GameState) -> GameState:
    """Return the position after this play of cards."""
    if isinstance(play, Lead) and state.phase is Phase.LEAD:
        defender = state.seating.next_living(play.by, state.out)
        state = begin_bout(state.but(lead=(play.by, "laid-first")), play.by, defender, 1)
    elif isinstance(play, Lead) and state.phase is Phase.DRAW:
        # The players let the lead stand, so the draws are forgone.
        state = next_bout(state.but(due=(), short=frozenset(state.living)))
    bout = state.the_bout
    if isinstance(play, Beat):
        # A defender who beats after the take withdraws the take.
        bout = bout.defended(play.over, play.card, play.by).not_taken()
        phase = Phase.ATTACK
    elif isinstance(play, Transfer):
        phase = Phase.ATTACK
        before = (bout.attacker, bout.defender, bout.limit)
        if play.shown:
            bout = bout.but(shown=bout.shown | {play.cards[0]}, shown_by=(play.by, state.moment))
        else:
            bout = bout.attacked(play.by, play.cards, state.moment, passed_on=before)
        bout = _passed_on(state, bout)
    else:
        bout = bout.attacked(play.by, play.cards, state.moment, thrown=isinstance(play, ThrowIn))
        phase = state.phase
    ledger, emptied = state.ledger, state.emptied
    if isinstance(play, Transfer) and play.shown:
        ledger = ledger.knowing(play.by, play.cards[0])
    else:
        ledger = ledger.without(play.by, play.cards)
        if not ledger.hands[play.by] and play.by not in emptied:
            emptied = (*emptied, play.by)
    state = state.but(bout=bout, ledger=ledger, emptied=emptied, phase=phase)
    return at_once(state)


def _passed_on(state: GameState, bout: Bout) -> Bout:
    """Return the bout with the attack passed on from its defender to the next seat."""
    target = transfer_target(state)
    limit = bout_limit(state.rules, bout.number, state.beaten_off, state.ledger.hands[target])
    return bout.but(
        attacker=bout.defender,
        defender=target,
        limit=limit,
        passed={},
        allowed={},
        waiting=frozenset(),
        taking=None,
    )


def _put_back(state: GameState, event: Placed, results: Results) -> GameState | None:
    """Return the state with a card put back that was swept away by mistake; None: it is no such card."""
    for place, matter in enumerate(state.matters):
        if not isinstance(matter.play, Sweep) or event.card not in matter.away:
            continue
        # A card that its owner has meanwhile taken back and lays again is a new play.
        bout = state.the_bout
        owner = bout.owner(event.card)
        if owner is not None:
            over = next((attack.card for attack in bout.attacks if attack.defence == event.card), None)
            results.legal(ThrowIn(owner, (event.card,)) if over is None else Beat(owner, (event.card,), over), owner)
            away = matter.away - {event.card}
            rest = (replace(matter, away=away),) if away else ()
            return state.but(matters=(*state.matters[:place], *rest, *state.matters[place + 1 :]), laying=None)
    return None


def lift(state: GameState, event: Lifted, results: Results) -> GameState:
    """Judge a card lifted from the table. The card is then known in the hand that had laid it."""
    matter = next((each for each in reversed(state.matters) if event.card in each.cards), None)
    if matter is not None:
        assert isinstance(matter.play, Laid), "only laid plays have cards on the table"
        return _lift_open(state, matter, matter.play, event.card, results)
    state, completed = _lift_what_was_left(state, event)
    if completed:
        return state
    bout = state.bout
    if bout is not None:
        for attack in bout.attacks:
            if attack.card == event.card:
                state = _lift_attack(state, bout, attack)
                # Of too many cards the defender picks those that go back (pagat): cards over the limit may now stay.
                return judge_later(state, -1, results, FaultId.LIMIT_EXCEEDED)
            if attack.defence == event.card and attack.beaten_by is not None:
                bare = replace(attack, defence=None, beaten_by=None)
                attacks = tuple(bare if each is attack else each for each in bout.attacks)
                return _back_in_hand(state.but(bout=bout.but(attacks=attacks)), attack.beaten_by, event.card)
        for stray in bout.strays:
            if stray.card == event.card:
                rest = tuple(each for each in bout.strays if each is not stray)
                state = state.but(bout=bout.but(strays=rest))
                return _back_in_hand(state, stray.by, event.card, sure=stray.sure)
    results.note("doubt", reason="card-not-on-table", card=event.card)
    return state


def _lift_open(state: GameState, matter: Matter, play: Laid, card: Card, results: Results) -> GameState:
    if matter.sure:
        state = state.but(ledger=state.ledger.knowing(play.by, card))
    state = state.without(matter)
    rest = list(matter.cards)
    rest.remove(card)
    if not rest:
        return state
    left = read_laid(tuple(rest), play.by, matter.on, state)
    return rule_on(left, fault_of(left, state), state, results)


def _lift_what_was_left(state: GameState, event: Lifted) -> tuple[GameState, bool]:
    """Complete a take that left cards lying; with the last card the take is whole. Return whether it is."""
    for place, matter in enumerate(state.matters):
        play = matter.play
        if not isinstance(play, Sweep) or play.to == HEAP or event.card not in play.left:
            continue
        if event.by not in (None, play.to):
            continue
        left = tuple(card for card in play.left if card != event.card)
        if not left:
            return swept(state, Sweep(play.to)), True
        matter = replace(matter, play=Sweep(play.to, left), away=matter.away | {event.card})
        return state.but(matters=(*state.matters[:place], matter, *state.matters[place + 1 :])), True
    return state, False


def _lift_attack(state: GameState, bout: Bout, attack: Attack) -> GameState:
    attacks = tuple(each for each in bout.attacks if each is not attack)
    changed = bout.but(attacks=attacks)
    if attack.passed_on is not None and not any(each.moment >= attack.moment for each in attacks):
        attacker, defender, limit = attack.passed_on
        changed = changed.but(attacker=attacker, defender=defender, limit=limit)
    state = state.but(bout=changed)
    if attack.defence is not None:
        assert attack.beaten_by is not None
        # The beating card lies on no card now. That is no fault of the player who laid it.
        fault = Fault.of(FaultId.NO_SUCH_ATTACK, Verdict.UNCLEAR, over=attack.card)
        play = Beat(attack.beaten_by, (attack.defence,), attack.card)
        orphan = Matter(play, fault, Verdict.UNCLEAR, state.moment, (attack.defence,), attack.card)
        state = _count_back(state.but(matters=(*state.matters, orphan)), attack.beaten_by)
    state = _judge_rest_of_opening(_back_in_hand(state, attack.by, attack.card), attack)
    assert state.bout is not None
    if state.phase is Phase.TAKE and not state.bout.attacks:
        state = state.but(phase=Phase.ATTACK, bout=state.bout.not_taken())
    return state


def _judge_rest_of_opening(state: GameState, lifted: Attack) -> GameState:
    """Open a matter where the rest of an opening no longer has the shape of one."""
    bout = state.the_bout
    if not bout.attacks or any(each.moment != lifted.moment or each.defence is not None for each in bout.attacks):
        return state
    cards = tuple(each.card for each in bout.attacks)
    play = Lead(lifted.by, cards)
    fault = check_opening_shape(play, state)
    if fault is None:
        return state
    ledger = state.ledger
    for card in cards:
        ledger = ledger.into_hand(lifted.by, (card,))
    matter = Matter(play, fault, fault.verdict, state.moment, cards)
    return state.but(bout=bout.but(attacks=()), ledger=ledger, matters=(*state.matters, matter))


def _count_back(state: GameState, seat: str) -> GameState:
    """Count a card that was not played in the hand again; reopen a deal that was decided without it."""
    ledger, bout = state.ledger, state.bout
    hands = {**ledger.hands, seat: ledger.hands[seat] + 1}
    emptied = tuple(each for each in state.emptied if each != seat)
    state = state.but(ledger=ledger.but(hands=hands), emptied=emptied)
    if seat in state.out and bout is not None and bout.ended is None:
        # Playing the card had put the player out at once.
        state = state.but(out=tuple(each for each in state.out if each != seat))
        if state.phase is Phase.OVER:
            phase = Phase.TAKE if bout.taking is not None else Phase.ATTACK
            state = state.but(phase=phase, result=None, session=state.session_before)
    return state


def _back_in_hand(state: GameState, seat: str, card: Card, sure: bool = True) -> GameState:
    """Return the card to the hand it came from, where it is known."""
    state = _count_back(state, seat)
    return state.but(ledger=state.ledger.knowing(seat, card)) if sure else state


def sweep(state: GameState, event: Swept, results: Results) -> GameState:
    """Judge a sweep. An illegal one stays an open matter: in the game the cards still lie in the bout."""
    play = Sweep(event.to, event.left)
    bout = state.bout
    if state.phase is Phase.OVER:
        return state
    if bout is None or not (bout.attacks or bout.faceless):
        # A card that goes back to its own hand counts as lifted.
        strays = bout.strays if bout is not None else ()
        if not strays and not any(matter.cards for matter in state.matters):
            results.note("doubt", reason="nothing-to-sweep", to=play.to)
        if bout is not None and strays:
            short = state.short.union(stray.by for stray in strays)
            state = _with_bout_swept(state, play).but(bout=bout.but(strays=()), short=short)
        return _sweep_open_cards(state, play)
    fault = fault_of(play, state)
    if fault is None or (fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.ATTACK_NOT_CLOSED):
        if fault is not None:
            seats = fault.facts["seats"]
            asked = {"ask": "leave", "seats": seats} if asks_for_leave(state, seats) else None
            results.fault(fault, play.name, None, question=asked)
        return swept(state, play)
    results.fault(fault, play.name, None, bout.cards)
    if fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.UNBEATEN_CARDS:
        return swept(state, play)
    away = CardSet.of(bout.cards) - play.left
    matter = Matter(play, fault, fault.verdict, state.moment, away=away)
    return state.but(matters=(*_without_sweeps(state).matters, matter))


def swept(state: GameState, play: Sweep) -> GameState:
    """Enter the swept cards in the ledger, those of open matters included, and end the bout."""
    if state.matters:
        state = _sweep_open_cards(_without_sweeps(state), play)
    taken = play.to != HEAP or state.phase is Phase.TAKE
    state = _with_bout_swept(state, play).but(emptied=tuple(seat for seat in state.emptied if seat != play.to))
    return end_bout(state, "taken" if taken else "beaten")


def _with_bout_swept(state: GameState, play: Sweep) -> GameState:
    """Return the state with the cards of the bout entered where they are swept to."""
    bout, ledger = state.the_bout, state.ledger
    if play.to == HEAP:
        return state.but(ledger=ledger.to_heap(bout.cards, bout.untrusted, bout.pairs))
    others = [card for card in bout.cards if bout.owner(card) != play.to]
    if bout.untrusted:  # what this hand plays now says nothing about what it was dealt
        state = state.but(drawn_since_deal=state.drawn_since_deal | {play.to})
    return state.but(ledger=ledger.into_hand(play.to, bout.cards, bout.untrusted, others))


def _without_sweeps(state: GameState) -> GameState:
    return state.without(*(each for each in state.matters if isinstance(each.play, Sweep)))


def _sweep_open_cards(state: GameState, play: Sweep) -> GameState:
    """Sweep the cards of open matters too, except those left; they have left the hand that laid them."""
    ledger = state.ledger
    matters: list[Matter] = []
    less: set[str] = set()
    for matter in state.matters:
        gone: tuple[Card, ...] = tuple(card for card in matter.cards if card not in play.left)
        if not gone:
            matters.append(matter)
            continue
        assert isinstance(matter.play, Laid), "only laid plays have cards on the table"
        by = matter.play.by
        lost = min(len(gone), ledger.hands[by])
        seen: tuple[Card, ...] = gone[:lost] if matter.sure else ()
        if by == play.to:
            # The taker's own card is back in the hand, which in the game it had never left.
            for card in seen:
                ledger = ledger.knowing(by, card)
        else:
            less.add(by)
            ledger = ledger.without(by, seen) if matter.sure else ledger.without_unknown(by, lost)
            if play.to == HEAP:
                ledger = ledger.to_heap(seen, lost - len(seen))
            else:
                ledger = ledger.into_hand(play.to, seen, lost - len(seen), seen)
        rest = tuple(card for card in matter.cards if card in play.left)
        if rest:
            matters.append(replace(matter, cards=rest))
    # If nothing is drawn before the next bout, these hands begin it with fewer cards.
    return state.but(ledger=ledger, matters=tuple(matters), short=state.short | less)


def lay_unread(state: GameState, event: Unread, results: Results) -> GameState:
    """Enter a card with an unreadable face, laid in the bout."""
    results.note("unread", by=event.by, on=event.on)
    by = event.by
    if by is not None and state.phase is Phase.LEAD and by in state.leaders and event.on is None:
        defender = state.seating.next_living(by, state.out)
        state = begin_bout(state.but(lead=(by, "laid-first")), by, defender, 1)
    bout = state.bout
    if bout is None or by is None or not state.ledger.hands[by] or state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout = bout.but(faceless=(*bout.faceless, Faceless(by, event.on)))
    ledger = state.ledger.without_unknown(by, 1)
    emptied = state.emptied if ledger.hands[by] or by in state.emptied else (*state.emptied, by)
    return at_once(state.but(bout=bout, ledger=ledger, emptied=emptied))


def name_unread(state: GameState, event: Named, results: Results) -> GameState:
    """Give an unread card of the bout a name; it stays where it was laid, by the rules or not, and gets no ruling."""
    bout = state.the_bout
    rest = list(bout.faceless)
    rest.remove(next(card for card in rest if (card.by, card.on) == (event.by, event.on)))
    bout = bout.but(faceless=tuple(rest))
    if event.on is not None:
        return state.but(bout=bout.defended(event.on, event.card, event.by))
    attack = Attack(event.card, event.by, 0, thrown=bool(bout.attacks))
    return state.but(bout=bout.but(attacks=(attack, *bout.attacks)))


def pass_on_unread(before: GameState, after: GameState) -> GameState | None:
    """
    Return the position after an unread card with which the defender has passed the attack on; None if he may not.

    ``before`` and ``after``: the positions without that, before and after the card. Its rank is that of the attack.
    """
    bout = after.bout
    if bout is None or before.phase is not Phase.ATTACK or after.phase is not Phase.ATTACK:
        return None
    others, seat = bout.faceless[:-1], bout.defender
    unread = [card for card in others if card.on is None]
    lies_alone = len(bout.faceless) > (0 if before.bout is None else len(before.bout.faceless))
    if not lies_alone or bout.faceless[-1] != Faceless(seat, None) or not (bout.unbeaten or unread):
        return None
    rules = (check_transfer_allowed, check_transfer_bout, check_before_beating, check_single_rank)
    if first_fault(rules, Transfer(seat, ()), before) is not None or len({card.rank for card in bout.unbeaten}) > 1:
        return None
    would_lie = len(bout.unbeaten) + len(unread) + 1
    if after.rules.transfer_target == "hand_covers" and would_lie > after.ledger.hands[transfer_target(after)]:
        return None
    return after.but(bout=_passed_on(after, bout))


def _read_at_last(state: GameState, event: Placed) -> GameState:
    """Remove the unread card that this event now reports with its face, so that it is not counted twice."""
    bout = state.bout
    if bout is None:
        return state
    for card in bout.faceless:
        if card.on == event.on and card.by == event.by and not card.stays_unread:
            rest = tuple(other for other in bout.faceless if other is not card)
            hands = {**state.ledger.hands, card.by: state.ledger.hands[card.by] + 1}
            return state.but(bout=bout.but(faceless=rest), ledger=state.ledger.but(hands=hands))
    return state


def forgive(state: GameState, card: Card | None, results: Results) -> GameState:
    """Let the newest open matter stand, or the one with this card; what it lies on is forgiven with it."""
    chosen = [matter for matter in state.matters if card is None or card in matter.cards]
    if not chosen:
        results.note("doubt", reason="nothing-to-forgive")
        return state
    matter = chosen[-1]
    under = next((other for other in state.matters if matter.on in other.cards), None)
    if under is not None:
        state = _let_stand(state, under)
    if matter in state.matters:
        state = _let_stand(state, matter)
    if matter in state.matters and _draws_are_owed(state):
        results.note("doubt", reason="draws-owed")
    elif matter in state.matters and isinstance(matter.play, Laid):
        results.note("doubt", reason="hand-empty", seat=matter.play.by)
    return judge_later(state, (under or matter).opened, results)


def let_all_stand(state: GameState) -> GameState:
    """Let all matters stand: at a silent table a play counts as made until a player challenges and corrects it."""
    for matter in state.matters:
        if matter in state.matters:
            state = _let_stand(state, matter)
    return state


def _let_stand(state: GameState, matter: Matter) -> GameState:
    """
    Close the matter and make its play, as far as the play is possible.

    While draws are owed only an opening is possible: other matters stay open until the next bout. A card from a hand
    that the ledger has as empty stays open too, until its origin is known.
    """
    play = matter.play
    if isinstance(play, Laid) and state.result is None and not (matter.sure and can_be_made(play, state)):
        empty = len(play.cards) > state.ledger.hands[play.by]
        if empty or state.bout is None or _draws_are_owed(state):
            return state
    state = state.without(matter)
    if isinstance(play, Sweep):
        return swept(state, replace(play, left=())) if state.the_bout.attacks else state
    if isinstance(play, Draw):
        count = min(play.count, state.ledger.talon)
        return drawn(state, replace(play, count=count), None) if count else state
    if isinstance(play, Swap):
        # If the card was seen elsewhere meanwhile, it was not exchanged.
        can_be = matter.sure and cannot_be(Laid(play.by, (play.card,)), state) is None
        return swapped(state, play) if can_be else state
    play = read_laid(matter.cards, play.by, matter.on, state) if matter.cards != play.cards else play
    lying = state.bout.cards if state.bout is not None else ()
    if matter.sure and can_be_made(play, state) and not any(card in lying for card in play.cards):
        return made(play, state)
    # Cards that fit no play go with the bout; after the end of the bout nothing changes.
    bout, count = state.bout, min(len(play.cards), state.ledger.hands[play.by])
    if bout is None or bout.ended is not None:
        return state
    cards, ledger = play.cards[:count], state.ledger
    ledger = ledger.without(play.by, cards) if matter.sure else ledger.without_unknown(play.by, count)
    strays = (*bout.strays, *(Stray(card, play.by, matter.sure) for card in cards))
    return state.but(ledger=ledger, bout=bout.but(strays=strays))


def _draws_are_owed(state: GameState) -> bool:
    return state.bout is not None and state.bout.ended is not None and state.result is None


def judge_later(state: GameState, since: int, results: Results, only: FaultId | None = None) -> GameState:
    """Judge matters opened after this moment again (``only``: those of one fault); make plays that are legal now."""
    for matter in state.matters:
        if matter.opened <= since or matter not in state.matters or only not in (None, matter.fault.id):
            continue
        play = matter.play
        without = state.without(matter)
        if isinstance(play, Laid):
            play = read_laid(matter.cards, play.by, matter.on, without)
        if (isinstance(play, Sweep) and not without.the_bout.attacks) or fault_of(play, without) is not None:
            continue
        if isinstance(play, Laid | Swap):
            results.legal(play, play.by)
        match play:
            case Laid():
                state = made(play, without)
            case Draw():
                state = drawn(without, play, None)
            case Swap():
                state = swapped(without, play)
            case Sweep():
                state = swept(without, play)
    return state


# draws and the exchange of the lowest trump (docs/rules.md, 7 and 8)


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


# statements


def press(state: GameState, event: Pressed, results: Results) -> GameState:
    """Judge a statement. A refused statement opens no matter."""
    return _BUTTONS[event.button](state, event, results)


def _take(state: GameState, event: Pressed, results: Results) -> GameState:
    bout = state.bout
    by = event.by or (bout.defender if bout is not None else None)
    if by is None:
        results.fault(Fault.of(FaultId.NOTHING_TO_TAKE), "take", None)
        return state
    fault = fault_of(Take(by), state)
    if fault is not None:
        results.fault(fault, "take", by)
        return state
    assert bout is not None
    if state.phase is Phase.TAKE:
        return state
    limit = bout.limit
    if not state.rules.low_limit_gives:
        limit = bout_limit(state.rules, bout.number, state.beaten_off, state.held_before, is_taken=True)
    return state.but(phase=Phase.TAKE, bout=bout.taken(state.moment, limit))


def _pass(state: GameState, event: Pressed, results: Results) -> GameState:
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout, by = state.the_bout, event.by
    if by is None:
        waited_for = still_attacking(state)
        if len(waited_for) != 1:
            results.note("doubt", reason="who-passed", seats=waited_for)
            return state
        by = waited_for[0]
    if by == bout.defender and state.phase is Phase.ATTACK and bout.unbeaten:
        # A defender who passes with a card unbeaten takes.
        return _take(state, structs.replace(event, button="take", by=by), results)
    fault = fault_of(Pass(by), state)
    if fault is not None:
        if by == bout.attacker:
            results.fault(fault, "pass", by)
        return state
    passed = {**bout.passed, by: state.moment}
    return state.but(bout=bout.but(passed=passed, waiting=bout.waiting - {by}))


def _done(state: GameState, event: Pressed, results: Results) -> GameState:
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout = state.the_bout
    fault = fault_of(Done(event.by), state)
    if fault is not None:
        results.fault(fault, "done", event.by)
        return state
    passed = {**bout.passed, **dict.fromkeys(state.attackers, state.moment)}
    return state.but(bout=bout.but(passed=passed, waiting=frozenset()))


def _allow(state: GameState, event: Pressed, results: Results) -> GameState:
    bout = state.bout
    if bout is None:
        return state
    assert event.by is not None, 'record.py requires "by" with allow'
    assert event.allowed is not None, 'record.py requires "for" with allow'
    allowed = {**bout.allowed, (event.by, event.allowed): state.moment}
    return state.but(bout=bout.but(allowed=allowed))


def _wait(state: GameState, event: Pressed, results: Results) -> GameState:
    if event.by not in state.attackers:
        return state
    bout = state.the_bout
    if state.phase is Phase.ATTACK and state.rules.throw_order == "handoff" and bout.has_passed(event.by):
        # Under hand-over a player who has stopped may not change his mind (docs/rules.md, 3).
        return state
    passed = {seat: moment for seat, moment in bout.passed.items() if seat != event.by}
    return state.but(bout=bout.but(passed=passed, waiting=bout.waiting | {event.by}))


def _claim(state: GameState, event: Pressed, results: Results) -> GameState:
    assert event.by is not None, 'record.py requires "by" with claim'
    return _claimed(state, event.by, Claim(event.card or None, event.highest), results)


def _claimed(state: GameState, by: str, claim: Claim, results: Results) -> GameState:
    """Accept a claim about trumps until the first card of the deal is laid, if the claim is possible."""
    bout, card = state.bout, claim.lowest
    late = bout is not None and (bout.number > 1 or bool(bout.attacks) or bout.ended is not None)
    if not state.dealt or late or state.phase is Phase.OVER:
        return state
    if card is not None:
        fault = cannot_be(Laid(by, (card,)), state)
        if fault is not None:
            results.fault(fault, "claim", by, (card,))
            return state
        others = {other.lowest for seat, other in state.claims.items() if seat != by}
        if card in others or (state.trump is not None and not card.is_trump(state.trump)):
            fault = Fault.of(FaultId.FALSE_LEAD_CLAIM, Verdict.UNCLEAR, card=card, claimed=card)
            results.fault(fault, "claim", by, (card,), {"ask": "card", "card": card})
            return state
    state = state.but(claims={**state.claims, by: claim})
    return find_leader(state) if state.phase is Phase.LEAD else state


def _touched(state: GameState, event: Pressed, results: Results) -> GameState:
    if event.what == HEAP:
        fault = check_heap_alone(state)
        if fault is not None:
            results.fault(fault, "touch", event.by)
        return state
    fault = check_touch(event.by, state) if event.by is not None else None
    if event.by is None or fault is None:
        return state
    results.fault(fault, "touch", event.by)
    session = replace(state.session, dealer=event.by, dealers=(event.by,), fool=(event.by,))
    return state.but(session=session)


def _resign(state: GameState, event: Pressed, results: Results) -> GameState:
    """
    Let a seat give the deal up.

    With one side left the deal is decided: whoever resigned has lost it. Else the seat is out, its hand goes to the
    discard pile, and a bout that it defends ends with it.
    """
    seat = event.by
    assert seat is not None, 'record.py requires "by" with resign'
    if not state.dealt or state.phase is Phase.OVER or seat in state.out:
        results.note("doubt", reason="not-in-deal", seat=seat)
        return state
    seating, ledger, bout = state.seating, state.ledger, state.bout
    others = {seating.team(each) for each in state.living if each != seat}
    if len(others) == 1:
        (winners,) = others
        is_won = state.rules.result == "first_out_wins"
        kind = f"{'team-' if seating.teams else ''}{'winner' if is_won else 'fool'}"
        result = Result(kind, winners if is_won else seating.team(seat))
        return decide(state.but(due=(), matters=()), result)
    held, known = ledger.hands[seat], ledger.known[seat]
    ledger = ledger.but(hands={**ledger.hands, seat: 0}, known={**ledger.known, seat: NOTHING})
    state = state.but(
        ledger=ledger.to_heap(known, held - len(known)),
        out=(*state.out, seat),
        resigned=(*state.resigned, seat),
        due=tuple(each for each in state.due if each[0] != seat),
        matters=tuple(each for each in state.matters if each.play.by != seat),
        leaders=tuple(each for each in state.leaders if each != seat),
        laying=None,
    )
    if bout is None or (bout.ended is not None and state.due):
        return state
    if bout.ended is not None:
        return next_bout(state)
    if bout.attacks and seat == bout.defender:
        return swept(state.but(phase=Phase.ATTACK, bout=bout.not_taken()), Sweep(HEAP))
    if bout.attacks or seat not in (bout.attacker, bout.defender):
        return state
    attacker = bout.attacker if bout.attacker != seat else seating.next_living(seat, state.out)
    return begin_bout(state, attacker, seating.next_opponent(attacker, state.out), bout.number)


_BUTTONS: dict[str, Callable[[GameState, Pressed, Results], GameState]] = {
    "take": _take,
    "pass": _pass,
    "done": _done,
    "allow": _allow,
    "wait": _wait,
    "claim": _claim,
    "touched": _touched,
    "forgive": lambda state, event, results: forgive(state, event.card or None, results),
    "resign": _resign,
}
"""Buttons and their handlers; :mod:`referee.match_judge` and the belief handle the others."""


def show(state: GameState, event: Shown, results: Results) -> GameState:
    """Judge a shown card: for a new deal, the lead, Severnyi's last card, or to pass the attack on."""
    state = _show(state, event, results)
    suit = redealt_suit(state)
    return state if suit is None else void_deal(state, "five-of-suit")


def _show(state: GameState, event: Shown, results: Results) -> GameState:
    bout = state.bout
    by = event.by or state.ledger.holder(event.card)
    if not state.dealt or state.phase is Phase.OVER:
        return state
    if state.last_card_by is not None and by in (None, state.last_card_by):
        return _seen(state, state.last_card_by, event, results)
    if by is None and bout is not None and bout.attacks and state.rules.transfer_show != "off":
        by = bout.defender
    if by is None:
        return state
    proves = state.trump is None or event.card.is_trump(state.trump)
    if state.phase is Phase.LEAD and proves:
        after = _claimed(state, by, Claim(event.card, None), results)
        accepted = by in after.claims and after.claims[by].lowest == event.card
        return after.but(ledger=after.ledger.knowing(by, event.card)) if accepted else after
    if bout is None or not bout.attacks or by != bout.defender:
        return _seen(state, by, event, results)
    play = Transfer(by, (event.card,), shown=True)
    fault = fault_of(play, state)
    if fault is None:
        results.legal(play, by)
        return made(play, state)
    if fault.verdict is Verdict.ILLEGAL and event.by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, by, (event.card,))
    return state


def _seen(state: GameState, seat: str, event: Shown, results: Results) -> GameState:
    """Enter a shown card as known in that hand, if it can be there; Severnyi's last card names the trump."""
    fault = cannot_be(Laid(seat, (event.card,)), state)
    if fault is not None:
        results.fault(fault, "show", seat, (event.card,))
        return state
    if seat == state.last_card_by:
        return new_trump(state, seat, event.card)
    return state.but(ledger=state.ledger.knowing(seat, event.card))


def correct_table(state: GameState, event: Corrected, results: Results) -> GameState:
    """
    Return the position with the stated counts and cards; the discard pile, if not stated, makes up the pack.

    People don't count cards of an open matter as held in the hand; the ledger does. Raise ``RecordError`` where the
    counts don't add up, or the two players named don't play against each other.
    """
    facts = event.table
    assert facts is not None, "corrections of lines are applied where the record is kept"
    state = state.but(ledger=_stated_ledger(state, facts))
    ledger = state.ledger
    if isinstance(facts.turnup, Card):
        state = state.but(trump=facts.turnup.suit)
    if ledger.turnup is not None:
        state = state.but(refill=replace(state.refill, turnup=None, holder=None))
    full = state.rules.hand_size
    state = state.but(
        deals=max(state.deals, 1),
        out=tuple(seat for seat in state.out if not ledger.hands[seat]),
        short=frozenset(seat for seat, held in ledger.hands.items() if held < full),
        # A stated hand closes the open draws of its seat.
        matters=tuple(
            each for each in state.matters if not (isinstance(each.play, Draw) and each.play.by in facts.hands)
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


def _turnup(state: GameState, facts: TableFacts, talon: int, lying: tuple[Card, ...]) -> Card | None:
    rules, refill = state.rules, state.refill
    turnup = state.ledger.turnup if facts.turnup is UNSET else facts.turnup
    lies_last = rules.second_trump != "none"
    if facts.turnup is UNSET and refill.holder is not None and talon > lies_last:
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
        return begin_bout(state, attacker, defender, 1 if bout is None else bout.number + 1)
    if (attacker, defender) == (bout.attacker, bout.defender):
        return state
    return state.but(bout=bout.but(attacker=attacker, defender=defender))


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
        order, last = draw_order(state, after), state.refill.last
        passed_over = order[: order.index(last)] if last is not None else ()
        due = tuple(each for each in draws_due(state, after) if each[0] not in passed_over)
    if due:
        refill = replace(state.refill, partly=due[0][0] == state.refill.last)
        return state.but(phase=Phase.DRAW, bout=after, due=due, refill=refill)
    if state.phase is Phase.DRAW:
        return next_bout(state.but(due=()))
    limit = bout_limit(state.rules, bout.number, state.beaten_off, state.ledger.hands[bout.defender])
    return state.but(bout=bout.but(limit=limit, began=state.ledger.hands))


# announcements


def announcements(before: GameState, after: GameState) -> tuple[Announcement, ...]:
    """
    Return what ``after`` brings that did not hold in ``before``; nothing where no rules are judged.

    What no longer holds when a position goes back is the same difference the other way round.
    """
    found: list[Announcement] = []
    if after.phase is Phase.FREE:
        return ()

    def say(kind: str, /, **facts: object) -> None:
        found.append(Announcement(kind, facts))

    is_dealt = after.deals != before.deals
    bout, was = after.bout, None if is_dealt else before.bout
    refill, talon = after.refill, after.ledger.talon
    if refill.turnup is not None and refill.turnup is not before.refill.turnup:
        say("turnup", seat=refill.holder, card=refill.turnup)
    if is_dealt or talon != before.ledger.talon:
        say("talon", count=talon)
    if after.new_trump is not None and after.new_trump != before.new_trump:
        card, seat = after.new_trump
        say("trump", trump=card.suit, card=card, seat=seat)
    if after.out != before.out:
        for seat in after.out:
            if is_dealt or seat not in before.out:
                say("out", seat=seat)
    if after.lead is not None and (is_dealt or after.lead != before.lead):
        say("lead", seat=after.lead[0], reason=after.lead[1])
    if bout is not None and bout is not was:
        if bout.ended is not None:
            if after.due and (was is None or (was.ended is None and was.number <= bout.number)):
                say("draw", due=after.due, talon=talon)
        else:
            if was is not None and was.limit != bout.limit:
                say("limit", count=bout.limit)
            is_new = was is None or was.number != bout.number
            # A transfer that is taken back gives the turn back without a word.
            is_passed_on = was is not None and len(bout.attacks) >= len(was.attacks)
            players = (bout.attacker, bout.defender)
            if is_new or (is_passed_on and was is not None and players != (was.attacker, was.defender)):
                say("turn", attacker=bout.attacker, defender=bout.defender)
    if after.result is not None and before.result is None:
        say("result", kind=after.result.kind, seats=after.result.seats)
        losses, teams = after.session.losses, after.seating.teams
        say("score", losses={"+".join(team): losses[team[0]] for team in teams} if teams else losses)
        say("deal", **next_deal(after))
    elif after.session.dealers != before.session.dealers and (after.result is not None or not after.dealt):
        say("deal", **next_deal(after))
    return tuple(found)


def undone(was: GameState, now: GameState) -> tuple[Announcement, ...]:
    """Return what is announced when the position goes back: what no longer holds, and the counts as they are again."""
    gone = (each for each in announcements(now, was) if each.can_be_withdrawn)
    counts = (each for each in announcements(was, now) if each.kind in ("talon", "limit"))
    return (*(each.withdrawn() for each in gone), *counts)


def next_deal(state: GameState) -> dict[str, object]:
    """Return who deals next and who leads then (None: not known yet). Before the first deal that is the next one."""
    deal = state.session.deal + (state.result is not None)
    session = replace(state.session, deal=deal)
    leaders = later_leaders(state.but(session=session, out=()))
    return {
        "dealer": session.dealer,
        "leads": leaders[0][0] if leaders is not None and len(leaders[0]) == 1 else None,
        **({} if session.dealer is not None else {"dealers": session.dealers}),
    }


# one event


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
    Named: name_unread,
    Corrected: correct_table,
}


def apply(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
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
    # Any other event than a further card ends the play of the cards laid so far.
    laying = state.laying if isinstance(event, Placed) else None
    after: GameState = _JUDGES[type(event)](state.but(moment=state.moment + 1, laying=laying), event, results)
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
    Return the sweep that ends the deal if nothing that can still be played changes its result; players rarely sweep
    the last bout of a game.

    A defender whose side alone holds cards, more than lie unbeaten, has lost whether he beats or takes. None: somebody
    can still attack or answer otherwise, a fault is open, or the deal goes on after the sweep.
    """
    bout = state.bout
    if bout is None or not bout.attacks or state.phase not in (Phase.ATTACK, Phase.TAKE) or state.matters:
        return None
    taken = state.phase is Phase.TAKE
    if bout.unbeaten and not taken:
        hands, defender = state.ledger.hands, bout.defender
        passed_on = Transfer(defender, bout.unbeaten[:1])
        may_pass_on = not (check_transfer_allowed(passed_on, state) or check_target(passed_on, state))
        of_side = sum(hands[seat] for seat in state.seating.team(defender))
        taken = sum(hands.values()) == of_side > len(bout.unbeaten) and not may_pass_on
        if not taken:
            return None
    if state.ledger.talon or still_attacking(state):
        return None
    event = Swept(at=0.0, to=bout.defender if taken else HEAP)
    return event if sweep(state.but(laying=None), event, Results()).phase is Phase.OVER else None


def renamed(event: TableEvent, was: Card, card: Card) -> TableEvent:
    """Return the event with the card ``was`` named ``card``, where it refers to a card on the table."""
    if isinstance(event, Lifted) and event.card == was:
        return structs.replace(event, card=card)
    if isinstance(event, Placed | Unread) and event.on == was:
        return structs.replace(event, on=card)
    if isinstance(event, Swept):
        return structs.replace(event, left=tuple(card if each == was else each for each in event.left))
    return event


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
        raise InvariantError(f"{broken}; {counts}; keep the record, replaying it shows the mistake again")


def _broken(state: GameState) -> Iterator[str]:
    """Yield what is violated, the plainest first."""
    ledger, bout, full = state.ledger, state.bout, state.rules.hand_size
    table = bout.cards if bout is not None else ()
    count = ledger.count + len(table) + (bout.untrusted if bout is not None else 0)
    if count != state.rules.pack:
        yield f"expected {state.rules.pack} cards in all, got {count}"
    for seat, held in ledger.hands.items():
        if held < ledger.known[seat].mask.bit_count():
            yield f"expected at most {held} known cards in the hand of {seat}, got {len(ledger.known[seat])}"
    if ledger.heap_count < ledger.heap.mask.bit_count():
        yield f"expected at most {ledger.heap_count} known cards on the heap, got {len(ledger.heap)}"
    owed = sum([count for _, count in state.due])
    if owed > ledger.talon:
        yield f"expected at most {ledger.talon} draws to be due, got {owed}"
    places = [ledger.heap.mask, *(cards.mask for cards in ledger.known.values()), *(card.bit for card in table)]
    if ledger.turnup is not None:
        places.append(ledger.turnup.bit)
    seen = 0
    for place in places:
        seen |= place
    if seen.bit_count() != sum(map(int.bit_count, places)):
        twice = sorted(str(card) for card in cards_of(seen) if sum(bool(card.bit & place) for place in places) > 1)
        yield f"expected each card in one place, got {', '.join(twice)} in two"
    if strange := seen & ~state.rules.cards().mask:
        yield f"expected cards of the pack, got {', '.join(sorted(map(str, cards_of(strange))))}"
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

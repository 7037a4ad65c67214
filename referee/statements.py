"""
Judge what players press, a resignation among it (docs/rules.md, 10), cards that are shown and kept, and a position that
a person states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from msgspec import UNSET, structs

from referee.cards import Card
from referee.dealing import begin_bout, decide, find_leader, new_trump, next_bout, void_deal
from referee.errors import RecordError
from referee.events import HEAP, Corrected, Pressed, Shown, TableFacts
from referee.game import Claim, GameState, Phase, Result, Trust
from referee.ledger import NOTHING, Ledger
from referee.plays import Done, Draw, Laid, Pass, Sweep, Take, Transfer
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rules.attack import bout_limit
from referee.rules.bout_end import next_turn, still_attacking
from referee.rules.drawing import draw_order, draws_due
from referee.rules.lead import check_heap_alone, check_touch, redealt_suit
from referee.rulings import Fault, Results, Verdict
from referee.table_events import forgive, made, rests_on_unseen, swept


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
        if rests_on_unseen(fault, state):
            fault = replace(fault, verdict=Verdict.UNCLEAR)
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
    passed = {**bout.passed, **dict.fromkeys(state.attackers(), state.moment)}
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
    if event.by not in state.attackers():
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
    if fault.verdict is Verdict.ILLEGAL and (state.trust is Trust.NOTHING or event.by is None):
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
    state = state.but(ledger=_stated_ledger(state, facts), trust=Trust.ALL)
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
    """Return the state with the stated attacker and defender, and the draws that remain."""
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

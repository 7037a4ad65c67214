"""
Judge what happens to cards on the table: laid, lifted, swept, and open faults that the players let stand.

Cards that one seat lays at the same ``at`` are one play: each further card is judged together with those before it,
from the position before the first. The card and its seat are taken as given here; where they are uncertain
:mod:`referee.belief` judges each alternative. People lift the wrong card too: a card of an open matter is lifted first,
then one of the bout; a card that lay across a lifted attack card becomes an open matter, and no fault of whoever laid
it.

An unread card has left a hand and lies in the bout; nothing more is known of it. Where not all of a bout was seen
(``Trust.NOTHING``) no player is accused: a fault becomes ``unclear`` and the play counts as made, and where the players
go on as if more cards had been laid than were seen, the ledger follows the table. From then on a hand may hold more
cards than the ledger has (``Trust.TABLE``). Then faults by the count of a hand alone (laying with an empty hand or
after the end, attacking beyond what the next hand holds) are ``unclear`` too, and so are faults by whose turn it is
once a seat may have run out. That ends where all hands are known to be full again.

A forgiven play counts as made from then on. Matters opened after it were judged as if it had not been made, so they are
judged again; plays that have become legal are made too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.cards import Card
from referee.dealing import absorb_open_draws, at_once, begin_bout, drawn, drawn_unseen, end_bout, next_bout, swapped
from referee.events import HEAP, Lifted, Placed, Swept, Unread
from referee.game import GameState, Laying, Matter, Phase, Trust
from referee.ledger import Attack, Bout, Faceless, Stray
from referee.plays import Beat, Draw, Laid, Lead, Swap, Sweep, ThrowIn, Transfer, read_laid
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rules.attack import asks_for_leave, bout_limit, has_opening_shape, house_limit
from referee.rules.transfer import transfer_target
from referee.rulings import MANNERS, Fault, Results, Ruling, Verdict

COUNTED = frozenset((FaultId.PLAYER_OUT, FaultId.HAND_LEDGER, FaultId.TRANSFER_TARGET_SHORT, FaultId.GAME_OVER))
"""Faults that follow from the count of a hand alone."""


TURNS = frozenset((FaultId.NOT_PRINCIPAL, FaultId.NOT_DEFENDER, FaultId.NOT_ENTITLED))
"""Faults that follow from whose turn it is."""


def lay(state: GameState, event: Placed, results: Results) -> GameState:
    """Judge a card laid on the table, its seat known."""
    back = _put_back(state, event, results)
    if back is not None:
        return back
    if state.phase is Phase.DRAW:
        state = absorb_open_draws(state, None)
    state = _read_at_last(state, event)
    is_full = state.ledger.talon and all(state.ledger.hands[seat] >= state.rules.hand_size for seat in state.living)
    if state.trust is Trust.TABLE and state.in_grace and is_full:
        state = state.but(trust=Trust.ALL)  # every hand is full at the beginning of a bout
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
    no_trump = base.last_card_by is not None
    if fault is not None and (rests_on_unseen(fault, base) or (no_trump and fault.id is FaultId.DOES_NOT_BEAT)):
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    after = rule_on(play, fault, base, results, by=event.by)
    if event.on is not None:
        return after if after.laying is None else after.but(laying=None)
    base = base if base.laying is None else base.but(laying=None)
    return after.but(laying=Laying(event.by, event.at, cards, base))


def rule_on(
    play: Laid,
    fault: Fault | None,
    state: GameState,
    results: Results,
    by: str | None,
) -> GameState:
    """Add the ruling; make the play if it is legal or only unclear, else keep it as an open matter."""
    if fault is None:
        results.legal(play, by)
        return made(play, state)
    unclear = fault.verdict is Verdict.UNCLEAR
    results.fault(fault, play.name, by, play.cards, _question(fault, play, state) if unclear else None)
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
        # The owed draws were not seen, or the players let the lead stand: then the draws are forgone.
        forgone = state.but(due=(), short=frozenset(state.living))
        state = drawn_unseen(state) if state.trust is Trust.NOTHING else next_bout(forgone)
    bout = state.the_bout
    if isinstance(play, Beat):
        # A defender who beats after the take withdraws the take.
        bout = bout.defended(play.over, play.card, play.by).not_taken()
        phase = Phase.ATTACK
    elif isinstance(play, Transfer):
        phase = Phase.ATTACK
        target = transfer_target(state)
        before = (bout.attacker, bout.defender, bout.limit)
        if play.shown:
            bout = bout.but(shown=bout.shown | {play.cards[0]}, shown_by=(play.by, state.moment))
        else:
            bout = bout.attacked(play.by, play.cards, state.moment, passed_on=before)
        limit = bout_limit(state.rules, bout.number, state.beaten_off, state.ledger.hands[target])
        bout = bout.but(
            attacker=play.by,
            defender=target,
            limit=limit,
            passed={},
            allowed={},
            waiting=frozenset(),
            taking=None,
        )
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
    return at_once(state) if state.rules.end_check == "immediate" else state


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
    """Close the matter, or judge its remaining cards again."""
    if matter.sure:
        state = state.but(ledger=state.ledger.knowing(play.by, card))
    state = state.without(matter)
    rest = list(matter.cards)
    rest.remove(card)
    if not rest:
        return state
    left = read_laid(tuple(rest), play.by, matter.on, state)
    return rule_on(left, fault_of(left, state), state, results, play.by)


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
    if has_opening_shape(cards, state.rules.opening):
        return state
    play = Lead(lifted.by, cards)
    fault = Fault.of(FaultId.OPENING_SHAPE, opening=state.rules.opening)
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
        cleared, swept_strays = _sweep_strays(state, play)
        if not swept_strays and not any(matter.cards for matter in state.matters):
            results.note("doubt", reason="nothing-to-sweep", to=play.to)
            return state
        return _sweep_open_cards(cleared, play)
    fault = fault_of(play, state)
    if fault is not None and fault.verdict is not Verdict.UNCLEAR and state.trust is Trust.NOTHING:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
        if fault.id is not FaultId.TAKE_INCOMPLETE:
            # The players have gone on: unseen cards explain the sweep, so the ledger follows it.
            results.fault(fault, play.name, None, bout.cards)
            if play.to == HEAP:
                unbeaten, by = bout.unbeaten, bout.defender
                count = min(len(unbeaten), state.ledger.hands[by])
                faceless = (*bout.faceless, *(Faceless(by, card) for card in unbeaten[:count]))
                ledger = state.ledger.without_unknown(by, count)
                return swept(state.but(bout=bout.but(faceless=faceless), ledger=ledger), play)
            return swept(state.but(bout=bout.but(defender=play.to)), play)
    if fault is None or (fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.ATTACK_NOT_CLOSED):
        if fault is not None:
            seats = fault.facts["seats"]
            asked = {"ask": "leave", "seats": seats} if asks_for_leave(state, seats) else None
            results.fault(fault, play.name, None, question=asked)
        return swept(state, play)
    results.fault(fault, play.name, None, bout.cards)
    if fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.UNBEATEN_CARDS:
        return swept(state, play)
    away = frozenset(bout.cards).difference(play.left)
    matter = Matter(play, fault, fault.verdict, state.moment, away=away)
    return state.but(matters=(*_without_sweeps(state).matters, matter))


def swept(state: GameState, play: Sweep) -> GameState:
    """Enter the swept cards in the ledger, those of open matters included, and end the bout."""
    bout = state.the_bout
    to_heap = play.to == HEAP
    if state.matters:
        state = _sweep_open_cards(_without_sweeps(state), play)
    faceless = bout.untrusted
    if to_heap:
        ledger = state.ledger.to_heap(bout.cards, faceless, bout.pairs)
    else:
        others = [card for card in bout.cards if bout.owner(card) != play.to]
        ledger = state.ledger.into_hand(play.to, bout.cards, faceless, others)
    taken = not to_heap or state.phase is Phase.TAKE
    state = state.but(ledger=ledger, emptied=tuple(seat for seat in state.emptied if seat != play.to))
    return end_bout(state, "taken" if taken else "beaten")


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


def _sweep_strays(state: GameState, play: Sweep) -> tuple[GameState, bool]:
    """Sweep stray cards of a bout whose attack cards have all been lifted; return whether there were any."""
    bout = state.bout
    if bout is None or not bout.strays:
        return state, False
    sure = tuple(stray.card for stray in bout.strays if stray.sure)
    faceless = len(bout.strays) - len(sure)
    if play.to == HEAP:
        ledger = state.ledger.to_heap(sure, faceless)
    else:
        others = [stray.card for stray in bout.strays if stray.sure and stray.by != play.to]
        ledger = state.ledger.into_hand(play.to, sure, faceless, others)
    short = state.short.union(stray.by for stray in bout.strays)
    return state.but(ledger=ledger, bout=bout.but(strays=()), short=short), True


def rests_on_unseen(fault: Fault, state: GameState) -> bool:
    """Check whether unseen events may be the only reason for the fault."""
    if state.trust is not Trust.TABLE:
        return state.trust is Trust.NOTHING and fault.id is not FaultId.NOT_IN_PACK
    if fault.id in TURNS:
        return bool(state.out)
    if fault.id is not FaultId.LIMIT_EXCEEDED:
        return fault.id in COUNTED
    house = house_limit(state.rules, state.the_bout.number, state.beaten_off)
    return house is None or len(state.the_bout.attacks) < house


def lay_unread(state: GameState, event: Unread, results: Results) -> GameState:
    """Enter a card with an unreadable face, laid in the bout."""
    results.note("unread", by=event.by, on=event.on)
    bout = state.bout
    if bout is None or state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    by = event.by or (bout.defender if event.on is not None else None)
    if by is None or not state.ledger.hands[by]:
        return state
    bout = bout.but(faceless=(*bout.faceless, Faceless(by, event.on)))
    return state.but(bout=bout, ledger=state.ledger.without_unknown(by, 1))


def _read_at_last(state: GameState, event: Placed) -> GameState:
    """Remove the unread card that this event now reports with its face, so that it is not counted twice."""
    bout = state.bout
    if bout is None:
        return state
    for card in bout.faceless:
        if card.on == event.on and card.by == event.by:
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
            if fault_of(play, without) is None:
                results.legal(play, play.by)
                state = made(play, without)
        elif isinstance(play, Draw):
            if fault_of(play, without) is None:
                state = drawn(without, play, None)
        elif isinstance(play, Swap):
            if fault_of(play, without) is None:
                results.legal(play, play.by)
                state = swapped(without, play)
        elif without.the_bout.attacks and fault_of(play, without) is None:
            state = swept(without, play)
    return state

"""
Make faults on purpose, and the steps that mend them.

Each offence is thought up by name, put to the referee, and made only if he calls it by that name; so the record's
``fault`` is the fault of the house's rules. What follows sets the table right again: the card is lifted, the cards are
laid back, the drawn cards are returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from datasets.clips.played_games import PlayedGame
from datasets.clips.story import DrawStep, LayStep, LiftStep, PutBackStep, ShowStep, Step, SwapStep, SweepStep
from referee.cards import RANKS, Card, Suit
from referee.events import HEAP
from referee.game import Bout, Phase
from referee.rulings import Verdict

Offence = tuple[Step, ...]
"""The wrong step and those that mend it."""

MOST_TRIES = 6
"""Number of ways of one fault that are put to the referee at one turn."""


def _laid(seat: str, cards: Sequence[Card], on: Card | None = None) -> Offence:
    """Return the offence of a card laid wrongly and lifted again; several together are lifted one by one."""
    lay = LayStep(seat, cards[0], on, also=tuple((card, None) for card in cards[1:]))
    return (lay, *(LiftStep(seat, card) for card in reversed(cards)))


def _some(game: PlayedGame, cards: Sequence[Card]) -> list[Card]:
    """Return the cards in random order, trumps last: people throw cheap cards away by mistake, not dear ones."""
    order = [cards[i] for i in game.rng.permutation(len(cards))]
    return sorted(order, key=lambda card: card.suit is game.state.trump)


def _attackers(game: PlayedGame) -> list[str]:
    return [seat for seat in game.state.entitled() if game.hands[seat]]


def _strangers(game: PlayedGame, bout: Bout) -> list[str]:
    """Return the seats with cards, without the defender's."""
    return [seat for seat, hand in game.hands.items() if hand and seat != bout.defender]


def _wrong_throw(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    for seat in _attackers(game)[:1]:
        for card in _some(game, game.hands[seat]):
            if bout.attacks and card.rank not in bout.ranks:
                yield _laid(seat, (card,))


def _right_throw(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    """Yield throw-ins of a fitting rank that are too early, one too many, or by somebody without the right."""
    for seat in _strangers(game, bout):
        for card in _some(game, game.hands[seat]):
            if card.rank in bout.ranks:
                yield _laid(seat, (card,))


def _foreign_lead(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    if not bout.attacks:
        for seat, hand in game.hands.items():
            if hand and seat != bout.attacker:
                yield _laid(seat, _some(game, hand)[:1])


def _mixed_lead(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    hand = _some(game, game.hands[bout.attacker])
    if not bout.attacks and len(hand) > 1:
        yield from (_laid(bout.attacker, (hand[0], other)) for other in hand[1:] if other.rank != hand[0].rank)


def _weak_answer(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    trump = game.state.trump
    for attack in bout.unbeaten:
        for card in _some(game, game.hands[bout.defender]):
            if trump and not card.beats(attack, trump):
                yield _laid(bout.defender, (card,), attack)


def _second_answer(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    for attack in bout.attacks:
        if attack.defence is not None:
            yield from (_laid(bout.defender, (card,), attack.card) for card in _some(game, game.hands[bout.defender]))


def _foreign_answer(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    trump = game.state.trump
    for attack in bout.unbeaten:
        for seat in _strangers(game, bout):
            for card in _some(game, game.hands[seat]):
                if trump and card.beats(attack, trump):
                    yield _laid(seat, (card,), attack)


def _beside_by_defender(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    if bout.attacks:
        hand = _some(game, game.hands[bout.defender])
        hand.sort(key=lambda card: card.rank not in bout.ranks)
        yield from (_laid(bout.defender, (card,)) for card in hand)


def _shown_by_defender(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    if bout.unbeaten:
        yield from ((ShowStep(bout.defender, card),) for card in _some(game, game.hands[bout.defender]))


def _from_the_heap(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    seat = bout.defender if bout.unbeaten else bout.attacker
    for card in _some(game, game.heap):
        beats = bout.unbeaten and game.state.trump and card.beats(bout.unbeaten[0], game.state.trump)
        on = bout.unbeaten[0] if beats else None
        if on or (not bout.unbeaten and (card.rank in bout.ranks or not bout.attacks)):
            yield LayStep(seat, card, on), LiftStep(seat, card, to_heap=True)


def _foreign_pack(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    lowest = RANKS.index(game.state.rules.lowest_trump(Suit.SPADES).rank)
    strange = [Card(rank, suit) for rank in RANKS[:lowest] for suit in Suit]
    seat = bout.attacker
    if strange:
        yield _laid(seat, _some(game, strange)[:1])


def _half_take(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    if bout.unbeaten and len(game.bout) > 1:
        card = game.bout[int(game.rng.integers(len(game.bout)))]
        yield SweepStep(bout.defender, by=bout.defender, left=(card,)), LiftStep(bout.defender, card)


def _false_sweep(game: PlayedGame, bout: Bout) -> Iterator[Offence]:
    """Yield sweeps while a card is unbeaten, and takes where all are beaten; the cards are laid back."""
    if not bout.attacks or len(game.bout) > 4 or game.state.matters:
        return
    to = HEAP if bout.unbeaten else bout.defender
    back: list[Step] = []
    for attack in bout.attacks:
        back.append(LayStep(bout.defender, attack.card))
        if attack.defence is not None:
            back.append(LayStep(bout.defender, attack.defence, attack.card))
    if {lay.card for lay in back if isinstance(lay, LayStep)} == set(game.bout):
        yield SweepStep(to, by=bout.defender), *back


def _drawn(game: PlayedGame, seat: str, count: int, back: int) -> Iterator[Offence]:
    """Yield draws of ``count`` cards, of which the last ``back`` ones are returned; never the turn-up."""
    cards = tuple(game.talon[:count])
    if len(cards) == count and len(game.talon) > count + 1 and game.state.ledger.turnup not in cards:
        returned = (PutBackStep(seat, cards[count - back :]),) if back else ()
        yield DrawStep(seat, cards[0], False, cards[1:]), *returned


def _draws(game: PlayedGame, bout: Bout | None) -> Iterator[Offence]:
    due = game.state.due
    if due:
        seat, count = due[0]
        yield from _drawn(game, seat, count + 1, count + 1)
        for other, some in due[1:]:
            yield from _drawn(game, other, some, some)
    elif bout is not None and not game.bout:
        for seat in game.state.living:
            yield from _drawn(game, seat, 1, 1)


def _hasty_lead(game: PlayedGame, bout: Bout | None) -> Iterator[Offence]:
    """Yield the next attack before all have drawn."""
    if bout is not None and game.state.due and not game.bout:
        for seat in dict.fromkeys((bout.defender, *game.state.living)):
            if game.hands[seat]:
                yield _laid(seat, _some(game, game.hands[seat])[:1])


def _wrong_swap(game: PlayedGame, bout: Bout | None) -> Iterator[Offence]:
    turnup = game.state.ledger.turnup
    if turnup is None or game.bout or not game.talon:
        return
    for seat, hand in game.hands.items():
        for card in sorted(hand, key=lambda card: card.suit is not game.state.trump)[:2]:
            yield SwapStep(seat, card, turnup), SwapStep(seat, turnup, card)


def _after_the_end(game: PlayedGame, bout: Bout | None) -> Iterator[Offence]:
    for seat, hand in game.hands.items():
        if hand:
            yield _laid(seat, hand[:1])


IN_BOUT: dict[str, Callable[[PlayedGame, Bout], Iterator[Offence]]] = {
    "rank-not-on-table": _wrong_throw,
    "does-not-beat": _weak_answer,
    "already-beaten": _second_answer,
    "not-defender": _foreign_answer,
    "too-early": _right_throw,
    "limit-exceeded": _right_throw,
    "not-entitled": _right_throw,
    "lost-right": _right_throw,
    "not-principal": _foreign_lead,
    "opening-shape": _mixed_lead,
    "transfer-off": _beside_by_defender,
    "transfer-rank": _beside_by_defender,
    "transfer-after-beat": _beside_by_defender,
    "transfer-mixed-ranks": _beside_by_defender,
    "transfer-target-short": _beside_by_defender,
    "show-off": _shown_by_defender,
    "show-not-trump": _shown_by_defender,
    "dead-card": _from_the_heap,
    "not-in-pack": _foreign_pack,
    "take-incomplete": _half_take,
    "unbeaten-cards": _false_sweep,
    "nothing-to-take": _false_sweep,
}
BETWEEN: dict[str, Callable[[PlayedGame, Bout | None], Iterator[Offence]]] = {
    "draw-too-many": _draws,
    "draw-out-of-turn": _draws,
    "draw-not-due": _draws,
    "draw-pending": _hasty_lead,
    "swap-wrong-card": _wrong_swap,
    "swap-off": _wrong_swap,
    "game-over": _after_the_end,
}
MENU = (*IN_BOUT, *BETWEEN)
"""Every fault that can be made before a camera and mended."""


def ways(game: PlayedGame, fault: str) -> Iterator[Offence]:
    """Yield the ways in which this fault could be made now."""
    bout = game.state.bout
    if game.over != (fault == "game-over"):
        return
    if fault == "opening-shape" and game.state.rules.opening == "pairs_plus_one":
        # Until the next step nobody can say that no further card will make it right.
        return
    if fault in BETWEEN:
        yield from BETWEEN[fault](game, bout)
    elif bout is not None and bout.ended is None and game.state.phase is Phase.ATTACK:
        yield from IN_BOUT[fault](game, bout)


def offend(game: PlayedGame, fault: str) -> bool:
    """Make this fault and correct it, if both are possible now; return whether it was made."""
    for number, offence in enumerate(ways(game, fault)):
        if number == MOST_TRIES:
            return False
        done = game.judged(offence[0])
        assert done is not None
        accusations = [r for r in done[1] if r.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)]
        if len(done[1]) != 1 or not accusations or str(accusations[0].fault) != fault:
            continue
        if _is_mended(game, offence):
            first = offence[0]
            assert isinstance(first, LayStep | SweepStep | DrawStep | SwapStep | ShowStep)
            game.make(replace(first, fault=fault), done[0])
            for step in offence[1:]:
                after = game.judged(step)
                assert after is not None
                game.make(step, after[0])
            return True
    return False


def _is_mended(game: PlayedGame, offence: Offence) -> bool:
    """
    Check whether the referee accuses nobody for the steps that mend it and nothing stays open but a corrected draw.
    """
    state, steps = game.state, list(game.steps)
    try:
        for step in offence:
            done = game.judged(step)
            assert done is not None
            if step is not offence[0] and any(ruling.verdict is not Verdict.LEGAL for ruling in done[1]):
                return False
            game.state = done[0]
            game.steps.append(step)
        left = [matter for matter in game.state.matters if not isinstance(offence[0], DrawStep)]
        return len(left) <= len(state.matters)
    finally:
        game.state, game.steps = state, steps

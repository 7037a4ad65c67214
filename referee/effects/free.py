"""Follow the cards where no rules hold (rule set ``free``)."""

from __future__ import annotations

from referee.events import HEAP, Lifted, Placed, Reread, Swept, TableEvent
from referee.game import Attack, GameState


def follow(state: GameState, event: TableEvent) -> GameState:
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
                state = state.replace(ledger=state.ledger.replace(heap_count=state.ledger.heap_count + len(gone)))
    attacks = tuple(Attack(card, "", 0, defence=over) for card, over in pairs if card is not None)
    return state.replace(bout=bout.replace(attacks=attacks))

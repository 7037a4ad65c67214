"""A card is one object, whoever has it."""

from __future__ import annotations

import copy
import pickle

import pytest

from referee.cards import Card


def test_a_card_that_is_copied_or_sent_to_another_process_is_the_same_card() -> None:
    nine = Card.parse("9h")
    assert copy.deepcopy(nine) is nine
    assert pickle.loads(pickle.dumps(nine)) is nine


def test_a_card_does_not_change() -> None:
    card = Card.parse("9h")
    with pytest.raises(AttributeError, match="another rank"):
        card.rank = "T"

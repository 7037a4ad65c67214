"""Cards are singletons and immutable."""

from __future__ import annotations

import copy
import pickle

import pytest

from referee.cards import Card


def test_copied_or_pickled_card_is_the_same_object() -> None:
    nine = Card.parse("9h")
    assert copy.deepcopy(nine) is nine
    assert pickle.loads(pickle.dumps(nine)) is nine


def test_card_is_immutable() -> None:
    card = Card.parse("9h")
    with pytest.raises(AttributeError, match="another rank"):
        card.rank = "T"

"""A header, a start, and strategies that draw the lines of a record."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from referee.cards import RANKS, Card, Suit
from referee.events import Button

HEADER: dict[str, Any] = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C"}
START: dict[str, Any] = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
cards = st.builds(Card, st.sampled_from(RANKS), st.sampled_from(Suit)).map(str)
seats = st.sampled_from(["A", "B", "C"])
extras = st.fixed_dictionaries(
    {"at": st.floats(0, 1000)},
    optional={
        "confidence": st.floats(0, 1),
        "alternatives": st.lists(st.tuples(cards, st.floats(0, 1)).map(list), min_size=1, max_size=3),
        "otherwise": st.lists(
            st.tuples(st.none() | st.just({"by": "B"}) | st.just({"event": "tick"}), st.floats(0, 1)).map(list),
            min_size=1,
            max_size=3,
        ),
    },
)
events = st.one_of(
    st.fixed_dictionaries({"event": st.just("placed"), "card": cards}, optional={"by": seats, "on": cards}),
    st.fixed_dictionaries({"event": st.just("lifted"), "card": cards}, optional={"by": seats}),
    st.fixed_dictionaries({"event": st.just("dealt"), "turnup": st.none() | cards}),
    st.fixed_dictionaries(
        {"event": st.just("swept"), "to": seats | st.just("heap")},
        optional={"left": st.lists(cards, unique=True, min_size=1, max_size=3)},
    ),
    st.fixed_dictionaries(
        {"event": st.just("drawn"), "count": st.integers(1, 40)}, optional={"by": seats, "card": cards}
    ),
    st.fixed_dictionaries({"event": st.sampled_from(["swapped", "shown"]), "card": cards}, optional={"by": seats}),
    st.fixed_dictionaries(
        {
            "event": st.just("pressed"),
            "button": st.sampled_from(sorted({*get_args(Button)} - {"dismiss"})),
            "by": seats,
            "card": cards,
        },
        optional={"highest": st.sampled_from(RANKS), "what": st.just("heap")},
    ).map(lambda data: data | {"for": "A", "to": "B"}),
    st.fixed_dictionaries({"event": st.just("pressed"), "button": st.just("dismiss"), "of": st.integers(2, 99)}),
    st.fixed_dictionaries({"event": st.just("pressed"), "button": st.just("claim"), "by": seats, "card": st.none()}),
    st.fixed_dictionaries({"event": st.just("reread"), "was": cards, "card": cards}),
    st.fixed_dictionaries({"event": st.just("blocked"), "reason": st.text(max_size=9)}),
    st.fixed_dictionaries({"event": st.just("tick")}),
)

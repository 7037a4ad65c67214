"""
Properties of the referee over random tables.

Every card of the pack has exactly one place; each card on the table is in the game or an open matter; a record replays
to the same rulings; text round-trips; corrections that end in the same truth end in the same state in any order.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.cards import RANKS, Card, Suit
from referee.game import GameState
from referee.plays import Sweep
from referee.record import Header, event_from_json, event_to_json
from referee.rulebook import OPTIONS, PRESETS, rulebook
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.house import HOUSES, random_house
from tests.referee.mistakes import CarelessSession
from tests.referee.random_play import RandomSession
from tests.referee.record_lines import HEADER, START, events, extras
from tests.sample_size import sample_size

UNDO = {"event": "pressed", "button": "undo"}


def replay(record: list[dict[str, Any]]) -> tuple[Referee, list[Step]]:
    referee = Referee(Header.parse(record[0]))
    return referee, [referee.apply(event_from_json(data)) for data in record[1:]]


def places_of_cards(state: GameState) -> Counter[Card]:
    """Count for every card whose place is known how many places it has."""
    ledger = state.ledger
    found = Counter(ledger.heap)
    for cards in ledger.known.values():
        found.update(cards)
    if ledger.turnup is not None:
        found[ledger.turnup] += 1
    if state.bout is not None:
        found.update(state.bout.cards)
    return found


@st.composite
def touched(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw possible actions with real cards: no card is laid twice, and only cards on the table are lifted or swept."""
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    pack = [rank + suit for suit in "shdc" for rank in "6789TJQKA" if rank + suit != "9h"]
    lying: list[str] = []
    done: list[dict[str, Any]] = []
    for at in range(draw(st.integers(1, 40))):
        by = rng.choice("ABC")
        free = [card for card in pack if card not in lying]
        near = [card for card in free if any(card[0] == other[0] or card[1] == other[1] for other in lying)]
        kind = rng.choice(("laid", "laid", "laid", "across", "across", "lifted", "swept", "stated"))
        if kind == "lifted" and lying:
            card = rng.choice(lying)
            lying.remove(card)
            done.append({"event": "lifted", "card": card, "by": by})
        elif kind == "swept" and lying:
            done.append({"event": "swept", "to": rng.choice(("heap", "heap", *"ABC"))})
            lying.clear()
        elif kind == "stated":
            button = rng.choice(("take", "pass", "done", "forgive", "wait"))
            done.append({"event": "pressed", "button": button, "by": by})
        else:
            card = rng.choice(near or free)
            data = {"event": "placed", "card": card, "by": by}
            if kind == "across" and lying:
                data["on"] = rng.choice(lying)
            lying.append(card)
            done.append(data)
        done[-1]["at"] = float(at)
    return done


@settings(max_examples=sample_size(30, nightly=120))
@given(touched())
def test_each_card_on_the_table_is_in_the_game_or_an_open_matter(done: list[dict[str, Any]]) -> None:
    referee = Referee(Header.parse(HEADER | {"start": START}))
    lying: list[str] = []
    for data in done:
        if data["event"] == "lifted" and data["card"] not in lying:
            # It went with a sweep that was taken back below.
            continue
        referee.apply(event_from_json(data))
        if data["event"] == "placed":
            if data["card"] in lying:
                referee.apply(event_from_json(UNDO | {"at": data["at"]}))
                continue
            lying.append(data["card"])
        elif data["event"] == "lifted":
            lying.remove(data["card"])
        elif data["event"] == "swept":
            if any(isinstance(matter.play, Sweep) for matter in referee.state.matters):
                referee.apply(event_from_json(UNDO | {"at": data["at"]}))
            else:
                lying.clear()
        state = referee.state
        bout = [str(attack.card) for attack in state.bout.attacks] if state.bout is not None else []
        if state.bout is not None:
            bout += [str(attack.defence) for attack in state.bout.attacks if attack.defence is not None]
            bout += [str(stray.card) for stray in state.bout.strays]
        matters = [str(card) for matter in state.matters for card in matter.cards]
        if state.result is None:
            assert sorted(bout + matters) == sorted(lying)


@settings(max_examples=sample_size(15, nightly=60))
@given(st.lists(st.tuples(events, extras), max_size=30), st.sampled_from(["call", "hint", "silent"]))
def test_every_card_has_one_place(happenings: list[tuple[dict[str, Any], dict[str, Any]]], tone: str) -> None:
    referee = Referee(Header.parse(HEADER | {"start": START, "tone": tone}))
    for event, extra in happenings:
        referee.apply(event_from_json(event | extra))
        state = referee.state
        assert set(places_of_cards(state).values()) <= {1}
        assert set(places_of_cards(state)) <= state.rules.cards()
        lying = len(state.bout.cards) + state.bout.untrusted if state.bout is not None else 0
        assert state.ledger.talon + state.ledger.heap_count + sum(state.ledger.hands.values()) + lying == 36


@settings(max_examples=sample_size(10, nightly=40))
@given(st.lists(st.tuples(events, extras), max_size=25), st.booleans())
def test_record_replays_to_the_same_rulings_from_its_text(
    happenings: list[tuple[dict[str, Any], dict[str, Any]]], started: bool
) -> None:
    record = [HEADER | ({"start": START} if started else {}), *(event | extra for event, extra in happenings)]
    first, steps = replay(record)
    text = [json.dumps(event_to_json(event_from_json(data))) for data in record[1:]]
    second, again = replay([json.loads(json.dumps(first.header.as_json())), *map(json.loads, text)])
    assert steps == again
    assert first.state == second.state
    assert [message.as_json() for step in steps for message in step.rulings] == [
        message.as_json() for step in again for message in step.rulings
    ]


@settings(max_examples=sample_size(6, nightly=25))
@given(st.integers(0, 1 << 30), st.sampled_from(sorted(HOUSES)))
def test_refereeing_a_game_twice_gives_the_same_result(seed: int, preset: str) -> None:
    session = CarelessSession(preset, HOUSES[preset][1][0], seed)
    session.play(1)
    first, steps = replay(session.record)
    assert first.state == session.referee.state
    assert replay(session.record)[1] == steps


@given(st.sampled_from(RANKS), st.sampled_from(Suit))
def test_card_text_round_trips(rank: str, suit: Suit) -> None:
    card = Card(rank, suit)
    assert Card.parse(str(card)) == card
    assert hash(Card.parse(str(card))) == hash(card)


@given(st.integers(0, 1 << 30), st.integers(2, 6))
def test_house_rules_round_trip(seed: int, players: int) -> None:
    house = random_house(random.Random(seed), players)
    rules = rulebook("podkidnoy-36", house)
    assert rulebook("podkidnoy-36", json.loads(json.dumps(rules.as_json()))) == rules
    assert {name: rules.as_json()[name] for name in house} == house


@given(st.sampled_from(sorted(PRESETS)), st.data())
def test_header_round_trips(preset: str, data: st.DataObject) -> None:
    seats = ["Anna", "Борис", "C", "Д", "E", "F"][: data.draw(st.sampled_from(PRESETS[preset].players))]
    hands = {seat: data.draw(st.integers(1, 8)) for seat in seats}
    start: dict[str, Any] = {"trump": data.draw(st.sampled_from("shdc")), "turnup": None, "talon": 0, "hands": hands}
    for key, values in (
        ("attacker", st.sampled_from(seats)),
        ("bout", st.integers(1, 30)),
        ("beaten_off", st.integers(0, 30)),
        ("hand", st.integers(2, 9)),
        ("fool", st.sampled_from(seats)),
        ("heap", st.lists(st.sampled_from(["Ts", "Js", "Qs", "Ks"]), unique=True, min_size=1)),
    ):
        if data.draw(st.booleans()):
            start[key] = data.draw(values)
    header: dict[str, Any] = {"kozyr": 1, "rules": preset, "seats": seats, "dealer": seats[-1], "start": start}
    if data.draw(st.booleans()):
        name = data.draw(st.sampled_from([name for name, option in OPTIONS.items() if len(option.values) > 1]))
        header["options"] = {name: data.draw(st.sampled_from(OPTIONS[name].values))}
    read = Header.parse(header)
    assert read.as_json() == header
    assert Header.parse(json.loads(json.dumps(read.as_json()))) == read


@st.composite
def misseen(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Draw a true record, the same record with mistakes of the camera, and the corrections of the mistakes."""
    preset = draw(st.sampled_from(sorted(HOUSES)))
    kind = draw(st.sampled_from((RandomSession, CarelessSession)))
    session = kind(preset, HOUSES[preset][1][-1], draw(st.integers(0, 1 << 30)))
    session.play(1)
    truth = session.record[: draw(st.integers(12, 90))]
    named = Counter(data["card"] for data in truth if data.get("card"))
    named.update(data["on"] for data in truth if data.get("on"))
    free = sorted(str(card) for card in session.referee.state.rules.cards() if str(card) not in named)
    laid = [
        place
        for place, data in enumerate(truth)
        if data.get("event") == "placed"
        and sum(1 for other in truth if other.get("card") == data["card"]) == 1
        and truth[place - 1].get("at") != data["at"]
        and (place + 1 == len(truth) or truth[place + 1]["at"] != data["at"])
    ]
    assume(laid and len(free) > 2)
    free = [card for card in free if card != truth[1].get("turnup")]
    seen, mending = [dict(data) for data in truth], []
    for place in draw(st.lists(st.sampled_from(laid), min_size=1, max_size=3, unique=True)):
        card = truth[place]["card"]
        if draw(st.booleans()) and free:
            wrong = free.pop(draw(st.integers(0, len(free) - 1)))
            for data in seen:
                if data.get("card") == card:
                    data["card"] = wrong
                if data.get("on") == card:
                    data["on"] = wrong
                if card in data.get("left", ()):
                    data["left"] = [wrong if other == card else other for other in data["left"]]
            mending.append({"event": "reread", "was": wrong, "card": card})
        else:
            other = draw(st.sampled_from(session.seats))
            seen[place]["by"] = other
            mending.append({"event": "pressed", "button": "assign", "card": card, "to": truth[place]["by"]})
    return truth, seen, draw(st.permutations(mending))


@settings(max_examples=sample_size(8, nightly=30))
@given(misseen())
def test_corrections_in_any_order_give_the_true_state(
    records: tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]],
) -> None:
    truth, seen, mending = records
    wanted, _ = replay(truth)
    mended, _ = replay(seen)
    for correction in mending:
        mended.apply(event_from_json(correction | {"at": 1e6}))
    assert mended.state.as_json() == wanted.state.as_json()
    for _ in mending:
        mended.apply(event_from_json(UNDO | {"at": 1e6}))
    assert mended.state == replay(seen)[0].state

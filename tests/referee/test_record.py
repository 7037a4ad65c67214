"""Text of records: reading, errors, and round trips."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from referee.errors import RecordError, RulebookError
from referee.events import Corrected, TableEvent, TableFacts
from referee.fields import read
from referee.record import Header, event_from_json, event_to_json, instead_of, read_record
from tests.referee.certain_referee import Referee
from tests.referee.record_lines import HEADER, START, events, extras


@given(events, extras)
def test_event_round_trips(event: dict[str, Any], extra: dict[str, Any]) -> None:
    data = event | extra
    read = event_from_json(data)
    assert event_to_json(read) == data
    assert event_from_json(json.loads(json.dumps(event_to_json(read)))) == read


def test_alternative_is_converted_to_an_event() -> None:
    data: dict[str, Any] = {"at": 1.0, "event": "placed", "card": "7s", "by": "A", "on": "6s", "confidence": 0.7}
    data |= {"alternatives": [["7c", 0.2]], "otherwise": [[{"by": "B"}, 0.1], [{"on": None}, 0.1], [None, 0.1]]}
    event = event_from_json(data)
    instead = [instead_of(event, keys) for keys, _ in event.otherwise]
    assert [event and event_to_json(event) for event in instead] == [
        {"at": 1.0, "event": "placed", "card": "7s", "by": "B", "on": "6s"},
        {"at": 1.0, "event": "placed", "card": "7s", "by": "A"},
        None,
    ]
    assert hash(event) == hash(event_from_json({**data, "otherwise": []}))


def test_alternatives_of_a_person_are_ignored() -> None:
    rulings = []
    for otherwise in ([], [[{"by": "B"}, 0.4], [None, 0.1]]):
        referee = Referee(Header.parse(HEADER | {"start": START}))
        data = {"at": 1.0, "event": "placed", "card": "7s", "by": "A", "otherwise": otherwise}
        rulings.append(referee.apply(event_from_json(data)))
    assert rulings[0] == rulings[1]


def test_source_is_a_person_unless_the_header_names_a_camera() -> None:
    assert Header.parse(HEADER).witness == Header.parse(HEADER | {"witness": "person"}).witness == "person"
    assert "witness" not in Header.parse(HEADER | {"witness": "person"}).as_json()
    camera = Header.parse(HEADER | {"witness": "camera"})
    assert camera.witness == camera.as_json()["witness"] == "camera"


def test_header_round_trips() -> None:
    start = START | {
        "defender": "B",
        "known": {"A": ["7s"]},
        "picked": {"B": ["8s"]},
        "heap_count": 0,
        "bout": 2,
        "beaten_off": 1,
        "hand": 3,
        "fool": "B",
        "winner": ["A", "C"],
    }
    data = HEADER | {"options": {"attack_limit": 5}, "start": start}
    header = Header.parse(data)
    assert header.as_json() == data
    assert Header.parse(header.as_json()) == header


def test_heap_out_and_teams_round_trip() -> None:
    start = {"trump": None, "turnup": None, "talon": 0, "hands": dict.fromkeys("WNES", 2), "heap": ["7s"]}
    start |= {"out": ["W"], "teams": [["W", "E"], ["N", "S"]]}
    data = {"kozyr": 1, "rules": "podkidnoy-teams-4", "seats": ["W", "N", "E", "S"], "dealer": "S", "start": start}
    assert Header.parse(data).as_json() == data


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"kozyr": 2}, '"kozyr" to be 1'),
        ({"kozyr": True}, '"kozyr" to be 1'),
        ({"rules": 7}, '"rules"'),
        ({"seats": "ABC"}, '"seats" to be a list'),
        ({"seats": ["A", ""]}, '"seats" to be a list of names'),
        ({"seats": ["A", "A"]}, "different names"),
        ({"seats": ["A", "B\n"]}, "printed on one line"),
        ({"seats": ["A", "\ud800"]}, "printed on one line"),
        ({"seats": ["A", "heap"], "dealer": "A"}, "different names"),
        ({"seats": ["A", "B" * 33, "C"]}, "names of at most 32 characters, got 'BBBB"),
        ({"seats": ["A"], "dealer": "A"}, "two to six seats"),
        ({"dealer": "D"}, '"dealer" to be one of the seats A, B, C'),
        ({"dealer": ["A"]}, '"dealer"'),
        ({"options": [1]}, '"options" to be an object'),
        ({"witness": "dog"}, '"witness" to be one of person, camera'),
        ({"witness": ["camera"]}, '"witness" to be one of person, camera'),
        ({"start": []}, '"start" to be an object'),
        ({"start": START | {"hands": {"A": 6}}}, '"hands" of the start'),
        ({"start": START | {"hands": {"A": 6, "B": -1, "C": 6}}}, '"hands" of B'),
        ({"start": START | {"talon": 1.5}}, '"talon"'),
        ({"start": START | {"trump": "x"}}, '"trump" to be one of'),
        ({"start": START | {"trump": "s"}}, "the suit of the turn-up"),
        ({"start": START | {"turnup": "10h"}}, '"turnup" to be a card'),
        ({"start": START | {"known": {"Z": []}}}, '"known" to list cards by seat'),
        ({"start": START | {"known": {"A": "7s"}}}, "to be a list of cards"),
        ({"start": START | {"heap": ["7s", "7s"]}}, "each card once"),
        ({"start": START | {"heap": ["zz"]}}, "to hold cards"),
        ({"start": START | {"attacker": "Z"}}, "one of the seats"),
        ({"start": START | {"attacker": 1}}, "name of a seat"),
        ({"start": START | {"defender": "A"}}, "that differ"),
        ({"start": START | {"out": 3}}, '"out"'),
        ({"start": START | {"teams": "AB"}}, '"teams" to be a list'),
        ({"start": START | {"teams": [["A"]]}}, '"teams" to hold each seat once'),
        ({"start": START | {"bout": 0}}, '"bout"'),
    ],
)
def test_error_of_an_invalid_header_says_what_was_expected(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(RecordError, match=r"^m:1: expected .*, got ") as error:
        list(read_record([json.dumps(HEADER | change)], "m"))
    assert expected in str(error.value)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ({"talon": 17}, None),
        ({"talon": 17, "heap_count": 0}, "add up to the 36 cards"),
        ({"talon": 30}, "add up to the 36 cards"),
        ({"talon": 17, "heap": ["7s", "8s"]}, "add up"),
        ({"known": {"A": ["5s"]}}, "cards of the pack of 36, got 5s"),
        ({"known": {"A": ["7s"], "B": ["7s"]}}, "got 7s in two"),
        ({"known": {"A": ["9h"]}}, "got 9h in two"),
        ({"hands": {"A": 1, "B": 6, "C": 6}, "known": {"A": ["7s", "8s"]}}, 'at most 1 "known" cards'),
        ({"talon": 0}, '"turnup" to be null with an empty "talon"'),
        ({"out": ["B"]}, 'in the hand of B, who is "out", got 6'),
        ({"talon": 0, "turnup": None, "hands": {"A": 0, "B": 6, "C": 6}}, 'the "attacker" to hold cards'),
        ({"talon": 0, "turnup": None, "hands": {"A": 6, "B": 0, "C": 6}, "defender": "B"}, 'the "defender" to hold'),
        ({"talon": 0, "turnup": None, "hands": {"A": 6, "B": 0, "C": 0}}, "who play against each other"),
        (
            {"talon": 0, "turnup": None, "hands": {"A": 6, "B": 0, "C": 0}, "attacker": None},
            "at least two seats with cards",
        ),
        ({"teams": [["A", "B"], ["C"]]}, "only where the rules are played in teams"),
        ({"teams": [["A"], ["B"], ["C"]]}, None),
    ],
)
def test_impossible_start_is_refused(start: dict[str, Any], expected: str | None) -> None:
    header = Header.parse(HEADER | {"start": START | start})
    if expected is None:
        assert Referee(header).state.phase.value == "attack"
        return
    with pytest.raises(RecordError) as error:
        Referee(header)
    assert expected in str(error.value)


def test_teams_must_be_every_other_seat() -> None:
    start = {"trump": "h", "talon": 12, "hands": dict.fromkeys("WNES", 6), "attacker": "W"}
    data = {"kozyr": 1, "rules": "podkidnoy-teams-4", "seats": ["W", "N", "E", "S"], "dealer": "S"}
    with pytest.raises(RecordError, match=r"every other seat, got W\+N and E\+S"):
        Referee(Header.parse(data | {"start": start | {"teams": [["W", "N"], ["E", "S"]]}}))
    with pytest.raises(RecordError, match="against each other"):
        Referee(Header.parse(data | {"start": start | {"defender": "E"}}))
    teams = {"teams": [["S", "N"], ["E", "W"]]}
    assert Referee(Header.parse(data | {"start": start | teams})).state.seating.teams == (("N", "S"), ("W", "E"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", None),
        ("{", "one JSON object"),
        ("[" * 100_000, "one JSON object"),
        ('"x"', "an event such as"),
        ('{"event": "danced"}', '"event" to be one of'),
        ('{"event": ["tick"]}', '"event" to be one of'),
        ('{"event": "tick", "at": "now"}', '"at" to be a number'),
        ('{"event": "tick", "at": true}', '"at" to be a number'),
        ('{"event": "tick", "at": NaN}', '"at" to be a number'),
        ('{"event": "tick", "at": "\\ud800"}', '"at" to be a number'),
        ('{"event": "tick", "at": 1}', '"at" of at least 2'),
        ('{"event": "tick", "confidence": 2}', '"confidence" from 0 to 1'),
        ('{"event": "tick", "alternatives": 5}', '"alternatives" to be a list'),
        ('{"event": "tick", "alternatives": [5]}', '"alternatives" to be a list'),
        ('{"event": "tick", "alternatives": [["7s", "x"]]}', '"alternatives" to be a number'),
        ('{"event": "tick", "alternatives": [["10h", 0.5]]}', '"alternatives" to be a card'),
        ('{"event": "tick", "otherwise": 5}', '"otherwise" to be a list'),
        ('{"event": "tick", "otherwise": [5]}', '"otherwise" to be a list'),
        ('{"event": "tick", "otherwise": [["A", 0.5]]}', '"otherwise" to be a list'),
        ('{"event": "tick", "otherwise": [[null, "x"]]}', '"otherwise" to be a number'),
        ('{"event": "tick", "otherwise": [[null, 1.5]]}', '"otherwise" with probabilities from 0 to 1'),
        ('{"event": "tick", "otherwise": [[{}, 0.5]]}', '"otherwise" to give keys of the event that differ'),
        ('{"event": "tick", "otherwise": [[{"at": 3}, 0.5]]}', '"otherwise" to give keys of the event that differ'),
        ('{"event": "swept", "to": "A", "otherwise": [[{"to": null}, 0.5]]}', '"to" to be "heap" or a seat'),
        ('{"event": "swept", "to": "A", "otherwise": [[{"to": "Z"}, 0.5]]}', "one of the seats A, B, C"),
        ('{"event": "placed"}', '"card" with a card'),
        ('{"event": "placed", "card": 7}', '"card" to be a card'),
        ('{"event": "placed", "card": "7s", "by": "Z"}', "one of the seats A, B, C"),
        ('{"event": "placed", "card": "7s", "by": ["A"]}', '"by" to be the name of a seat'),
        ('{"event": "swept"}', '"to" to be "heap" or a seat'),
        ('{"event": "swept", "to": "floor"}', "one of the seats"),
        ('{"event": "swept", "to": "A", "left": "7s"}', '"left" to be a list'),
        ('{"event": "swept", "to": "A", "left": ["10h"]}', "\"left\" to hold cards such as '9h' or 'Ts', got ['10h']"),
        ('{"event": "swept", "to": "A", "left": ["7s", "7s"]}', '"left" to name each card once'),
        (
            '{"event": "corrected", "table": {"talon": 3, "nosuch": 1}}',
            '"table" to be an object with some of hands, talon',
        ),
        ('{"event": "corrected", "table": {"hands": 5}}', '"hands" to be the count of cards by seat, got 5'),
        ('{"event": "corrected", "line": 0, "to": null}', '"line" to be the number of a line, from 1, got 0'),
        ('{"event": "corrected", "line": 2, "to": {"event": "placed"}}', '"card" with a card'),
        ('{"event": "pressed"}', '"button" to be one of allow, assign, '),
        ('{"event": "drawn", "count": 0}', '"count" to be a whole number from 1 to 10,000, got 0'),
        ('{"event": "drawn", "count": 20000}', '"count" to be a whole number from 1 to 10,000, got 20000'),
        ('{"event": "pressed", "button": "bell"}', '"button" to be one of'),
        ('{"event": "pressed", "button": "claim", "card": null}', '"by" with the button'),
        ('{"event": "pressed", "button": "allow", "by": "A"}', '"for" with the button'),
        ('{"event": "pressed", "button": "dismiss"}', '"of" with the button'),
        ('{"event": "pressed", "button": "assign", "to": "A"}', '"card" with the button'),
        ('{"event": "pressed", "button": "claim", "by": "A", "card": null, "highest": "10"}', '"highest"'),
        ('{"event": "pressed", "button": "touched", "what": "nose"}', '"what"'),
        ('{"event": "blocked", "reason": 1}', '"reason" to be text'),
    ],
)
def test_error_of_an_unusable_line_has_line_and_reason(line: str, expected: str | None) -> None:
    lines = [json.dumps(HEADER), '{"event": "tick", "at": 2}', line, '{"event": "tick"}']
    if expected is None:
        assert [number for number, _ in read_record(lines, "m")] == [1, 2, 4]
        return
    with pytest.raises(RecordError, match=r"^m:3: expected .*got ") as error:
        list(read_record(lines, "m"))
    assert expected in str(error.value)


def test_null_of_earlier_versions_is_read_as_an_empty_list() -> None:
    swept = event_from_json({"event": "swept", "to": "A", "left": None, "alternatives": None, "otherwise": None})
    assert event_to_json(swept) == {"at": 0.0, "event": "swept", "to": "A"}


def test_correction_round_trips_with_its_key_order() -> None:
    within = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
    for keys in ({"by": "A", "to": within, "line": 3}, {"line": 3, "to": None}, {"after": 3, "insert": within}):
        data = {"at": 2.0, "event": "corrected", **keys}
        assert json.dumps(event_to_json(event_from_json(data))) == json.dumps(data)


def test_line_number_is_used_only_by_buttons_about_lines() -> None:
    pressed = {"at": 1.0, "event": "pressed", "button": "take"}
    assert event_to_json(event_from_json(pressed | {"of": 0})) == pressed
    undone = {"at": 1.0, "event": "pressed", "button": "undo", "of": 3}
    assert event_to_json(event_from_json(undone)) == undone


def test_probability_of_a_missed_event_round_trips() -> None:
    tick = {"at": 1.0, "event": "tick", "missed": 0.3}
    assert event_to_json(event_from_json(tick)) == tick


def test_error_names_an_unknown_key() -> None:
    with pytest.raises(RecordError, match=r"expected one of hands, talon, .*, got 'tallon'"):
        read({"tallon": 3}, TableFacts, "the table")


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(RecordError, match=r"^m:1: expected text in UTF-8, got byte 0xff"):
        list(read_record([b"\xff\xfe"], "m"))


@pytest.mark.parametrize("as_bytes", [True, False])
def test_byte_order_mark_is_ignored(as_bytes: bool) -> None:
    match = ['{"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}\n', '{"event": "tick"}\n']
    lines = ["\ufeff" + match[0], match[1]] * 2  # two records, one after the other
    entries = read_record([line.encode() for line in lines] if as_bytes else lines)
    assert [number for number, _ in entries] == [1, 2, 3, 4]


def test_record_without_a_header_is_refused() -> None:
    with pytest.raises(RecordError, match=r"^m:1: expected a header as the first line, got \{"):
        list(read_record(['{"event": "tick"}'], "m"))
    with pytest.raises(RecordError, match=r"^m:1: expected a header as the first line, got an empty record"):
        list(read_record([], "m"))


def test_missing_time_is_that_of_the_preceding_line() -> None:
    lines = [HEADER, {"event": "tick", "at": 5}, {"event": "tick"}, HEADER, {"event": "tick"}]
    read = [entry for _, entry in read_record([json.dumps(line) for line in lines])]
    assert [entry.at for entry in read if isinstance(entry, TableEvent)] == [5.0, 5.0, 0.0]


def test_line_of_a_long_record_can_be_corrected() -> None:
    event = event_from_json({"event": "corrected", "line": 49_999, "to": None})
    assert isinstance(event, Corrected)
    assert event.line == 49_999


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"rules": "nosuch"}, "expected a rule set"),
        ({"options": {"nosuch": 1}}, "expected an option"),
        ({"options": {"pack": 40}}, "expected option pack to be one of 36, 24, 32, 52, got 40"),
        ({"options": {"transfer": 1}}, "expected option transfer to be one of false, true"),
        ({"options": {"attack_limit": 0}}, "a whole number from 1 to 52"),
        ({"options": {"attack_limit": True}}, "a whole number from 1 to 52"),
        ({"options": {"teams": "2x2"}}, "expected 4 seats for teams 2x2, got 3"),
        ({"options": {"teams": "3x3", "transfer": True}}, "transfer is played alone"),
        ({"options": {"transfer_show": "free"}}, "expected transfer true"),
        ({"options": {"low_limit": 5}}, "belong together"),
        ({"options": {"result": "first_out_wins", "all_out": "defender_loses"}}, 'expected all_out "draw"'),
        ({"options": {"team_end": "first_player_out"}}, "only a team"),
        ({"rules": "podkidnoy-24"}, "expected 2 seats for podkidnoy-24, got 3"),
        ({"rules": "podkidnoy-52"}, "expected 5 to 6 seats"),
        ({"options": {"hand_size": 13}}, "expected a pack of at least 39 cards"),
        ({"options": {"hand_size": 12, "second_trump": "last_talon_card"}}, "expected a talon for the second trump"),
    ],
)
def test_contradictory_house_rules_are_refused_with_a_reason(header: dict[str, Any], reason: str) -> None:
    with pytest.raises(RulebookError) as error:
        Referee(Header.parse(HEADER | header))
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("seats", "options", "reason"),
    [
        ("ABCDE", {"teams": "2x2x2"}, "expected option teams to be one of none, 2x2, 3x3, got 2x2x2"),
        ("ABCDE", {"teams": "3x3"}, "expected 6 seats for teams 3x3, got 5"),
        ("ABCDEF", {"teams": "2x2"}, "expected 4 seats for teams 2x2, got 6"),
        ("ABCDEF", {"pack": 24}, "expected a pack of at least 36 cards for 6 hands of 6, got 24"),
        ("ABCDEF", {"pack": 36, "hand_size": 7}, "expected a pack of at least 42 cards for 6 hands of 7, got 36"),
        ("ABCDEF", {"second_trump": "last_talon_card"}, "expected a talon for the second trump, got none with 6 seats"),
    ],
)
def test_wrong_number_of_players_is_refused_with_a_reason(seats: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(RulebookError) as error:
        Referee(Header.parse(HEADER | {"seats": list(seats), "options": options}))
    assert str(error.value) == reason


def test_the_first_player_out_needs_a_winner() -> None:
    data = HEADER | {"seats": ["A", "B", "C", "D"], "options": {"teams": "2x2", "team_end": "first_player_out"}}
    with pytest.raises(RulebookError, match='expected result "first_out_wins"'):
        Referee(Header.parse(data))


def test_unread_card_round_trips() -> None:
    data = {"at": 2.0, "event": "blocked", "reason": "unread", "by": "A", "on": "7s"}
    assert event_to_json(event_from_json(data)) == data


@pytest.mark.parametrize(
    "line",
    [
        {"at": 1.0, "event": "pressed", "button": "pass", "by": "A"},
        {"at": 1.0, "event": "pressed", "button": "claim", "by": "A", "highest": "K", "card": None},
        {"at": 1.0, "event": "blocked", "reason": ""},
    ],
)
def test_pickled_event_is_written_equally(line: dict[str, Any]) -> None:
    event = event_from_json(line)
    assert event_to_json(pickle.loads(pickle.dumps(event))) == event_to_json(event) == line


def test_pickled_header_is_written_equally() -> None:
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "A"}
    assert pickle.loads(pickle.dumps(Header.parse(header))).as_json() == header


@pytest.mark.parametrize("key", ["alternatives", "otherwise"])
def test_line_with_thousands_of_entries_is_refused(key: str) -> None:
    entry = ["6c", 1e-4] if key == "alternatives" else [{"by": "B"}, 1e-4]
    line = {"at": 1.0, "event": "placed", "card": "7s", "by": "A", key: [entry] * 2_000}
    with pytest.raises(RecordError, match=f'at most 64 entries in "{key}"'):
        event_from_json(line)

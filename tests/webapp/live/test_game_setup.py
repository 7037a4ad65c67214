"""Setup of a game: values, validation, and how page and program share them."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from referee.record import Header
from tests.webapp.conftest import HEADER
from webapp.live.board import CameraHealth, Condition, Snapshot
from webapp.live.game_setup import GameSetup
from webapp.live.position_proposal import Contradiction
from webapp.live.remembered import MOST, last_games, remember
from webapp.live.shared_setup import ContradictedError, GamePhase, SharedSetup, UnderWayError, has_begun
from webapp.match.view import Call, Sentence, TablePosition, View

CHOSEN = GameSetup(source="0", seats=("Anna", "Boris", "Vera"))
PLAYED = Snapshot(view=View(rulings={"legal": 1}), camera=CameraHealth(Condition.WATCHING))
OVER = replace(
    PLAYED, view=View(position=TablePosition(result={"kind": "fool", "seats": ["Vera"]}), rulings={"legal": 1})
)


def test_setup_round_trips_through_the_header() -> None:
    header = Header.parse({**HEADER, "witness": "camera"})
    assert GameSetup.of(header, source="0").header().as_json() == header.as_json()


def test_chosen_leader_leads() -> None:
    header = CHOSEN.changed({"lead": "Vera"}).header()
    assert (header.dealer, header.options["first_lead"]) == ("Boris", "left_of_dealer")


@pytest.mark.parametrize(
    ("values", "wants"),
    [
        ({"seats": ["Anna"]}, "two to six"),
        ({"seats": ["Anna", "Boris", "Anna"]}, "different names, got Anna twice"),
        ({"seats": ["Anna", " "]}, "a name for each player"),
        ({"seats": ["Anna", "B" * 33]}, "at most 32"),
        ({"seats": "Anna,Boris"}, "as a list"),
        ({"seats": ["Anna", "\x07"]}, "names that can be read"),
        ({"seats": ["Anna", "👩\u200d🚀" * 33]}, "at most 32"),
        ({"rules": "poker"}, "rule set"),
        ({"rules": "podkidnoy-24"}, "seats"),
        ({"options": {"colour": 1}}, "colour"),
        ({"options": []}, "object"),
        ({"dealer": "Gleb"}, "one of the seats"),
        ({"lead": 5}, "seat"),
        ({"start": {"talon": 3}}, "hands"),
        ({"start": 4}, "position"),
        ({"language": "tlh"}, "language"),
        ({"tone": "shout"}, "tone"),
        ({"recording": 1}, "true or false"),
        ({"source": ""}, "camera"),
        ({"tempo": 1}, "tempo"),
    ],
)
def test_invalid_choice_is_refused_with_one_sentence(values: dict[str, Any], wants: str) -> None:
    with pytest.raises(ValueError, match=wants) as caught:
        CHOSEN.changed(values)
    assert "expected" in str(caught.value)


def test_emoji_of_several_code_points_is_a_valid_name() -> None:
    seats = ("👩\u200d👩\u200d👧\u200d👦", "🇺🇦", "Zoe\u0301 👍🏽", "👩\u200d🚀" * 32)
    assert CHOSEN.changed({"seats": list(seats)}).header().seats == seats


@pytest.mark.parametrize("seats", [["A"], ["A", "A"], ["A", ""], ["A", "\x07"], ["A", "B" * 40], list("ABCDEFG")])
def test_error_for_invalid_names_is_plain_text(seats: list[str]) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        CHOSEN.changed({"seats": seats})
    assert "[" not in str(caught.value)


def test_rules_are_checked_before_names() -> None:
    nobody = GameSetup(source="0")
    assert nobody.missing
    assert nobody.changed({"rules": "french-3"}).rules == "french-3"
    with pytest.raises(ValueError, match="colour"):
        nobody.changed({"options": {"colour": 1}})
    assert not nobody.changed({"rules": "free"}).missing


def test_changing_the_rules_resets_the_options() -> None:
    house = CHOSEN.changed({"options": {"transfer": True}})
    assert house.changed({"rules": "severnyi"}).options == {}
    assert house.changed({"rules": "severnyi", "options": {"transfer": True}}).options == {"transfer": True}


def test_change_before_the_first_card_restarts_the_match() -> None:
    shared_setup = SharedSetup(CHOSEN, begins=True)
    assert shared_setup.take_up() == CHOSEN
    assert not shared_setup.is_asked
    shared_setup.change({"seats": ["Anna", "Boris"]}, Snapshot())
    assert shared_setup.is_asked
    assert shared_setup.take_up() == structs.replace(CHOSEN, seats=("Anna", "Boris"))


def test_next_game_waits_until_the_cards_of_the_last_one_are_gathered() -> None:
    left = TablePosition(result={"kind": "fool", "seats": ["Vera"]}, talon=12, turnup="Tc")
    given_up = Snapshot(view=View(position=left, rulings={"legal": 1}))
    shared_setup = SharedSetup(CHOSEN, begins=True)
    shared_setup.take_up()
    with pytest.raises(ContradictedError) as refused:
        shared_setup.next_game(given_up, turnup="Tc")
    assert refused.value.contradiction == Contradiction("gathered", "Tc", "Tc")
    assert not shared_setup.is_asked, "nothing was ordered"
    for seen, insists in (("6h", False), (None, False), ("Tc", True)):
        shared_setup.next_game(given_up, turnup=seen, insists=insists)
        assert shared_setup.take_up() is not None, "dealt anew, gathered, or a person says so"


def test_change_during_a_game_is_refused_until_it_ends() -> None:
    shared_setup = SharedSetup(CHOSEN, begins=True)
    shared_setup.take_up()
    for change in (lambda: shared_setup.change({"dealer": "Anna"}, PLAYED), lambda: shared_setup.next_game(PLAYED)):
        with pytest.raises(UnderWayError, match="expected"):
            change()
    assert not shared_setup.is_asked
    assert shared_setup.next_game(OVER).dealer == "Vera", "the loser deals"
    deal = Call(9, 9, 1.0, {"announce": "deal", "dealer": "Vera", "leads": "Anna"}, Sentence(lambda language, _: ""))
    announced = shared_setup.next_game(Snapshot(view=structs.replace(OVER.view, calls=(deal,))))
    assert (announced.dealer, announced.lead) == ("Vera", "Anna"), "as was announced"
    assert announced.header().options == {"first_lead": "left_of_dealer"}
    shared_setup.take_up()
    shared_setup.end()
    assert shared_setup.take_up() is None
    assert shared_setup.phase is GamePhase.CHOOSING
    assert shared_setup.change({"dealer": "Anna"}, PLAYED).dealer == "Anna"


def test_game_whose_camera_was_given_up_is_not_over() -> None:
    shared_setup = SharedSetup(CHOSEN, begins=True)
    shared_setup.take_up()
    given_up = replace(PLAYED, camera=CameraHealth(Condition.GIVEN_UP))
    with pytest.raises(UnderWayError):
        shared_setup.change({}, given_up, begin=True)


def test_game_that_is_given_up_before_a_play_has_begun() -> None:
    given_up = View(position=TablePosition(result={"kind": "fool", "seats": ["Vera"]}))
    assert has_begun(Snapshot(view=given_up)), "so that it is kept, as its score is"
    assert not has_begun(Snapshot(view=View(position=TablePosition())))


def test_game_ends_for_the_next_one_if_a_person_says_so() -> None:
    shared_setup = SharedSetup(CHOSEN, begins=True)
    shared_setup.take_up()
    with pytest.raises(UnderWayError):
        shared_setup.change({"dealer": "Anna"}, PLAYED, begin=True)
    shared_setup.change({"dealer": "Anna"}, PLAYED, begin=True, ends=True)
    begun = shared_setup.take_up()
    assert begun is not None
    assert begun.dealer == "Anna"


def test_kept_match_is_gone_on_with_once() -> None:
    shared_setup = SharedSetup(GameSetup(source="0"), begins=False)
    shared_setup.resume(CHOSEN, "an-id", Snapshot())
    assert shared_setup.take_up() == CHOSEN
    assert (shared_setup.take_resumed(), shared_setup.take_resumed()) == ("an-id", None)
    with pytest.raises(UnderWayError):
        shared_setup.resume(CHOSEN, "an-id", PLAYED)
    shared_setup.resume(CHOSEN, "an-id", replace(PLAYED, camera=CameraHealth(Condition.GIVEN_UP)))
    shared_setup.end()
    shared_setup.resume(CHOSEN, "an-id", PLAYED)
    shared_setup.change({"dealer": "Anna"}, Snapshot(), begin=True)
    assert shared_setup.take_resumed() is None, "another game was ordered meanwhile"
    with pytest.raises(ValueError, match="camera"):
        shared_setup.resume(GameSetup(), "an-id", Snapshot())


def test_choices_are_made_step_by_step_or_at_once() -> None:
    shared_setup = SharedSetup(GameSetup(source="0"), begins=False)
    shared_setup.change({"rules": "severnyi"}, Snapshot())
    assert not shared_setup.is_asked, "nobody plays yet"
    with pytest.raises(ValueError, match="two to six players"):
        shared_setup.change({}, Snapshot(), begin=True)
    shared_setup.change({"seats": ["Anna", "Boris"]}, Snapshot(), begin=False)
    assert not shared_setup.is_asked
    shared_setup.change({"seats": ["Anna", "Vera"]}, Snapshot())
    assert shared_setup.take_up() is not None


def test_chosen_camera_is_opened_at_once() -> None:
    shared_setup = SharedSetup(CHOSEN, begins=False)
    shared_setup.change({"source": "1"}, Snapshot(), begin=False)
    assert shared_setup.is_asked
    assert shared_setup.take_up() is None


def test_last_game_of_each_group_is_stored(tmp_path: Path) -> None:
    place = tmp_path / "home" / "last_games.json"
    assert last_games(place) == ()
    for number in range(MOST + 2):
        assert remember(CHOSEN.changed({"seats": ["Anna", f"B{number}"]}).as_json(), place)
    assert remember(CHOSEN.changed({"seats": ["B3", "Anna"]}).as_json(), place)
    games = last_games(place)
    assert len(games) == MOST
    assert games[0]["seats"] == ["B3", "Anna"]
    assert sum("B3" in game["seats"] for game in games) == 1
    place.write_text("[1, {}]", encoding="utf-8")
    assert last_games(place) == ()
    assert json.loads(place.read_text(encoding="utf-8")) == [1, {}], "an unreadable file is not overwritten"


def test_order_or_end_of_a_game_wakes_the_main_thread() -> None:
    shared_setup = SharedSetup(CHOSEN, begins=False)
    assert not shared_setup.wait(timeout_s=0.0)
    shared_setup.end()
    assert shared_setup.wait()
    assert shared_setup.take_up() is None
    ended = threading.Event()

    def end() -> None:
        ended.set()
        shared_setup.wake()

    ender = threading.Thread(target=end)
    ender.start()
    assert not shared_setup.wait(until=ended.is_set)
    ender.join()

"""The simulator: legal games, a camera whose errors match its stated probabilities, and the command."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from benchmarks import simulate
from benchmarks.simulation import erring_camera
from benchmarks.simulation.clumsy_camera import Clumsiness, reported_clumsily
from benchmarks.simulation.erring_camera import ReportedLine
from benchmarks.simulation.judges import BeliefJudge, RefereeJudge
from benchmarks.simulation.missing import without_one
from benchmarks.simulation.other_words import Words, in_other_words
from benchmarks.simulation.score import SimulationScore, score_of
from benchmarks.simulation.show import shown
from benchmarks.simulation.simulated_games import EVERY_HOUSE, Setting, SimulatedGame, game_of
from benchmarks.simulation.truth import is_at
from referee.cards import Card
from referee.events import TableEvent
from referee.header import Header
from referee.record import event_from_json, instead_of, read_record
from referee.rulebook import rulebook
from referee.rulings import Message
from tests.lab.benchmarks.simulated import games
from tests.sample_size import sample_size

EVERYTHING = Setting(level=2, breakers=0.05, blurred=True, silent_wrong=0.02, rules="all")


# the games


class PositionsCompared(RefereeJudge):
    """Referee whose position after each line is compared with the simulated one."""

    def __init__(self, game: SimulatedGame) -> None:
        self._truth, self.compared = game.truth, 0

    def apply(self, line: int, event: TableEvent) -> Sequence[Message]:
        messages = super().apply(line, event)
        true = self._truth.lines[line - 2]
        if true.position is None or true.event["event"] == "dealt":
            return messages
        position = self.position()
        if position["phase"] not in ("lead", "draw", "over"):
            assert is_at(true.position, position), line
            self.compared += 1
        return messages


def test_completely_reported_games_give_right_positions_and_results_without_accusations() -> None:
    total, compared, count = SimulationScore(), 0, sample_size(70, nightly=150)
    for game in games(count, level=0, rules="all"):
        assert [line.event for line in game.reported] == [line.event for line in game.truth.lines]
        judge = PositionsCompared(game)
        total.add(score_of(game, judge))
        compared += judge.compared
    assert compared > 33 * count
    assert (total.games, total.results, total.faults) == (count, count, 0)
    assert (total.false_accusations, total.questions, total.notes, total.accused) == (0, 0, 0, [])


def test_referee_rules_exactly_the_reported_corrected_faults() -> None:
    total = SimulationScore()
    for game in games(sample_size(80, nightly=150), level=0, breakers=0.05, mended=1.0, rules="all"):
        total.add(score_of(game, RefereeJudge()))
    assert total.faults > 300
    assert (total.called, total.false_accusations) == (total.faults, 0)
    assert {"rank-not-on-table", "not-principal", "opening-shape", "does-not-beat"} <= set(total.faults_by)


def test_uncorrected_faults_occur_and_are_in_the_true_record() -> None:
    standing: Counter[str] = Counter()
    for game in games(sample_size(80, nightly=150), level=0, breakers=0.05, mended=0.0):
        for line in game.truth.lines:
            standing.update(line.faults if line.stands else ())
    assert {"unbeaten-cards", "draw-too-many", "draw-too-few", "draw-out-of-turn", "draw-not-due"} <= set(standing)
    assert {"does-not-beat", "rank-not-on-table", "swap-wrong-card", "opening-shape"} <= set(standing)


def test_same_seed_gives_the_same_games_at_every_level() -> None:
    assert game_of(5, EVERYTHING) == game_of(5, EVERYTHING)
    truths = [game_of(5, Setting(level=level)).truth for level in (0, 1)]
    assert truths[0] == truths[1]
    assert game_of(5, Setting(seed=1)).record() != game_of(5, Setting(seed=2)).record()


# reports


@pytest.mark.parametrize("setting", [Setting(level=0, rules="all"), Setting(), EVERYTHING])
def test_every_record_is_readable_and_has_no_presses(setting: Setting) -> None:
    for number in range(len(EVERY_HOUSE)):
        game = game_of(number, setting)
        lines = [json.dumps(line) for line in game.record()]
        header, *events = [entry for _, entry in read_record(lines)]
        assert isinstance(header, Header)
        assert header.witness == "camera"
        assert len(events) == len(game.reported)
        assert not any('"pressed"' in line for line in lines)


def test_true_record_links_reported_lines_and_names_faults() -> None:
    game = game_of(3, Setting(level=2, breakers=0.1))
    reported, true = game.record(), game.true_record()
    assert len(list(read_record([json.dumps(line) for line in true]))) == len(true)
    assert [bool(line.get("fault")) for line in true[1:]] == [bool(line.faults) for line in game.truth.lines]
    assert any(line.get("fault") for line in true)
    unseen = [line for line in true[1:] if line["reported"] is None]
    belonging = [line for line in true[1:] if line["reported"] is not None]
    assert unseen
    assert all(reported[line["reported"] - 1]["event"] == line["event"] for line in belonging)
    assert len(belonging) + sum(line.true is None for line in game.reported) == len(game.reported)


def doubts(count: int, **setting: Any) -> Iterator[tuple[str, list[tuple[TableEvent | None, float]], Any]]:
    """
    Yield every uncertain line: its kind, its alternatives with their weights (the reported one first), and the truth.
    """
    for game in games(count, **setting):
        for line in game.reported:
            if "confidence" not in line.event:
                continue
            event = event_from_json(line.event)
            assert event.confidence is not None
            truth = None if line.true is None else game.truth.lines[line.true].event
            options: list[tuple[Any, float]] = [(event, event.confidence)]
            options += [(instead_of(event, {"card": str(card)}), share) for card, share in event.alternatives]
            options += [(instead_of(event, keys), share) for keys, share in event.otherwise]
            yield line.event["event"], options, truth


def fits(event: TableEvent | None, truth: dict[str, Any] | None) -> bool:
    """Check whether the event agrees with the truth, as far as it can be uncertain."""
    if event is None or truth is None:
        return event is None and truth is None
    return all(str(getattr(event, key)) == str(truth[key]) for key in ("card", "to", "count") if key in truth) and (
        truth["event"] != "drawn" or event.by == truth["by"]  # type: ignore[attr-defined]
    )


def within_chance(right: int, expected: float, variance: float) -> bool:
    """
    Check whether the count lies within three and a half standard deviations: once in two thousand cases by chance.
    """
    return abs(right - expected) < 3.5 * sqrt(variance)


def test_reported_probabilities_are_calibrated() -> None:
    chances: dict[tuple[str, int], list[tuple[float, bool]]] = {}
    for kind, options, truth in doubts(1200, level=2, silent_wrong=0.0):
        assert sum(share for _, share in options) == pytest.approx(1.0)
        assert options[0][1] == max(share for _, share in options)
        hits = [fits(event, truth) for event, _ in options]
        assert sum(hits) == 1, (kind, options, truth)
        for (_, share), hit in zip(options, hits, strict=True):
            chances.setdefault((kind, int(share * 5)), []).append((share, hit))
    for which, reported in chances.items():
        expected, variance = sum(p for p, _ in reported), sum(p * (1 - p) for p, _ in reported)
        assert within_chance(sum(hit for _, hit in reported), expected, variance), which
    of_seven = [hit for reported in chances.values() for share, hit in reported if 0.68 < share < 0.72]
    assert len(of_seven) > 500
    assert sum(of_seven) / len(of_seven) == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("level", [0.5, 1, 2])
def test_error_rate_of_each_event_kind_matches_the_level(level: float) -> None:
    seen: Counter[str] = Counter()
    doubtful: Counter[str] = Counter()
    unreported: Counter[str] = Counter()
    seatless = 0
    for game in games(300, level=level, rules="podkidnoy-36"):
        seen.update(line.event["event"] for line in game.truth.lines)
        real = [line for line in game.reported if line.true is not None]
        reported = {line.true for line in real}
        unreported.update(line.event["event"] for place, line in enumerate(game.truth.lines) if place not in reported)
        doubtful.update(line.event["event"] for line in real if "confidence" in line.event)
        seatless += sum(line.event["event"] == "placed" and "by" not in line.event for line in real)
    for kind, rate in (("placed", 1 / 100), ("swept", 1 / 200), ("drawn", 1 / 50)):
        assert within_chance(unreported[kind], seen[kind] * rate * level, seen[kind] * rate * level), kind
    # If one card was drawn, the other number can't be zero.
    for kind, rate, spared in (("placed", 1 / 12, 0), ("swept", 1 / 20, 0), ("drawn", 1 / 25, 1 / 6)):
        known = seen[kind] - unreported[kind]
        expected = known * rate * level
        assert expected * (1 - spared) - 3.5 * sqrt(expected) < doubtful[kind] < expected + 3.5 * sqrt(expected), kind
    placed = seen["placed"] - unreported["placed"]
    assert within_chance(seatless, placed * level / 33, placed * level / 33)


def test_faults_are_reported_without_error_unless_blurred() -> None:
    def misreported_faults(blurred: bool) -> int:
        found = 0
        for game in games(60, level=2, breakers=0.1, blurred=blurred):
            reported = {line.true: line.event for line in game.reported}
            for place, line in enumerate(game.truth.lines):
                event = reported.get(place)
                if line.faults and (event is None or {**line.event, "on": 0} != {**event, "on": 0}):
                    found += 1
        return found

    assert misreported_faults(blurred=False) == 0
    assert misreported_faults(blurred=True) > 30


def test_wrong_cards_and_seats_are_reported_without_uncertainty() -> None:
    placed = wrong_card = wrong_seat = 0
    for game in games(200, level=0, silent_wrong=0.05):
        for line in game.reported:
            truth = game.truth.lines[line.true or 0].event
            if line.event["event"] == "placed":
                placed += 1
                wrong_card += line.event["card"] != truth["card"]
                wrong_seat += line.event["by"] != truth["by"]
                assert "confidence" not in line.event
    for wrong in (wrong_card, wrong_seat):
        assert within_chance(wrong, placed * 0.05, placed * 0.05)


def test_misread_card_keeps_its_name_while_on_the_table() -> None:
    renamed = unnamed = 0
    for game in games(60, level=2):
        names: dict[str, str | None] = {}
        reported = {line.true: line.event for line in game.reported}
        for place, line in enumerate(game.truth.lines):
            event = reported.get(place)
            if line.event["event"] != "placed":
                continue
            if event is not None and "on" in line.event:
                assert event.get("on") == names[line.event["on"]]
                renamed += event.get("on") not in (None, line.event["on"])
                unnamed += "on" not in event
            names[line.event["card"]] = None if event is None else event["card"]
    assert renamed > 10
    assert unnamed > 3


@pytest.mark.parametrize("pack", [24, 32, 36, 52])
def test_confused_cards_are_look_alikes_of_the_pack(pack: int) -> None:
    cards = {card for lowest in ("6s", "9h", "2d", "Kc") for card in (lowest, *erring_camera.look_alikes(lowest, 52))}
    for card in cards:
        for other in erring_camera.look_alikes(card, pack):
            assert Card.parse(other).rank in "23456789TJQKA"[{24: 7, 32: 5, 36: 4, 52: 0}[pack] :]
            assert {card, *erring_camera.look_alikes(card, 52)} == {other, *erring_camera.look_alikes(other, 52)}


def test_gap_without_events_keeps_the_position() -> None:
    some = games(sample_size(20, nightly=40), level=0, rules="podkidnoy-36")
    found = [without_one(game, RefereeJudge()) for game in some]
    assert sum(score.right_again["swapped"] for score in found) > sum(score.tried["swapped"] for score in found) / 2
    assert sum(score.accused["drawn"] for score in found) > 0


# the command


def test_command_gives_the_same_counts_with_one_and_two_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = []
    for jobs in ("1", "2"):
        out, roc = tmp_path / f"{jobs}.json", tmp_path / f"{jobs}.svg"
        call = ["--games", "7", "--breakers", "0.05", "--jobs", jobs, "--out", str(out), "--roc", str(roc)]
        assert simulate.main(call) == 0
        counts.append({**json.loads(out.read_text("utf-8"))["counts"], "event_ms": None})
        assert roc.read_text("utf-8").count("<circle") == len(simulate.ACCUSING_FROM)
    assert counts[0] == counts[1]
    assert counts[0]["games"] == 7
    printed = capsys.readouterr().out
    assert "false accusations a 100 games" in printed
    assert f"{counts[0]['called']} of {counts[0]['faults']}" in printed


def test_position_with_one_misread_card_is_counted_separately() -> None:
    position = {"hands": {"A": 5}, "talon": 1, "heap": 0, "attacker": "A", "defender": "B"}
    truth = position | {"table": [["7s", "9s"], ["7d", None]]}
    beaten_by_another = position | {"table": [["7d", None], ["7s", "8s"]]}
    led_another = position | {"table": [["7h", None], ["7s", "9s"]]}
    assert not is_at(truth, beaten_by_another)
    assert is_at(truth, beaten_by_another, unnamed="9s")
    assert not is_at(truth, beaten_by_another, unnamed="7d")
    assert is_at(truth, led_another, unnamed="7d")
    assert not is_at(truth, led_another | {"hands": {"A": 6}}, unnamed="7d")


def test_command_removes_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "missing.json"
    assert simulate.main(["--missing-one", "--games", "3", "--jobs", "1", "--out", str(out)]) == 0
    counts = json.loads(out.read_text("utf-8"))["counts"]
    assert counts["by_kind"]["swept"]["tried"] == 3
    assert all(row["found"] <= row["tried"] for row in counts["by_kind"].values())
    assert "position right within two plays" in capsys.readouterr().out


def test_command_prints_one_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate.main(["--show", "3", "--level", "2", "--breakers", "0.1"]) == 0
    printed = capsys.readouterr().out
    assert printed.strip() == shown(game_of(3, Setting(level=2, breakers=0.1)), BeliefJudge())
    for words in ("not reported: ", "true: ", "fault: ", ': {"announce"'):
        assert words in printed


def test_command_writes_readable_records(tmp_path: Path) -> None:
    assert simulate.main(["--records", str(tmp_path / "kept"), "--games", "2", "--level", "2"]) == 0
    stored = sorted((tmp_path / "kept").iterdir())
    assert [file.name for file in stored] == ["0000.jsonl", "0000.truth.jsonl", "0001.jsonl", "0001.truth.jsonl"]
    assert all(len(list(read_record(file.read_text("utf-8").splitlines(), file.name))) > 10 for file in stored)


def test_usage_error_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate.main(["--games", "0"]) == 2
    assert capsys.readouterr().err.startswith("expected at least one game")


# the clumsy camera


def test_clumsy_camera_makes_every_error_with_a_rate() -> None:
    whole = [game_of(number, Setting(level=0)) for number in range(40)]
    for name in Clumsiness.__slots__:
        one = replace(Clumsiness.at(0), **{name: 0.5})
        changed = 0
        for game in whole:
            seats, rng = game.truth.header["seats"], random.Random(game.number)
            pack = [str(card) for card in rulebook(game.truth.header["rules"]).cards()]
            reported = reported_clumsily(game.reported, seats, pack, one, rng)
            times = [line.event["at"] for line in reported]
            assert times == sorted(times), name
            assert [event_from_json(line.event) for line in reported]
            changed += reported != list(game.reported)
        assert changed > 20, name


def test_camera_without_clumsiness_reports_unchanged_events() -> None:
    game = game_of(3, Setting(level=1))
    assert reported_clumsily(game.reported, [], [], Clumsiness.at(0), random.Random(3)) == list(game.reported)


def test_rate_of_the_belief_can_be_changed(capsys: pytest.CaptureFixture[str]) -> None:
    # With a high rate of gaps every play may follow an unseen event, so that no fault is announced.
    asked = ["--games", "4", "--first", "300", "--level", "0", "--breakers", "0.05", "--jobs", "1"]
    assert simulate.main(asked) == 0
    assert simulate.main([*asked, "--rate", "fault=1e-9"]) == 0
    usual, never = capsys.readouterr().out.split("seed 21")[1:]
    assert "fault 1e-09" in never
    assert usual.split("faults called")[1] != never.split("faults called")[1]


def test_unknown_rate_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        simulate.main(["--rate", "luck=0.5"])
    assert "expected one of" in capsys.readouterr().err


# forms of other programs


def test_reports_of_other_programs_are_calibrated() -> None:
    stated, right = [], 0
    for game in games(60, words="foreign", rules="all"):
        for line in game.reported:
            event = line.event
            if event["event"] != "placed" or event.get("confidence", 1.0) >= 0.95:
                continue
            truth = {} if line.true is None else game.truth.lines[line.true].event
            stated.append(event["confidence"])
            right += truth.get("card") == event["card"] and event.get("by", truth["by"]) == truth["by"]
    assert len(stated) > 200
    spread = sqrt(sum(share * (1 - share) for share in stated))
    assert abs(sum(stated) - right) < 3 * spread


def test_other_programs_report_in_every_form() -> None:
    seen: Counter[str] = Counter()
    for game in games(60, words="foreign", rules="all"):
        for event in (line.event for line in game.reported):
            has = event.keys() & {"confidence", "alternatives", "otherwise"}
            seen["bare"] += has == {"confidence"} and event["confidence"] < 0.95
            seen["sure"] += event.get("confidence", 0.0) >= 0.97
            seen["both"] += has == {"confidence", "alternatives", "otherwise"}
            seen["inside"] += any(keys and "card" in keys for keys, _ in event.get("otherwise", []))
            seen["none"] += event["event"] == "placed" and [None] in [pair[:1] for pair in event.get("otherwise", [])]
            seen[event["event"]] += 1
            seen["over"] += event["event"] == "reread" and event["confidence"] == 0.9
    assert all(seen[form] > 1 for form in ("bare", "sure", "both", "inside", "none", "reread", "tick", "over")), seen


def test_draws_of_one_seat_are_one_line_or_one_line_a_card() -> None:
    lines = [ReportedLine({"at": 1.0 + at, "event": "drawn", "by": "A", "count": 2}, at) for at in range(2)]
    for words, counts in ((Words(in_one=True), [4]), (Words(one_by_one=True), [1] * 4), (Words(), [2, 2])):
        reported = in_other_words(lines, [], "ABC", ["6s"], words, random.Random(1))
        assert [line.event["count"] for line in reported] == counts


def test_every_record_of_another_form_is_readable() -> None:
    for game in games(30, words="foreign", rules="all", deals=2):
        assert len(list(read_record([json.dumps(line) for line in game.record()]))) == len(game.reported) + 1

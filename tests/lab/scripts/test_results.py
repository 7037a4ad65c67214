"""Results as JSON: counts, date, weights and machine of a measurement."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks import score_clip, score_list
from scripts.results import checksums, write_result
from vision.detection.networks import NETWORKS, find_manifest


def test_result_has_counts_weights_date_and_machine(tmp_path: Path) -> None:
    file = tmp_path / "new" / "result.json"
    write_result(file, "benchmarks.bench", "demo.mp4", {"frames": 3}, checksums())
    result = json.loads(file.read_text("utf-8"))
    assert (result["measured"], result["on"], result["counts"]) == ("benchmarks.bench", "demo.mp4", {"frames": 3})
    assert datetime.fromisoformat(result["date"]).tzinfo is not None
    assert result["machine"]["cores"] == os.cpu_count()
    folder = find_manifest().parent
    assert result["weights"] == {
        name: hashlib.sha256((folder / f"{name}.onnx").read_bytes()).hexdigest() for name in NETWORKS
    }


def test_other_weights_have_other_checksums(tmp_path: Path) -> None:
    for name in ("mine", *NETWORKS[1:]):
        (tmp_path / f"{name}.onnx").write_text(name)
    assert checksums(tmp_path / "mine.onnx")["finder"] == hashlib.sha256(b"mine").hexdigest()
    assert list(checksums(tmp_path / "mine.onnx")) == list(NETWORKS)


@pytest.mark.parametrize("module", [score_clip, score_list])
def test_score_has_the_count_and_p95_of_delays(module: object) -> None:
    score = score_clip.Score(true=4, seen=4, right=3, rest_delays_s=[0.0, 1.0])
    counts = score.as_json() if module is score_clip else score_list.as_json(score_list.Tally(score, clips=1))
    assert (counts["rest_delays_s_count"], counts["rest_delays_s_p95"]) == (2, 0.95)
    assert counts["delays_s_p95"] is None
    assert counts["right" if module is score_clip else "events_right"] == 3
    json.dumps(counts)


def test_result_of_a_clip_scored_with_true_tracks_has_no_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(score_clip, "score_clip", lambda clip, *rest: score_clip.Score(true=2, seen=2, right=2))
    out = tmp_path / "result.json"
    monkeypatch.setattr("sys.argv", ["score_clip", "a.mp4", "b.mp4", "--tracks", "--out", str(out)])
    assert score_clip.main() == 0
    result = json.loads(out.read_text("utf-8"))
    assert (result["on"], result["weights"]) == (["a", "b"], None)
    assert result["counts"]["all"]["right"] == 4
    assert "all: events 4" in capsys.readouterr().out


def test_ordinary_and_extreme_decks_are_counted_separately(tmp_path: Path) -> None:
    decks = {"a": "own", "b": "svg-oxygen", "c": "own+svg-standard", "d": "invented-93", "e": "own"}
    clips = "".join(f'[[clip]]\nname = "{name}"\nseed = 1\ndeck = "{deck}"\n' for name, deck in decks.items())
    (tmp_path / "list.toml").write_text(f"reserved = true\n{clips}", "utf-8")
    counts = {name: score_list.Tally(score_clip.Score(true=2, right=1), clips=1) for name in "abcd"}
    makes = score_list.by_make(tmp_path / "list.toml", counts)
    assert {make: (tally.clips, tally.score.right) for make, tally in makes.items()} == {
        score_list.SOLD: (2, 2),
        score_list.EXTREME: (2, 2),
    }
    assert "| 0 of 2 |" in score_list.row("all", makes[score_list.SOLD])
    assert "| no |" in score_list.row("a", counts["a"])


def test_clips_are_counted_by_rule_set(tmp_path: Path) -> None:
    clips = [tmp_path / f"{name}.mp4" for name in "abc"]
    for clip, rules in zip(clips, ("spanish", "french-2", "spanish"), strict=True):
        clip.with_suffix(".jsonl").write_text(json.dumps({"kozyr": 1, "rules": rules}) + "\n{}\n", "utf-8")
    counts = {clip.stem: score_list.Tally(clips=1, results=1, results_right=int(clip.stem == "a")) for clip in clips}
    found = score_list.by_rules(clips, counts)
    assert [(rules, of.clips, of.results, of.results_right) for rules, of in found.items()] == [
        ("french-2", 1, 1, 0),
        ("spanish", 2, 2, 1),
    ]


def test_results_of_games_are_compared_with_the_truth() -> None:
    def judged(*results: str) -> score_list.JudgedClip:
        return score_list.JudgedClip(results=list(results))

    assert score_list.results_of(judged(), judged()) == (0, 0)
    assert score_list.results_of(judged("A"), judged("A")) == (1, 1)
    assert score_list.results_of(judged("A"), judged("B")) == (1, 0)
    assert score_list.results_of(judged("A"), judged()) == (1, 0)
    assert score_list.results_of(judged(), judged("A")) == (1, 0)


def test_two_versions_stand_in_one_table_by_rules_and_kind_of_event() -> None:
    def result(right: int, missed: int) -> dict[str, object]:
        score = score_clip.Score(true=10, seen=right, right=right, faults=2, faults_called=1)
        score.kinds.update({("placed", "true"): 8, ("placed", "missed"): missed, ("drawn", "true"): 2})
        counts = score_list.as_json(score_list.Tally(score, clips=1))
        kinds = score_list.by_kind(score.kinds)
        return {"all": counts, "kinds": kinds, "rules": {"perevodnoy": counts}, "clips": {"a": counts}}

    rows = score_list.compared(result(7, 3), result(9, 1) | {"clips": {"a": {}, "b": {}}})
    assert "| perevodnoy (1 clips) | 7 -> 9 of 10 | 0.8235 -> 0.9474 | 0 -> 0 | 1 -> 1 of 2 |" in rows
    assert "| placed | 8 | 3 -> 1 | 0 -> 0 |" in rows
    assert rows[-1].endswith("not in both: b")

"""
Score whole clips: the pipeline's events against the clip's true record.

    python -m benchmarks.score_clip CLIP.mp4 ... [--tracks] [--verbose] [--out FILE.json]

The true record of ``NAME.mp4`` is ``NAME.jsonl``. With ``--tracks`` the true cards of ``NAME.tracks.jsonl`` (written
with the clip) replace the networks, so that everything after inference is scored by itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from msgspec import structs

from benchmarks.degraded_detector import DegradedDetector, Poor
from benchmarks.enrolled_deck import shown
from benchmarks.replay_cache import Reel, ReplayedDetector, knowing
from benchmarks.rest_times import Rests
from referee.events import Blocked, Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json, event_to_json
from referee.rulebook import FREE, rulebook
from referee.rulings import Message, Ruling, Verdict
from scripts.results import checksums, write_result
from vision.capture.sources import Frame, open_source
from vision.detection.card_detector import ArmDetector, CardDetector, PlaceDetector, load_card_detector
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.layout import UNMARKED, Zones
from vision.motion.background_subtraction import MotionDetector
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from vision.table_session import PipelineServices, StageTime
from vision.view.observer import PipelineObserver
from webapp.match.log import MatchLog

TOLERANCE_S = 1.5
"""Seconds that a reported event may differ in time from the true one."""

SEEN_LEAST = 0.15
"""Smallest visible share of a card that the true detector returns; a good detector finds those."""


class TrueDetector:
    """A detector that returns a clip's true cards for the current frame, with a little noise."""

    def __init__(self, tracks: Path, jitter_px: float = 1.0) -> None:
        self._frames = [json.loads(line) for line in tracks.read_text().splitlines()]
        self._chance = np.random.default_rng(7)
        self._jitter_px = jitter_px
        self.number = 0

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return the cards that are at least partly visible, moving ones included."""
        cards = [c for c in self._frames[self.number]["cards"] if 1 - c["covered"] >= SEEN_LEAST]
        if not cards:
            return Detections.none()
        corners = np.array([c["corners_px"] for c in cards], np.float32)
        corners += self._chance.normal(0, self._jitter_px, corners.shape).astype(np.float32)
        probabilities = np.full((len(cards), len(CLASS_NAMES)), 0.02 / (len(CLASS_NAMES) - 1), np.float32)
        probabilities[np.arange(len(cards)), [CLASS_NAMES.index(c["card"]) for c in cards]] = 0.98
        return Detections(corners, np.full(len(cards), 0.95, np.float32), probabilities)


@dataclass
class Score:
    """
    Counts over events; can be added. ``suspected``: plays with the probability of a fault, and whether it was one.
    ``kinds``: the word of a kind of event and what happened to it (``true``, ``missed``, ``extra``) -> how often.
    """

    true: int = 0
    seen: int = 0
    right: int = 0
    seats_seen: int = 0
    seats_right: int = 0
    seats_wrong: int = 0
    false_accusations: int = 0
    named_otherwise: int = 0
    faults: int = 0
    faults_called: int = 0
    faults_asked: int = 0
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    delays_s: list[float] = field(default_factory=list)
    rest_delays_s: list[float] = field(default_factory=list)
    suspected: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add the counts of another clip."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_json(self) -> dict[str, float | None]:
        """Return the counts for programs; of delays their number and p95 (None if there are none)."""
        counts: dict[str, float | None] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name in ("suspected", "kinds"):
                continue
            if isinstance(value, list):
                counts[f"{name}_count"] = len(value)
                counts[f"{name}_p95"] = round(float(np.percentile(value, 95)), 3) if value else None
            else:
                counts[name] = value
        return counts

    @property
    def line(self) -> str:
        """Return one line for people."""
        precision = self.right / self.seen if self.seen else 0.0
        recall = self.right / self.true if self.true else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        delay, rest = (
            f"{np.percentile(delays, 95):.2f}" if delays else "-" for delays in (self.delays_s, self.rest_delays_s)
        )
        return (
            f"events {self.true} seen {self.seen} right {self.right}  precision {precision:.4f} recall {recall:.4f} "
            f"F1 {f1:.4f}  seats right {self.seats_right}/{self.seats_seen} wrong {self.seats_wrong}  "
            f"faults called {self.faults_called}/{self.faults} (asked about {self.faults_asked}, under another id "
            f"{self.named_otherwise}) "
            f"false accusations {self.false_accusations}  "
            f"reported after p95 {delay} s, after rest {rest} s"
        )


def what(event: TableEvent) -> tuple[str, ...]:
    """Return kind, card and place of an event, without seat and time."""
    match event:
        case Placed():
            return ("placed", str(event.card), str(event.on))
        case Lifted():
            return ("lifted", str(event.card))
        case Swept():
            return ("swept", event.to, " ".join(sorted(str(card) for card in event.left)))
        case Drawn():
            return ("drawn", str(event.count), str(event.card))
        case Swapped():
            return ("swapped", str(event.card))
        case Reread():
            return ("reread", str(event.was), str(event.card))
        case Blocked():
            return ("blocked",)
    return (type(event).__name__.lower(),)


def single_draws(events: list[TableEvent]) -> list[TableEvent]:
    """Split draws into single cards, because a seat's draws may be one event or several."""
    singles: list[TableEvent] = []
    for event in events:
        if isinstance(event, Drawn) and event.count > 1:
            singles += [Drawn(at=event.at, by=event.by, count=1)] * (event.count - 1)
            event = Drawn(at=event.at, by=event.by, count=1, card=event.card)
        singles.append(event)
    return singles


def compare(true: list[TableEvent], seen: list[TableEvent], verbose: bool) -> tuple[Score, list[str]]:
    """Match events in order of time; each true one takes the nearest reported one with the same content."""
    score = Score(true=len(true), seen=len(seen))
    free = list(range(len(seen)))
    notes = []
    for event in true:
        score.kinds[kind_of(event), "true"] += 1
        near = [k for k in free if what(seen[k]) == what(event) and abs(seen[k].at - event.at) <= TOLERANCE_S]
        if not near:
            score.kinds[kind_of(event), "missed"] += 1
            notes.append(f"  missed  {json.dumps(event_to_json(event), ensure_ascii=False)}")
            continue
        best = min(
            near, key=lambda k: (getattr(seen[k], "by", None) != getattr(event, "by", None), abs(seen[k].at - event.at))
        )
        free.remove(best)
        score.right += 1
        by = getattr(event, "by", None)
        if by is not None:
            score.seats_seen += 1
            reported = getattr(seen[best], "by", None)
            score.seats_right += reported == by
            if reported is not None and reported != by:
                score.seats_wrong += 1
            if reported != by:
                notes.append(f"  seat    {event_to_json(event)} seen as {reported}")
    score.kinds.update((kind_of(seen[k]), "extra") for k in free)
    notes += [f"  extra   {json.dumps(event_to_json(seen[k]), ensure_ascii=False)}" for k in free]
    return score, notes if verbose else []


def kind_of(event: TableEvent) -> str:
    """Return the word of an event's kind in a record."""
    return str(event_to_json(event)["event"])


ACCUSING = (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)
HARSH = tuple(str(verdict) for verdict in ACCUSING)


def true_messages(header: Header, events: list[TableEvent]) -> list[Message]:
    """Return rulings and announcements for a true record."""
    judge = MatchJudge(structs.replace(header, witness="person"))
    messages = [
        message
        for line, event in enumerate(events, start=2)
        for message in (*judge.apply(line, event), *judge.end_play())
    ]
    return [*messages, *judge.finish()]


def suspicions(
    messages: Sequence[Message], true: Sequence[TableEvent], suspected: Sequence[tuple[TableEvent, float]]
) -> list[tuple[float, bool]]:
    """
    Return for each suspected event its probability and whether it was a true fault.

    A true fault (``messages`` for the ``true`` events) has the same kind and card, at most ``TOLERANCE_S`` away. Each
    one is matched once, with the likeliest suspicion.
    """
    lines = {
        message.line for message in messages if isinstance(message.what, Ruling) and message.what.verdict in ACCUSING
    }
    guilty = [true[line - 2] for line in sorted(lines)]
    found = []
    for event, probability in sorted(suspected, key=lambda pair: -pair[1]):
        near = [
            candidate
            for candidate in guilty
            if what(candidate)[:2] == what(event)[:2] and abs(candidate.at - event.at) <= TOLERANCE_S
        ]
        if near:
            guilty.remove(near[0])
        found.append((probability, bool(near)))
    return found


def _named(lines: Iterable[Mapping[str, Any]], kinds: tuple[str, ...], asking: bool = False) -> list[tuple[str, ...]]:
    """Return fault and cards of rulings of these kinds, once per line; ``asking``: only those with a question."""
    called = {
        (line.get("of", line["line"]), line["fault"]): (line["fault"], *line.get("cards", ()))
        for line in lines
        if line.get("ruling") in kinds and (not asking or "question" in line)
    }
    return list(called.values())


@dataclass(frozen=True)
class Played:
    """
    A clip played through the pipeline and refereed.

    ``true``: its true events; ``seen``: the events as corrected at the end; ``reported``: each printed line with its
    clip time; ``holding``: what still holds at the end; ``suspected``: events with any probability of a fault.
    """

    header: Header
    true: list[TableEvent]
    seen: tuple[TableEvent, ...]
    reported: list[tuple[Mapping[str, Any], float]]
    holding: tuple[Message, ...]
    suspected: tuple[tuple[TableEvent, float], ...]
    frames: int
    seconds: float
    took_s: float
    timings: dict[str, StageTime]


class FrameObserver(Protocol):
    """Receives each frame of a clip while it is played."""

    def on_frame(self, number: int, at: float, pipeline: Pipeline, found: Detections | None) -> None:
        """Handle a frame; ``found``: its detections, None without inference."""


class RecordingDetector:
    """A detector that keeps the newest frame's detections and passes on the frame's number."""

    def __init__(self, detector: CardDetector) -> None:
        self._detector = detector
        self.found: Detections | None = None

    def turn_to(self, number: int) -> None:
        """Set the frame for the next inference."""
        self.found = None
        detector = self._detector.within if isinstance(self._detector, DegradedDetector) else self._detector
        if isinstance(detector, TrueDetector | ReplayedDetector):
            detector.number = number

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Run the inner detector."""
        self.found = self._detector.detect(image_bgr)
        return self.found

    def label(self, image_bgr: np.ndarray) -> np.ndarray | None:
        """Run the inner detector; the true cards have no map of arms."""
        return self._detector.label(image_bgr) if isinstance(self._detector, ArmDetector) else None

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run the inner detector; the true detector misses nothing, so it returns no card there."""
        if not isinstance(self._detector, PlaceDetector):
            nothing = np.zeros((len(corners_px), len(CLASS_NAMES)), np.float32)
            nothing[:, NOTHING_INDEX] = 1
            return corners_px, nothing
        return self._detector.detect_at(image_bgr, corners_px, occluders_px)


def play_clip(
    clip: Path,
    tracks: bool = False,
    weights: Path | None = None,
    stored: Path | None = None,
    near: int = 0,
    follower: FrameObserver | None = None,
    verbose: bool = False,
    poor: Poor | None = None,
    decks: Path | None = None,
    observer: PipelineObserver | None = None,
    frames: Iterable[Frame] | None = None,
    seats: tuple[str, ...] | None = None,
    zones: Zones = UNMARKED,
) -> Played:
    """
    Play one clip through the pipeline.

    ``poor``: with a detector made worse on purpose. ``decks``: with a learned deck, cached there. ``observer``: an
    observer of the pipeline. ``frames``: these instead of the clip's own. ``seats``: in another order, as a turned
    camera sees them. ``zones``: places that people have marked.
    """
    lines = [json.loads(line) for line in clip.with_suffix(".jsonl").read_text().splitlines() if line.strip()]
    header = Header.parse(lines[0])
    true = [event_from_json(line) for line in lines[1:]]
    match = MatchLog(structs.replace(header, witness="camera"))
    reel = Reel(clip, stored) if stored else None
    if tracks:
        detector = RecordingDetector(TrueDetector(clip.with_suffix(".tracks.jsonl")))
    else:
        deck = None if decks is None else shown(clip, decks, weights)
        inner = ReplayedDetector(reel, weights, near, deck) if reel else knowing(load_card_detector(weights), deck)
        detector = RecordingDetector(inner if poor is None else poor.over(inner, clip))
    pipeline = Pipeline(
        detector,
        seats or tuple(lines[0]["seats"]),
        InitialState.of(lines[0].get("start"), rulebook(header.rules, header.options).pack, header.rules != FREE),
        zones=zones,
        services=PipelineServices(time.perf_counter, reel.gate if reel else MotionDetector, observer),
    )
    began = time.perf_counter()
    messages = [*match.open()]
    reported_at = [0.0] * len(messages)
    count, at = 0, 0.0
    given = frames if frames is not None else reel.frames if reel else None
    with open_source(str(clip)) if given is None else nullcontext(given) as source:
        for frame in source:
            detector.turn_to(frame.number)
            new = [*match.judge(*pipeline.feed(cast(Frame, frame))), *match.pass_time(frame.at)]
            messages += new
            reported_at += [frame.at] * len(new)
            for line in new if verbose else ():
                print(f"  {frame.at:7.2f} {json.dumps(line, ensure_ascii=False)}")
            if follower is not None:
                follower.on_frame(frame.number, frame.at, pipeline, detector.found)
            count, at = count + 1, frame.at
    last = (*match.judge(*pipeline.finish()), *match.finish())
    took = time.perf_counter() - began
    reported = [*zip(messages, reported_at, strict=True), *((line, at) for line in last)]
    return Played(
        header, true, match.events, reported, match.holding, match.suspected, count, at, took, dict(pipeline.timings)
    )


def score_clip(
    clip: Path,
    tracks: bool,
    weights: Path | None,
    verbose: bool,
    stored: Path | None = None,
    near: int = 0,
    poor: Poor | None = None,
    decks: Path | None = None,
) -> Score:
    """Play one clip, compare with its true record, and print."""
    played = play_clip(clip, tracks, weights, stored, near, verbose=verbose, poor=poor, decks=decks)
    score, notes = scored(played, resting(clip, played), verbose)
    print(f"{clip.name}: {score.line}")
    stages = "  ".join(
        f"{name} {stage.mean_ms:.1f} ms x {stage.calls}" for name, stage in played.timings.items() if stage.calls
    )
    print(
        f"  {played.frames} frames, {played.seconds:.1f} s of clip in {played.took_s:.1f} s "
        f"({played.seconds / played.took_s:.1f} times its own speed)  {stages}"
    )
    for note in notes:
        print(note)
    return score


def scored(played: Played, rests: Rests | None, verbose: bool) -> tuple[Score, list[str]]:
    """
    Return the counts over one clip and the differences.

    ``rests``: when everything came to rest, for the delays. A ``reread`` that keeps the name is not an event.
    """
    seen = [event for event in played.seen if not isinstance(event, Reread) or event.was != event.card]
    score, notes = compare(single_draws(played.true), single_draws(seen), verbose)
    for line, reported in played.reported:
        if line.get("event", "tick") in ("tick", "corrected"):
            continue
        event = event_from_json(line)
        score.delays_s.append(reported - event.at)
        score.rest_delays_s.append(reported - (event.at if rests is None else rests.after(event)))
    messages = [line for line, _ in played.reported]
    in_truth = true_messages(played.header, played.true)
    score.suspected = suspicions(in_truth, played.true, played.suspected)
    rightly, called = _named([message.as_json() for message in in_truth], HARSH), _named(messages, HARSH)
    score.faults = len(rightly)
    strange = [accusation for accusation in called if not _is_struck(accusation, rightly)]
    score.faults_called = len(called) - len(strange)
    for accusation in strange:
        # A true fault announced under another id counts neither as announced nor as a false accusation.
        guilty = next((true for true in rightly if set(true[1:]) & set(accusation[1:])), None)
        if guilty is not None:
            rightly.remove(guilty)
            score.named_otherwise += 1
            notes.append(f"  called {' '.join(accusation)} instead of {' '.join(guilty)}")
        else:
            score.false_accusations += 1
            notes.append(f"  accused {' '.join(accusation)}")
    asked = _named(messages, ("unclear",), asking=True)
    score.faults_asked = sum(_is_struck(true, asked) for true in rightly)
    return score, notes


def _is_struck(accusation: tuple[str, ...], rightly: list[tuple[str, ...]]) -> bool:
    """Check whether it is one of the true ones, and remove it from them."""
    if accusation not in rightly:
        return False
    rightly.remove(accusation)
    return True


def resting(clip: Path, played: Played) -> Rests | None:
    """Return when things came to rest, if the clip has tracks."""
    tracks = clip.with_suffix(".tracks.jsonl")
    return Rests.read(tracks) if tracks.is_file() else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path, metavar="CLIP")
    parser.add_argument("--tracks", action="store_true", help="use the true cards instead of the networks")
    parser.add_argument("--weights", type=Path, help="other weights than the shipped ones")
    parser.add_argument(
        "--reel", type=Path, metavar="FOLDER", help="cache results of motion detection and networks there, and use them"
    )
    parser.add_argument("--near", type=int, default=0, help="with --reel: frames that a cached result may be away")
    parser.add_argument("--verbose", action="store_true", help="print every event and every difference")
    parser.add_argument(
        "--poor",
        type=float,
        nargs=3,
        metavar=("UNSEEN", "MISREAD", "SEED"),
        help="make the detector worse: shares of the faces never found and misread, and which",
    )
    parser.add_argument("--shown", type=Path, metavar="FOLDER", help="learn each deck before the game; cache it there")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the counts there as JSON")
    arguments = parser.parse_args()
    poor = Poor(arguments.poor[0], arguments.poor[1], int(arguments.poor[2])) if arguments.poor else None
    total = Score()
    by_clip: dict[str, dict[str, float | None]] = {}
    for clip in arguments.clips:
        a = arguments
        score = score_clip(clip, a.tracks, a.weights, a.verbose, a.reel, a.near, poor, a.shown)
        by_clip[clip.stem] = score.as_json()
        total.add(score)
    if len(arguments.clips) > 1:
        print(f"all: {total.line}")
    if arguments.out is not None:
        used = None if arguments.tracks else checksums(arguments.weights)
        write_result(
            arguments.out, "benchmarks.score_clip", list(by_clip), {"all": total.as_json(), "clips": by_clip}, used
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

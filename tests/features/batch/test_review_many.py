"""Review of many clips: finished ones are skipped, a broken film affects only itself, a dead worker is replaced."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.side_by_side import cluster
from features.batch.command import is_whole, on_cluster, review_all
from features.batch.options import ManyReviewsOptions
from webapp.commands import cli
from webapp.commands.options import ReviewOptions
from webapp.commands.review import clips_in
from webapp.errors import UnusableInputError, WrongCallError

Tell = Callable[[Mapping[str, Any]], None]


def plain_review(options: ReviewOptions, print_line: Tell) -> int:
    """Fake review: the result depends only on the film's bytes; some films are broken."""
    clip = options.clip
    film = Path(clip).read_bytes()
    if film == b"broken":
        raise UnusableInputError(f"{clip}: expected a film, got nothing that can be decoded")
    if film == b"odd":
        raise ZeroDivisionError("an odd film")
    if film.startswith(b"deadly") and not Path(film.split()[1].decode()).exists():
        Path(film.split()[1].decode()).touch()
        os._exit(9)
    print_line({"kozyr": 1, "film": film.decode()})
    print_line({"summary": {"frames": len(film), "rulings": {"legal": len(film), "illegal": 0}}})
    return 0


def options_for(clips: list[Path], out: Path, workers: int = 1, dask: str | None = None) -> ManyReviewsOptions:
    names = tuple(str(clip) for clip in clips)
    return ManyReviewsOptions(names, out, workers, dask, ReviewOptions(as_json=True))


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Create a folder of four films, two of which can't be played."""
    folder = tmp_path / "films"
    folder.mkdir()
    for name, film in {"a": b"one", "b": b"broken", "c": b"odd", "d": b"four"}.items():
        (folder / f"{name}.mp4").write_bytes(film)
    (folder / "notes.txt").write_text("no film")
    return folder


def test_folder_is_expanded_to_its_films(films: Path) -> None:
    assert [Path(clip).name for clip in clips_in([str(films)])] == ["a.mp4", "b.mp4", "c.mp4", "d.mp4"]
    assert clips_in(["0", str(films / "a.mp4")]) == ["0", str(films / "a.mp4")]


def test_broken_film_does_not_affect_the_others(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert review_all(options_for([films], out), plain_review) == 1
    assert sorted(path.name for path in out.iterdir()) == ["a.jsonl", "d.jsonl"]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [Path(line["clip"]).stem for line in lines] == ["a", "b", "c", "d"]
    assert "expected a film" in lines[1]["error"]
    assert "ZeroDivisionError" in lines[2]["error"]
    assert lines[3]["summary"]["frames"] == 4


def test_finished_clips_are_skipped(films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    good = [films / "a.mp4", films / "d.mp4"]
    assert review_all(options_for(good, out), plain_review) == 0
    (out / "d.jsonl").write_text('{"kozyr": 1}\n')
    assert (is_whole(out / "a.jsonl"), is_whole(out / "d.jsonl")) == (True, False)
    (films / "a.mp4").write_bytes(b"another")
    capsys.readouterr()
    assert review_all(options_for(good, out), plain_review) == 0
    output = capsys.readouterr()
    assert [Path(json.loads(line)["clip"]).stem for line in output.out.splitlines()] == ["d"]
    assert "1 of 2 clips are done already" in output.err
    assert '"film":"one"' in (out / "a.jsonl").read_text().replace(" ", "")


@pytest.mark.thorough
def test_two_workers_give_the_same_output_and_a_dead_one_is_replaced(films: Path, tmp_path: Path) -> None:
    (films / "b.mp4").write_bytes(f"deadly {tmp_path / 'died'}".encode())
    (films / "c.mp4").write_bytes(b"three")
    alone, together = tmp_path / "alone", tmp_path / "together"
    assert review_all(options_for([films], together, workers=2), plain_review) == 0
    assert (tmp_path / "died").exists()
    assert review_all(options_for([films], alone), plain_review) == 0
    assert [path.name for path in sorted(together.iterdir())] == ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]
    for path in together.iterdir():
        assert path.read_bytes() == (alone / path.name).read_bytes()


@pytest.mark.thorough
def test_dask_cluster_gives_the_same_output(films: Path, tmp_path: Path) -> None:
    alone, together = tmp_path / "alone", tmp_path / "together"
    with cluster(1) as address:
        assert review_all(options_for([films], together, dask=address), plain_review) == 1
    assert review_all(options_for([films], alone), plain_review) == 1
    assert [path.name for path in sorted(together.iterdir())] == ["a.jsonl", "d.jsonl"]
    assert all(path.read_bytes() == (alone / path.name).read_bytes() for path in together.iterdir())


def test_unreachable_scheduler_is_one_sentence(films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("features.batch.cluster.ANSWERS_WITHIN_S", 1)
    with pytest.raises(WrongCallError, match=r"expected a Dask scheduler at tcp://127\.0\.0\.1:1"):
        review_all(options_for([films], tmp_path / "out", dask="tcp://127.0.0.1:1"), plain_review)


def test_films_of_the_same_name_are_refused(films: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.mp4").write_bytes(b"one")
    with pytest.raises(WrongCallError, match="different names"):
        review_all(options_for([films / "a.mp4", other / "a.mp4"], tmp_path / "out"), plain_review)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["review", "a.mp4", "--workers", "2"], "expected --out DIR with --workers"),
        (["review", "a.mp4", "--out", "o", "--record", "r"], "expected --out or --record"),
        (["review", "a.mp4", "--workers", "0"], "a number of workers from 1"),
    ],
)
def test_contradictory_options_are_usage_errors(
    call: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(call) == 2
    assert words in capsys.readouterr().err


@dataclass(eq=False)
class Sent:
    """Fake future of a clip."""

    status: str
    result: Callable[[], Any] = lambda: None


class Lent:
    """Fake cluster whose workers have no access to the films and die with the first ``lost`` clips."""

    def __init__(self, lost: int) -> None:
        self.lost, self.sent = lost, 0

    def run(self, which: object, clips: object, on_error: str) -> Mapping[str, set[str]]:
        assert on_error == "ignore"  # a worker that dies in between is no error
        return {"worker": set()}

    def scatter(self, film: bytes) -> bytes:
        self.sent += 1
        return film

    def submit(self, work: Callable[..., Any], *given: Any, **how: Any) -> Sent:
        if self.sent <= self.lost:
            return Sent("cancelled")
        return Sent("finished", lambda: work(*given))

    class as_completed:  # noqa: N801  # as distributed calls it
        def __init__(self, futures: Any) -> None:
            self.left = list(futures)

        def add(self, future: Any) -> None:
            self.left.append(future)

        def __iter__(self) -> Iterator[Any]:
            while self.left:
                yield self.left.pop(0)


@pytest.mark.parametrize(("lost", "error"), [(2, None), (9, "each that held the film died")])
def test_film_of_a_dead_worker_is_sent_again(films: Path, lost: int, error: str | None) -> None:
    lent = Lent(lost)
    jobs = [ReviewOptions(str(films / "a.mp4"))]
    (clip,) = on_cluster(lent.as_completed, lent, jobs, plain_review, are_shared=False)
    assert (clip.status, clip.text is None) == ((0, False) if error is None else (1, True))
    assert error is None or error in str(clip.trouble)
    assert lent.sent == min(lost, 3) + 1

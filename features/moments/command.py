"""`kozyr matches moment` packs a moment for others; `kozyr matches replay-moment` judges one that was sent."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from features.moments.moment_zip import PackedMoment, pack_moment, read_moment, write_new
from referee.events import Pressed
from referee.record import Header
from vision.capture.film_file import Film, FilmFile, FilmSource
from vision.capture.video_writer import FilmError
from webapp.commands.line_printer import readable
from webapp.commands.options import RejudgeOptions, read_options
from webapp.errors import UnusableInputError
from webapp.live.match_files import open_matches
from webapp.live.match_options import DetectorOptions, MatchOptions
from webapp.live.session import MatchSession
from webapp.match.kept import called, judged_again, read_kept, rulings_then, statements
from webapp.match.view import View
from webapp.output import note, say_json, say_text
from webapp.versions import versions

Line = Mapping[str, Any]


def call(arguments: argparse.Namespace) -> int:
    if arguments.action == "replay-moment":
        asked = read_options(RejudgeOptions, arguments)
        print_replayed(arguments.file, asked.detector, asked.language, as_json=arguments.as_json)
        return 0
    with ExitStack() as parts:
        kept, match, line = open_matches(parts, arguments.store, arguments.films), arguments.match, arguments.line
        write_new(
            arguments.file,
            [pack_moment(kept, match, line, rulings_then(kept.show(match)), with_pictures=arguments.film)],
        )
    note(f"line {line} of match {match} is in {arguments.file}: kozyr matches replay-moment {arguments.file}")
    return 0


def replayed(
    moment: PackedMoment, detector: DetectorOptions = DetectorOptions(), language: str = "en"
) -> dict[str, Any]:
    """
    Return the rulings of the moment as they were (``said``), those of its ``record`` today, and those of its ``film``
    today (None without one).

    ``UnusableInputError`` and ``RefereeError`` where it can't be judged.
    """
    header, events = read_kept(moment.record, "the moment's record")
    by_record = judged_again(header, events)
    pressed = statements(by_record)
    by_film = None if moment.film is None else _by_film(moment.film, moment, header, pressed, detector)
    begin, end = float(moment.about["from"]), float(moment.about["to"])

    def of_moment(view: View) -> list[Line]:
        return [each for each in view.ruled(language) if begin <= (each["at"] or 0.0) <= end]

    return {
        "match": moment.about["match"],
        "line": moment.about["line"],
        "at": moment.about["at"],
        "said": list(moment.about["said"]),
        "record": of_moment(by_record.view),
        "film": None if by_film is None else of_moment(by_film),
        "versions": {"then": moment.about.get("versions"), "now": versions()},
    }


def _by_film(
    content: bytes, moment: PackedMoment, header: Header, pressed: Sequence[Pressed], detector: DetectorOptions
) -> View:
    """Return the view of the match continued with this film from its first second on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        path.write_bytes(content)
        try:
            film = Film([FilmFile(path)])
        except FilmError:
            raise UnusableInputError("expected ten seconds of film in the moment, got a damaged one") from None
        if not len(film.frames_s):
            return View()
        began_s = float(film.frames_s[0])
        before = [line for line in moment.record if "event" not in line or float(line.get("at") or 0.0) < began_s]
        later = [each for each in pressed if each.at >= began_s]
        options = MatchOptions("the moment's film", header, detector=detector, is_replay=True)
        with FilmSource(film, options.source, end_s=float(moment.about["to"])) as source:
            with MatchSession.open(options, source=source, record=before, statements=later) as session:
                for frame in source:
                    session.on_frame(frame)
                session.finish()
            return session.match.view


def print_replayed(path: Path, detector: DetectorOptions, language: str, *, as_json: bool) -> None:
    found = replayed(read_moment(path), detector, language)
    if as_json:
        say_json(found)
        return
    headings = {"said": "then", "record": "today, by the record", "film": "today, by the film"}
    for name, heading in headings.items():
        rulings = found[name]
        say_text(f"{heading}:")
        for ruling in rulings or ():
            say_text(f"  {readable(ruling)}")
        if not rulings:
            say_text("  nothing" if rulings is not None else "  there is no film of it")
    same = sorted(map(called, found["said"]), key=str) == sorted(map(called, found["record"]), key=str)
    say_text(
        "today's referee rules the same on the record" if same else "today's referee rules otherwise on the record"
    )

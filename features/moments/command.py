"""`kozyr matches export` packs a match, `moment` a moment of it; `replay-moment` judges one that was sent."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from features.moments.moment_zip import PackedMoment, pack_moment, packed_match, read_moment, write_new
from features.moments.options import ExportOptions, MomentOptions, ReplayOptions
from referee.events import Pressed
from referee.record import Header
from vision.capture.film_file import Film, FilmFile, FilmSource
from vision.capture.video_writer import FilmError
from webapp.commands.line_printer import readable
from webapp.errors import UnusableInputError
from webapp.live.match_files import open_matches
from webapp.live.match_options import DetectorOptions, MatchOptions
from webapp.live.session import MatchSession
from webapp.match.log import judged
from webapp.match.stored_matches import compared_content, rulings_then, statements
from webapp.match.view import View
from webapp.output import note, say_json, say_text
from webapp.versions import versions

Line = Mapping[str, Any]


def run_export(options: ExportOptions) -> int:
    with ExitStack() as parts:
        matches = open_matches(parts, options.stored.store, options.stored.films)
        write_new(options.file, packed_match(matches, options.match))
        note(f"match {options.match} is in {options.file}")
    return 0


def run_moment(options: MomentOptions) -> int:
    match, line, file = options.match, options.line, options.file
    with ExitStack() as parts:
        matches = open_matches(parts, options.stored.store, options.stored.films)
        said = rulings_then(matches.show(match))
        write_new(file, [pack_moment(matches, match, line, said, with_pictures=options.film)])
    note(f"line {line} of match {match} is in {file}: kozyr matches replay-moment {file}")
    return 0


def run_replay(options: ReplayOptions) -> int:
    print_replayed(options.file, options.asked.detector, options.asked.language, as_json=options.stored.as_json)
    return 0


def replayed(
    moment: PackedMoment, detector: DetectorOptions = DetectorOptions(), language: str = "en"
) -> dict[str, Any]:
    """
    Return the rulings of the moment as they were (``said``), those of its ``record`` today, and those of its ``film``
    today (None without one).

    ``UnusableInputError`` and ``RefereeError`` where it can't be judged.
    """
    by_record = judged(moment.record, has_ended=True, name="the moment's record")
    header, pressed = by_record.header, statements(by_record)
    by_film = None if moment.film is None else _by_film(moment.film, moment, header, pressed, detector)
    begin, end = float(moment.about["from"]), float(moment.about["to"])

    def of_moment(view: View) -> list[Line]:
        return [ruling for ruling in view.ruled(language) if begin <= (ruling["at"] or 0.0) <= end]

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
        later = [press for press in pressed if press.at >= began_s]
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
    same = sorted(map(compared_content, found["said"]), key=str) == sorted(
        map(compared_content, found["record"]), key=str
    )
    say_text(
        "today's referee rules the same on the record" if same else "today's referee rules otherwise on the record"
    )
